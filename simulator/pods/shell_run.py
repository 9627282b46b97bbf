"""Runs small shell scripts: control flow, variables, arithmetic and files of the pod's volumes, in simulated time.

No program of this machine is started, and no file outside of the pod's volumes and its own folder is touched. Commands
that are not listed here are read as in `script.py`: what it does not know is reported as not run, and counts as done.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Protocol

from simulator.pods.shell import ShellSyntaxError
from simulator.pods.shell_commands import Files
from simulator.pods.shell_grammar import Block, For, Function, Group, If, Item, Node, Not, Simple, While, parse
from simulator.pods.shell_words import Words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from simulator.pods.shell_grammar import Redirect

_TERM: Final = frozenset({"TERM", "SIGTERM", "15"})
_NO_DEVICE: Final = "/dev/null"
_DEPTH: Final = 50
"""Functions that may call each other; more is a circle."""
_NOT_FOUND: Final = 127
UNITS: Final = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


class ScriptExit(Exception):
    """The script ends."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class _Leave(Exception):
    """A loop or a function ends here, or a loop goes on with its next round."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what


class Machine(Protocol):
    """The surroundings of a script."""

    def say(self, line: str) -> None:
        """Print a line."""
        ...

    def sleep(self, seconds: float, *, until_signal: bool) -> None:
        """Let simulated seconds pass; with `until_signal`, fewer when SIGTERM comes.

        Raises:
            ScriptExit: the script is killed.
        """
        ...

    def is_told_to_end(self) -> bool:
        """Whether SIGTERM has come since the last call."""
        ...

    def path(self, inside: str) -> Path:
        """Where a path of the container is on this machine."""
        ...

    def other(self, words: Sequence[str]) -> int:
        """Play a command that is not one of the shell's, and return its exit code."""
        ...


@dataclass
class Shell:
    """One script that runs."""

    machine: Machine
    variables: dict[str, str]
    code: int = 0
    """The exit code of the last command."""
    has_trap: bool = False
    """Whether the script handles SIGTERM."""
    _functions: dict[str, Block] = field(default_factory=dict[str, Block])
    _trap: Block = ()
    _output: list[str] | None = None
    """The lines of a command whose output is taken; None where lines are printed."""
    _hides_errors: bool = False
    _background: float = 0.0
    """Seconds that background commands still take."""
    _exits_on_failure: bool = False
    _depth: int = 0

    def run(self, script: str) -> int:
        """Run a script, and return its exit code.

        Raises:
            ShellSyntaxError: the script has a part that is not read here.
        """
        try:
            self._block(parse(script))
        except ScriptExit as ended:
            return ended.code
        except (_Leave, OSError) as error:
            self._complain(f"[simulator] the script ends: {error}")
            return 1
        return self.code

    # --- control flow

    def _block(self, block: Block, *, is_condition: bool = False) -> None:
        following = [item.operator for item in block[1:]]
        for item, operator in zip(block, [*following, ";"], strict=True):
            if (item.operator == "&&" and self.code) or (item.operator == "||" and not self.code):
                continue
            self._item(item, is_condition=is_condition)
            if self.has_trap and self.machine.is_told_to_end():
                self._block(self._trap)
            if self.code and self._exits_on_failure and not is_condition and operator == ";":
                raise ScriptExit(self.code)

    def _item(self, item: Item, *, is_condition: bool) -> None:
        """Only `sleep` runs beside the script; other commands in the background are run as if it waited for them."""
        command = item.command
        if item.is_background and isinstance(command, Simple) and command.words[:1] == ("sleep",):
            self._background = max(self._background, _seconds(self._expanded(command.words[1:])))
            self.code = 0
        else:
            self._node(command, is_condition=is_condition)

    def _node(self, node: Node, *, is_condition: bool = False) -> None:
        match node:
            case Simple():
                self._simple(node)
            case Group(body):
                self._block(body, is_condition=is_condition)
            case Not(command):
                self._node(command, is_condition=True)
                self.code = int(not self.code)
            case Function(name, body):
                self._functions[name] = body
            case If():
                self._if(node, is_condition=is_condition)
            case For(name, words, body):
                self._loop((self._is_set(name, word) for word in self._expanded(words)), body)
            case While():
                self._loop(iter(lambda: self._goes_on(node), False), node.body)

    def _is_set(self, name: str, value: str) -> bool:
        self.variables[name] = value
        return True

    def _goes_on(self, node: While) -> bool:
        self._block(node.condition, is_condition=True)
        return bool(self.code) == node.is_until

    def _loop(self, rounds: Iterable[bool], body: Block) -> None:
        for _ in rounds:
            try:
                self._block(body)
            except _Leave as leaving:
                if leaving.what == "break":
                    break
                if leaving.what != "continue":
                    raise
        self.code = 0

    def _if(self, node: If, *, is_condition: bool) -> None:
        for condition, body in node.branches:
            self._block(condition, is_condition=True)
            if not self.code:
                self._block(body, is_condition=is_condition)
                return
        self.code = 0
        self._block(node.otherwise, is_condition=is_condition)

    # --- simple commands

    def _simple(self, node: Simple) -> None:
        self.code = 0
        words = self._expanded(node.words)
        before = dict(self.variables)
        for name, value in node.assignments:
            self.variables[name] = self._words.text(value)
        if not words:
            self._redirected(node.redirects, lambda: self.code)
            return
        self.code = self._redirected(node.redirects, lambda: self._command(words))
        if node.assignments:
            self.variables = {**self.variables, **{name: before.get(name, "") for name, _ in node.assignments}}

    def _redirected(self, redirects: Sequence[Redirect], run: Callable[[], int]) -> int:
        """Run a command whose streams go elsewhere."""
        target: Redirect | None = None
        hides, outer, lines = self._hides_errors, self._output, list[str]()
        for redirect in redirects:
            if redirect.stream == 1 and redirect.operator in (">", ">>", ">|"):
                target = redirect
            self._hides_errors = self._hides_errors or redirect.stream != 1 or redirect.operator == ">&"
        if target is not None:
            self._output = lines
        try:
            return run()
        finally:
            self._output, self._hides_errors = outer, hides
            if target is not None:
                self._write(target, lines)

    def _write(self, target: Redirect, lines: Sequence[str]) -> None:
        name = self._words.text(target.target)
        if name == _NO_DEVICE:
            return
        with self.machine.path(name).open("a" if target.operator == ">>" else "w") as file:
            file.writelines(f"{line}\n" for line in lines)

    def _command(self, words: Sequence[str]) -> int:
        name, rest = words[0], words[1:]
        if name in self._functions:
            return self._call(self._functions[name])
        own: dict[str, Callable[[Sequence[str]], int]] = {
            "sleep": self._sleep,
            "wait": self._wait,
            "trap": self._set_trap,
            "exit": self._exit,
            "set": self._set,
            "export": self._export,
            "local": self._export,
        }
        if name in ("break", "continue", "return"):
            self.code = int(rest[0]) if name == "return" and rest else self.code
            raise _Leave(name)
        if name == "exec" and rest:
            raise ScriptExit(self._command(rest))
        found = own.get(name) or Files(self.machine.path, self._say, self._complain).command(name)
        return self.machine.other(words) if found is None else found(rest)

    def _call(self, body: Block) -> int:
        self._depth += 1
        if self._depth > _DEPTH:
            raise ScriptExit(_NOT_FOUND)
        try:
            self._block(body)
        except _Leave as leaving:
            if leaving.what != "return":
                raise
        finally:
            self._depth -= 1
        return self.code

    def _sleep(self, words: Sequence[str]) -> int:
        self.machine.sleep(_seconds(words), until_signal=False)
        return 0

    def _wait(self, _: Sequence[str]) -> int:
        seconds, self._background = self._background, 0.0
        self.machine.sleep(seconds, until_signal=True)
        return 0

    def _set_trap(self, words: Sequence[str]) -> int:
        if len(words) > 1 and not _TERM.isdisjoint(words[1:]):
            self.has_trap = words[0] != "-"
            self._trap = parse(words[0]) if self.has_trap else ()
        return 0

    def _exit(self, words: Sequence[str]) -> int:
        raise ScriptExit(int(words[0]) if words else self.code)

    def _set(self, words: Sequence[str]) -> int:
        self._exits_on_failure |= any(word.startswith("-") and "e" in word for word in words[:1])
        return 0

    def _export(self, words: Sequence[str]) -> int:
        for word in words:
            name, equals, value = word.partition("=")
            if equals:
                self.variables[name] = value
        return 0

    # --- words and output

    @property
    def _words(self) -> Words:
        return Words(self._value, self._output_of)

    def _expanded(self, words: Sequence[str]) -> list[str]:
        return [each for word in words for each in self._words.expand(word)]

    def _value(self, name: str) -> str | None:
        return str(self.code) if name == "?" else self.variables.get(name)

    def _output_of(self, script: str) -> str:
        outer, self._output = self._output, []
        try:
            self._block(parse(script))
            return "\n".join(self._output)
        except ScriptExit as ended:
            self.code = ended.code
            return "\n".join(self._output)
        finally:
            self._output = outer

    def _say(self, line: str) -> None:
        if self._output is None:
            self.machine.say(line)
        else:
            self._output.append(line)

    def _complain(self, line: str) -> None:
        if not self._hides_errors:
            self.machine.say(line)


def _seconds(words: Sequence[str]) -> float:
    """How long `sleep` sleeps.

    Raises:
        ShellSyntaxError: it is not a number of seconds.
    """
    total = 0.0
    for word in words:
        number, unit = (word[:-1], word[-1]) if word[-1:] in UNITS else (word, "s")
        try:
            total += float(number) * UNITS[unit]
        except ValueError as error:
            raise ShellSyntaxError(f"sleep {word}") from error
    return total
