"""What a container's command would print, how long it would take and how it would exit, read without running it.

It reads `sleep`, `echo`, `exit`, `true` and `false` in a shell script or alone, the arguments of sleep images, in
`python -c` the statements `print` and `time.sleep` with literals and JAX's device counts, and MaxText's trainer, which
takes a fixed time for every step. The output reports any other command, and one that depends on more than its own
words, as not run; such a command takes no time and counts as done: the simulator never pretends to have computed
anything. Loops and branches are not followed, and commands in the background are read as if the script waited for them.
"""

from __future__ import annotations

import ast
import math
import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

from components.model.facts import pathways
from kubeapi.documents import entries, section
from simulator.pods.container_environment import expanded
from simulator.pods.images import split
from simulator.pods.shell import Command, ShellSyntaxError, commands

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kubeapi.documents import Document

SHELLS: Final = frozenset({"sh", "bash", "ash", "dash"})
"""Programs that run a script."""
_SILENT: Final = frozenset({"true", ":", "set", "export", "cd", "wait"})
"""Commands that print nothing and take no time."""
_DURATION = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)?")
_UNIT_SECONDS: Final = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0, None: 1.0}
_GO_DURATION = re.compile(r"(?:\d+(?:\.\d+)?(?:ms|s|m|h))+")
_SLEEP_IMAGES: Final = ("k8s-staging-perf-tests/sleep",)
"""Images whose arguments are one duration to sleep, such as `["60s"]`."""
_SERVERS: Final = (pathways.SERVER_REPOSITORY, pathways.PROXY_REPOSITORY)
"""Images whose program serves until it is stopped, as the workers of Pathways do."""
_TRAINER: Final = "MaxText/train.py"
_TRAINER_STEPS = re.compile(r"steps=(\d+)")
TRAINING_START_SECONDS: Final = 180.0
"""How long a training run takes before its first step: its slices find each other and the step is compiled."""
TRAINING_STEP_SECONDS: Final = 0.05
"""How long a step of training takes. A real step takes seconds: a hundredth of that lets you follow a run of days to
its end."""


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
        container: name, image, command, args and the variables with a value of their own are read.
        device_counts: values of JAX's counting functions, such as `jax.device_count`.
    """
    variables = variables_of(container)
    words = (*(container.get("command") or ()), *(container.get("args") or ()))
    command = [expanded(str(word), variables) for word in words]
    image = split(str(container.get("image", "")))[0]
    if not container.get("command") and image.endswith(_SLEEP_IMAGES):
        return Script(tuple(Step(go_seconds(word)) for word in command if _GO_DURATION.fullmatch(word)))
    reader = _Reader(device_counts, variables)
    if not container.get("command") and image in _SERVERS:
        reader.not_run(f"the entrypoint of {image}")
        reader.steps.append(Step(math.inf))
        return Script(tuple(reader.steps))
    exit_code = reader.run(command) if command else reader.not_run(f"the entrypoint of {image}")
    return Script(tuple(reader.steps), exit_code)


def read_command(words: Sequence[str], device_counts: Mapping[str, int]) -> Script:
    """What one command would do, whose words have their values; the counts are as of `read_script`."""
    reader = _Reader(device_counts, {})
    exit_code = reader.run(words)
    return Script(tuple(reader.steps), exit_code)


def variables_of(container: Document) -> dict[str, str]:
    """The variables of a container that have a value of their own; what others hold is not read.

    >>> variables_of({"env": [{"name": "A", "value": "1"}, {"name": "B", "value": "$(A)$(C)"}]})
    {'A': '1', 'B': '1$(C)'}
    """
    found: dict[str, str] = {}
    for each in entries(container, "env"):
        if "valueFrom" not in each:
            found[str(each["name"])] = expanded(str(each.get("value", "")), found)
    return found


def longest(pod: Document, device_counts: Mapping[str, int]) -> Script:
    """The script that decides when the pod ends: that of its failing container, else of its slowest one."""
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

    def __init__(self, device_counts: Mapping[str, int], variables: Mapping[str, str]) -> None:
        self.steps: list[Step] = []
        self._counts = device_counts
        self._variables = variables

    def run(self, words: Sequence[str]) -> int:
        """Read one command and return its exit code."""
        program = PurePosixPath(words[0]).name
        if program == "exec" and len(words) > 1:
            return self.run(words[1:])
        if program in SHELLS:
            return self._shell(words)
        if program.startswith("python"):
            return self._python(words)
        simple: dict[str, Callable[[Sequence[str]], int]] = {
            "sleep": self._sleep,
            "echo": self._echo,
            "exit": lambda _: int(words[1]) if words[1:] and words[1].isdecimal() else 0,
            "false": lambda _: 1,
        }
        if program in simple:
            return simple[program](words)
        return 0 if program in _SILENT else self.not_run(" ".join(words))

    def not_run(self, what: str) -> int:
        """Report that something was not run; counts as success."""
        self.steps.append(Step(output=f"[simulator] not run: {' '.join(what.split())}"))
        return 0

    def _shell(self, words: Sequence[str]) -> int:
        letters, operands = _shell_options(words[1:])
        if "c" not in letters or not operands:
            return self.not_run(" ".join(words))
        try:
            script = commands(operands[0], self._variables)
        except ShellSyntaxError as error:
            return self.not_run(f"a script that cannot be read from here on: {error}")
        return self._script(script, exits_on_failure="e" in letters)

    def _script(self, script: Sequence[Command], *, exits_on_failure: bool) -> int:
        code = 0
        following = [command.operator for command in script[1:]]
        for command, next_operator in zip(script, [*following, ";"], strict=False):
            if (command.operator == "&&" and code != 0) or (command.operator == "||" and code == 0):
                continue
            if command.words[:1] == ("exit",) and command.is_literal:
                return self.run(command.words) if len(command.words) > 1 else code
            code = self._command(command)
            if command.words[:1] == ("set",):
                exits_on_failure |= "e" in _shell_options(command.words[1:])[0]
            if code != 0 and exits_on_failure and next_operator not in ("&&", "||", "|"):
                return code
        return code

    def _command(self, command: Command) -> int:
        if not command.is_literal:
            return self.not_run(command.text)
        if not command.words or (command.words[0] == "echo" and not command.is_shown):
            return 0
        return self.run(command.words)

    def _sleep(self, words: Sequence[str]) -> int:
        if list(words[1:]) in (["infinity"], ["inf"]):
            self.steps.append(Step(math.inf))
            return 0
        times = [_DURATION.fullmatch(argument) for argument in words[1:]]
        if not times or None in times:
            return self.not_run(" ".join(words))
        self.steps.append(Step(sum(float(time[1]) * _UNIT_SECONDS[time[2]] for time in times if time is not None)))
        return 0

    def _echo(self, words: Sequence[str]) -> int:
        if words[1:] and words[1].startswith("-"):
            return self.not_run(" ".join(words))
        self.steps.append(Step(output=" ".join(words[1:])))
        return 0

    def _python(self, words: Sequence[str]) -> int:
        if words[1:] and words[1].endswith(_TRAINER):
            return self._training(words)
        if "-c" not in words[:-1]:
            return self.not_run(" ".join(words))
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

    def _training(self, words: Sequence[str]) -> int:
        """A run of MaxText, which takes its settings as `key=value`; the length of a run without steps is unknown."""
        given = [found[1] for word in words[2:] if (found := _TRAINER_STEPS.fullmatch(word))]
        if not given:
            return self.not_run(" ".join(words))
        steps = int(given[-1])
        self.steps.append(Step(TRAINING_START_SECONDS, f"[simulator] trains nothing: {steps} steps pass"))
        self.steps.append(Step(steps * TRAINING_STEP_SECONDS, f"[simulator] {steps} steps have passed"))
        return 0

    def _statement(self, statement: ast.stmt) -> None:
        match statement:
            case ast.Expr(ast.Call(ast.Name("print"), args, keywords)) if {k.arg for k in keywords} <= {"flush"}:
                values = [self._value(argument) for argument in args]
                if None not in values:
                    self.steps.append(Step(output=" ".join(str(value) for value in values)))
                    return
            case ast.Expr(ast.Call(ast.Attribute(ast.Name("time"), "sleep"), [ast.Constant(int() | float() as n)])):
                self.steps.append(Step(float(n)))
                return
            case _:
                pass
        self.not_run(ast.unparse(statement))

    def _value(self, node: ast.expr) -> str | int | float | None:
        match node:
            case ast.Constant(str() | int() | float() as value):
                return value
            case ast.Call(ast.Attribute(ast.Name(module), function), []):
                return self._counts.get(f"{module}.{function}")
            case _:
                return None


def _shell_options(words: Sequence[str]) -> tuple[str, list[str]]:
    """The letters of a shell's options, and the words after them; `-o NAME` and long options are skipped."""
    letters, left = "", list(words)
    while left and left[0].startswith(("-", "+")):
        option = left.pop(0)
        if not option.startswith("--"):
            letters += option[1:]
            if option.endswith("o") and left:
                left.pop(0)
    return letters, left
