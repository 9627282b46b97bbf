"""Finds the commands in a document, in prose too, and names each flag by its command."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from tests.seeds.element import Element, scalar

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.seeds.element import Piece

_PROGRAM: Final = re.compile(
    r"(?<![\w/.-])(?:gcloud|kubectl|watch|git|sed|sh|cd)(?= +[a-z\-.\"])"
    r"|(?<![\w/.-])\./\w+\.sh(?= )"
    r"|(?<=^\.)(?:watch|kubectl|sed)(?= )"  # at the end of a sentence
)
_VERBS: Final = ("create", "create-auto", "delete", "describe", "list", "set", "update", "get-credentials", "apply")
_KUBECTL_VERBS: Final = ("apply", "create", "delete", "describe", "exec", "get", "logs")
_SWITCHES: Final = frozenset(
    ("--enable-autoscaling", "--flex-start", "--no-enable-autorepair", "--server-side", "--stdin", "--tty")
)
"""Flags that take no value."""
_PAIRS: Final = re.compile(r"\w+=[^,]+(?:,\w+=[^,]+)*")
_ASSIGNMENT: Final = re.compile(r"\s*(?P<name>[A-Z]+)=(?P<value>\S+)\s*")
_FLAG: Final = re.compile(r"(?<![\w-])--[a-z]+(?:-[a-z]+)*(?:=(?P<value>[\w.-]+))?")


@dataclass(slots=True)
class _Command:
    """One command with the words that follow it, each with its line."""

    words: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])


class CommandReader:
    """Reads pieces one after the other and keeps the commands among them."""

    def __init__(self) -> None:
        self._continues = False
        self._commands: list[_Command] = []
        self._loose: list[Element] = []

    @property
    def found(self) -> list[Element]:
        """Every command, flag and assignment, by line."""
        return [*self._loose, *(each for command in self._commands for each in _elements(command))]

    def take(self, piece: Piece) -> bool:
        """Read a piece; whether it holds a command or a flag."""
        text = piece.text
        continued, self._continues = self._continues, text.rstrip().endswith("\\") and not piece.is_broken_off
        if assigned := _ASSIGNMENT.fullmatch(text):
            self._loose.append(Element(piece.line, assigned["name"], scalar(assigned["value"])))
            self._continues = False
            return True
        starts = [each.start() for each in _PROGRAM.finditer(text)]
        before = text[: starts[0]] if starts else text
        if continued:
            self._commands[-1].words.extend((piece.line, word) for word in _split(before))
        else:
            self._flags_in_prose(piece.line, before)
            self._continues = self._continues and bool(starts)
        for start, end in pairwise([*starts, len(text)]):
            self._commands.append(_Command([(piece.line, word) for word in _split(text[start:end])]))
        return bool(starts) or continued

    def _flags_in_prose(self, line: int, text: str) -> None:
        """Flags that are spoken of; one that is also shown with its value is named once."""
        values: dict[str, str | None] = {}
        for each in _FLAG.finditer(text):
            name = each[0].partition("=")[0]
            values[name] = values.get(name) if each["value"] is None else each["value"]
        for name, value in values.items():
            self._loose.append(Element(line, name, None if value is None else scalar(value)))


def _split(text: str) -> list[str]:
    return shlex.split(re.sub(r"\\(?=\s|$)", " ", text).strip().rstrip("-").rstrip())


def _elements(command: _Command) -> Iterator[Element]:
    """The command with what it acts on, then each flag with its value."""
    (line, program), *rest = command.words
    flags, others = _sorted_words(rest)
    name, objects = _name(program, others)
    yield Element(line, name, scalar(" ".join(word for _, word in objects)) if objects else None)
    for at, flag, value in flags:
        if value is not None and _PAIRS.fullmatch(value):
            for pair in value.split(","):
                key, _, given = pair.partition("=")
                yield Element(at, f"{name} {flag}.{key}", scalar(given))
        else:
            yield Element(at, f"{name} {flag}", None if value is None else scalar(value))


def _sorted_words(words: list[tuple[int, str]]) -> tuple[list[tuple[int, str, str | None]], list[tuple[int, str]]]:
    """Flags with their values, and the other words."""
    flags: list[tuple[int, str, str | None]] = []
    others: list[tuple[int, str]] = []
    waiting = list(words)
    while waiting:
        line, word = waiting.pop(0)
        if word == "--":
            flags.append((line, word, " ".join(each for _, each in waiting)))
            break
        if not word.startswith("-"):
            others.append((line, word))
            continue
        flag, equals, value = word.partition("=")
        if not equals and flag not in _SWITCHES and waiting:
            value = waiting.pop(0)[1]
        flags.append((line, flag, None if flag in _SWITCHES else value))
    return flags, others


def _name(program: str, words: list[tuple[int, str]]) -> tuple[str, list[tuple[int, str]]]:
    """The command's name down to its verb, and what it acts on."""
    verbs = {"gcloud": _VERBS, "kubectl": _KUBECTL_VERBS, "git": ("clone",)}.get(program, ())
    for index, (_, word) in enumerate(words):
        if word in verbs:
            return " ".join((program, *(each for _, each in words[: index + 1]))), words[index + 1 :]
    return program, words
