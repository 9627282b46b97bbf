"""What a container's command would print, how long it would take and how it would exit, read without running it.

Understood are `sleep`, `echo`, `exit`, `true` and `false` in a shell script or alone, the arguments of sleep images,
and in `python -c` the statements `print` and `time.sleep` with literals and JAX's device counts. A command that is not
understood is reported in the output as not run and takes no time: the simulator never pretends to have computed
anything. Loops and branches are not followed.
"""

from __future__ import annotations

import ast
import re
import shlex
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

from kubeapi.documents import entries, section

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from kubeapi.documents import Document

_SHELLS: Final = frozenset({"sh", "bash", "ash", "dash"})
_SILENT: Final = frozenset({"true", ":", "set", "export", "cd", "wait"})
"""Commands that print nothing and take no time."""
_DURATION = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)?")
_UNIT_SECONDS: Final = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0, None: 1.0}
_GO_DURATION = re.compile(r"(?:\d+(?:\.\d+)?(?:ms|s|m|h))+")
_SLEEP_IMAGES: Final = ("k8s-staging-perf-tests/sleep",)
"""Images whose arguments are one duration to sleep, such as `["60s"]`."""


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that the command does."""

    seconds: float = 0.0
    """How long it takes, unscaled."""
    output: str | None = None
    """The line that it prints when it is done."""


@dataclass(frozen=True, slots=True)
class Script:
    """What a container does from start to end."""

    steps: tuple[Step, ...]
    exit_code: int = 0

    @property
    def seconds(self) -> float:
        """How long the whole takes, unscaled."""
        return sum(step.seconds for step in self.steps)


def read_script(container: Document, device_counts: Mapping[str, int]) -> Script:
    """What `container` (of a pod spec) would do.

    Args:
        container: name, image, command and args are read.
        device_counts: values of JAX's counting functions, such as `jax.device_count`.
    """
    command = [str(word) for word in (*(container.get("command") or ()), *(container.get("args") or ()))]
    image = str(container.get("image", "")).partition("@")[0].rpartition(":")[0] or str(container.get("image", ""))
    if not container.get("command") and image.endswith(_SLEEP_IMAGES):
        return Script(tuple(Step(go_seconds(word)) for word in command if _GO_DURATION.fullmatch(word)))
    reader = _Reader(device_counts)
    exit_code = reader.run(command) if command else 0
    return Script(tuple(reader.steps), exit_code)


def longest(pod: Document, device_counts: Mapping[str, int]) -> Script:
    """The script that decides when the pod ends: that of its failing, else of its slowest container."""
    scripts = [read_script(container, device_counts) for container in entries(section(pod, "spec"), "containers")]
    return max(scripts, key=lambda script: (script.exit_code != 0, script.seconds), default=Script(()))


def go_seconds(text: str) -> float:
    """Seconds in a Go duration such as `1m30s`.

    >>> go_seconds("1m30s")
    90.0
    """
    return sum(float(number) * _UNIT_SECONDS[unit or None] for number, unit in _DURATION.findall(text))


class _Reader:
    """Collects steps while it reads commands in their order."""

    def __init__(self, device_counts: Mapping[str, int]) -> None:
        self.steps: list[Step] = []
        self._counts = device_counts

    def run(self, words: Sequence[str]) -> int:
        """Read one command and return its exit code."""
        program = PurePosixPath(words[0]).name
        if program in _SHELLS:
            return self._shell(words)
        if program.startswith("python"):
            return self._python(words)
        simple: dict[str, Callable[[Sequence[str]], int]] = {
            "sleep": self._sleep,
            "echo": self._echo,
            "exit": lambda arguments: int(arguments[0]) if arguments and arguments[0].isdecimal() else 0,
            "false": lambda _: 1,
        }
        if program in simple:
            return simple[program](words[1:])
        if program not in _SILENT:
            self._not_run(words)
        return 0

    def _shell(self, words: Sequence[str]) -> int:
        flags = [word for word in words[1:] if word.startswith("-")]
        scripts = [word for word in words[1:] if not word.startswith("-")]
        if not scripts or not any("c" in flag for flag in flags):
            self._not_run(words)
            return 0
        code = 0
        for command in _commands(scripts[0]):
            code = self.run(command)
            if command[0] == "exit" or (code != 0 and any("e" in flag for flag in flags)):
                return code
        return code

    def _sleep(self, arguments: Sequence[str]) -> int:
        for argument in arguments:
            match = _DURATION.fullmatch(argument)
            if match is not None:
                self.steps.append(Step(float(match[1]) * _UNIT_SECONDS[match[2]]))
        return 0

    def _echo(self, arguments: Sequence[str]) -> int:
        self.steps.append(Step(output=" ".join(arguments)))
        return 0

    def _python(self, words: Sequence[str]) -> int:
        if "-c" not in words[:-1]:
            self._not_run(words)
            return 0
        code = words[list(words).index("-c") + 1]
        try:
            module = ast.parse(code)
        except SyntaxError as error:
            self.steps.append(Step(output=f"SyntaxError: {error.msg}"))
            return 1
        for statement in module.body:
            if not isinstance(statement, ast.Import | ast.ImportFrom):
                self._statement(statement)
        return 0

    def _statement(self, statement: ast.stmt) -> None:
        match statement:
            case ast.Expr(ast.Call(ast.Name("print"), args, keywords=[])):
                values = [self._value(argument) for argument in args]
                if None not in values:
                    self.steps.append(Step(output=" ".join(str(value) for value in values)))
                    return
            case ast.Expr(ast.Call(ast.Attribute(ast.Name("time"), "sleep"), [ast.Constant(int() | float() as n)])):
                self.steps.append(Step(float(n)))
                return
            case _:
                pass
        self._not_run([ast.unparse(statement)])

    def _value(self, node: ast.expr) -> str | int | float | None:
        match node:
            case ast.Constant(str() | int() | float() as value):
                return value
            case ast.Call(ast.Attribute(ast.Name(module), function), []):
                return self._counts.get(f"{module}.{function}")
            case _:
                return None

    def _not_run(self, words: Sequence[str]) -> None:
        self.steps.append(Step(output=f"[simulator] not run: {' '.join(words)}"))


def _commands(script: str) -> Iterator[list[str]]:
    """The simple commands of a shell script, in their order; quoting is honoured, comments are left out."""
    lexer = shlex.shlex(script.replace("\\\n", " "), posix=True, punctuation_chars=";&|\n")
    lexer.whitespace = " \t\r"
    lexer.whitespace_split = True
    words: list[str] = []
    for token in lexer:
        if set(token) <= set(";&|\n"):
            if words:
                yield words
            words = []
        else:
            words.append(token)
    if words:
        yield words
