"""The surroundings that a shell script is interpreted in, and how it ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from simulator.pods.shell import ShellSyntaxError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_UNITS: Final = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


class ScriptEndError(Exception):
    """The script ends."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class LeaveError(Exception):
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
            ScriptEndError: the script is killed.
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


def seconds(words: Sequence[str]) -> float:
    """How long `sleep` sleeps.

    Raises:
        ShellSyntaxError: it is not a number of seconds.
    """
    total = 0.0
    for word in words:
        number, unit = (word[:-1], word[-1]) if word[-1:] in _UNITS else (word, "s")
        try:
            total += float(number) * _UNITS[unit]
        except ValueError as error:
            raise ShellSyntaxError(f"sleep {word}") from error
    return total
