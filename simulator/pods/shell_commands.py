"""The commands of a shell and of its smallest companions, on the files of a pod. Each returns its exit code."""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

_COMPARED: Final[dict[str, Callable[[int, int], bool]]] = {
    "-eq": lambda one, other: one == other,
    "-ne": lambda one, other: one != other,
    "-lt": lambda one, other: one < other,
    "-le": lambda one, other: one <= other,
    "-gt": lambda one, other: one > other,
    "-ge": lambda one, other: one >= other,
}
_OF_FILES: Final[dict[str, Callable[[Path], bool]]] = {
    "-e": lambda path: path.exists(),
    "-f": lambda path: path.is_file(),
    "-d": lambda path: path.is_dir(),
    "-s": lambda path: path.is_file() and path.stat().st_size > 0,
}
_DIRECTIVE: Final = re.compile(r"%[0-9.]*[sd]|%%")
_NUMBER: Final = re.compile(r"-?\d+")


@dataclass(frozen=True, slots=True)
class Files:
    """The commands, with the place of their files and of their output."""

    path: Callable[[str], Path]
    """Where a path of the container is on this machine."""
    say: Callable[[str], None]
    complain: Callable[[str], None]
    """Prints an error."""

    def command(self, name: str) -> Callable[[Sequence[str]], int] | None:
        """What a command does with its arguments; None where it is not one of these."""
        commands: dict[str, Callable[[Sequence[str]], int]] = {
            ":": lambda _: 0,
            "true": lambda _: 0,
            "false": lambda _: 1,
            "cd": lambda _: 0,
            "sync": lambda _: 0,
            "echo": self._echo,
            "printf": self._printf,
            "cat": self._cat,
            "test": self._test,
            "[": lambda words: self._test(words[:-1]),
            "[[": lambda words: self._test(words[:-1]),
            "mkdir": self._mkdir,
            "touch": self._touch,
            "rm": self._rm,
            "mv": lambda words: self._move(words, shutil.move),
            "cp": lambda words: self._move(words, shutil.copy),
            "seq": self._seq,
        }
        return commands.get(name)

    def _echo(self, words: Sequence[str]) -> int:
        self.say(" ".join(words[1:] if words[:1] in (["-n"], ["-e"]) else words))
        return 0

    def _printf(self, words: Sequence[str]) -> int:
        left = iter(words[1:])

        def put(match: re.Match[str]) -> str:
            return "%" if match.group() == "%%" else next(left, "")

        text = _DIRECTIVE.sub(put, words[0] if words else "").replace("\\n", "\n").replace("\\t", "\t")
        for line in text.removesuffix("\n").split("\n"):
            self.say(line)
        return 0

    def _cat(self, words: Sequence[str]) -> int:
        code = 0
        for name in words:
            path = self.path(name)
            if path.is_file():
                for line in path.read_text(errors="replace").splitlines():
                    self.say(line)
            else:
                self.complain(f"cat: {name}: {'Is a directory' if path.is_dir() else 'No such file or directory'}")
                code = 1
        return code

    def _test(self, words: Sequence[str]) -> int:
        match list(words):
            case ["!", *rest]:
                return int(not self._test(rest))
            case ["-n", text] | [text]:
                return int(not text)
            case ["-z", text]:
                return int(bool(text))
            case [option, name] if option in _OF_FILES:
                return int(not _OF_FILES[option](self.path(name)))
            case [one, "=" | "==", other]:
                return int(one != other)
            case [one, "!=", other]:
                return int(one == other)
            case [one, option, other] if option in _COMPARED:
                if _NUMBER.fullmatch(one) and _NUMBER.fullmatch(other):
                    return int(not _COMPARED[option](int(one), int(other)))
                self.complain(f"[: {one if _NUMBER.fullmatch(other) else other}: integer expression expected")
                return 2
            case []:
                return 1
            case _:
                self.complain(f"[simulator] not run: test {' '.join(words)}")
                return 2

    def _mkdir(self, words: Sequence[str]) -> int:
        for name in _operands(words):
            self.path(name).mkdir(parents=True, exist_ok=True)
        return 0

    def _touch(self, words: Sequence[str]) -> int:
        for name in _operands(words):
            self.path(name).touch()
        return 0

    def _rm(self, words: Sequence[str]) -> int:
        for name in _operands(words):
            path = self.path(name)
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)
        return 0

    def _move(self, words: Sequence[str], how: Callable[[Path, Path], object]) -> int:
        *sources, target = [self.path(name) for name in _operands(words)]
        for source in sources:
            if not source.exists():
                self.complain(f"cannot stat {source.name}: No such file or directory")
                return 1
            how(source, target)
        return 0

    def _seq(self, words: Sequence[str]) -> int:
        numbers = [int(word) for word in words if _NUMBER.fullmatch(word)]
        first, step, last = {1: (1, 1, *numbers), 2: (numbers[0], 1, numbers[-1])}.get(len(numbers), (*numbers,))
        for number in range(first, last + 1, step):
            self.say(str(number))
        return 0


def _operands(words: Sequence[str]) -> list[str]:
    return [word for word in words if not word.startswith("-")]
