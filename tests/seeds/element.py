"""What a document holds: a flag of a command or a field of a manifest, with the line that it is on."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

import yaml

_NOT_ASCII: Final = re.compile(r"[^\x00-\x7f]+")


class DocumentError(Exception):
    """A document holds something that the extraction does not know; the text names the line."""


@dataclass(frozen=True, slots=True)
class Element:
    """One flag, field or column of a document."""

    line: int
    name: str
    value: object = None
    """What the document gives it, as YAML reads it; None where there is no single value."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a line without letters of the document's own language, which break off commands and manifests."""

    line: int
    text: str
    is_broken_off: bool
    """Whether words of the document's language follow on the same line."""
    is_after_words: bool
    """Whether such words stand before it on the same line."""


def pieces_of(text: str) -> list[Piece]:
    """The pieces of a document in their order."""
    pieces: list[Piece] = []
    for number, line in enumerate(text.splitlines(), 1):
        parts = _NOT_ASCII.split(line.replace("\u2026", "..."))
        for index, part in enumerate(parts):
            last = index == len(parts) - 1
            shown = part.rstrip().removesuffix("-") if not last else part
            pieces.append(Piece(number, shown, is_broken_off=not last, is_after_words=index > 0))
    return pieces


def scalar(text: str) -> object:
    """A value as YAML reads it; what is no YAML is its text."""
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError:
        return text
