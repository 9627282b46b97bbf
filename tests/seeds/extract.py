"""Reads a tutorial and lists, line by line, the flags and fields that it holds."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from typing import TYPE_CHECKING, Final

from tests.seeds.commands import CommandReader
from tests.seeds.element import Element, pieces_of
from tests.seeds.manifests import ManifestReader
from tests.seeds.shapes import KNOWN

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.seeds.element import Piece

_COLUMNS: Final = re.compile(r"\bNAME(?:\s+[A-Z]+)+\b(?![-:=])")
_SHOWN_FIELD: Final = re.compile(r"\b(?P<name>[A-Z][A-Z_]{2,}): (?P<value>\S+)")
_PATH: Final = re.compile(r"(?<!\w)\.?(?P<path>spec(?:\.[A-Za-z]+(?:\[\])?)+)")
_CAMEL: Final = re.compile(r"[a-z]+[A-Z]")
_NAMED_FIELDS: Final = (*sorted(name for name in KNOWN if _CAMEL.match(name)), "flexStart")
"""Fields that prose may speak of and that no other word looks like."""


def fingerprint(document: bytes) -> str:
    """The sha256 of a document, in hexadecimal."""
    return hashlib.sha256(document).hexdigest()


def elements_of(text: str) -> list[Element]:
    """Every flag, field and column of a document, by line; what occurs again on a line has a number behind it.

    A field that only opens a mapping or a list has no value and is none of them.

    Raises:
        DocumentError: a manifest in it holds something unknown.
    """
    manifests, commands, others = ManifestReader(), CommandReader(), list[Element]()
    for piece in pieces_of(text):
        if not manifests.take(piece) and not commands.take(piece):
            others.extend(_shown(piece))
    manifests.end()
    found = sorted([*manifests.found, *commands.found, *others], key=lambda each: each.line)
    return list(_numbered(found))


def index_of(text: str) -> dict[int, list[str]]:
    """The names of the elements on each line that has some."""
    lines: dict[int, list[str]] = {}
    for each in elements_of(text):
        lines.setdefault(each.line, []).append(each.name)
    return lines


def documents_in(folder: Path) -> dict[str, bytes]:
    """The tutorials in a folder by the number that their names begin with.

    Raises:
        OSError: the folder cannot be read.
    """
    return {path.name.partition("_")[0]: path.read_bytes() for path in sorted(folder.glob("[0-9]*_*.txt"))}


def _shown(piece: Piece) -> Iterator[Element]:
    """What a piece of prose or of an output shows."""
    for each in _COLUMNS.finditer(piece.text):
        yield Element(piece.line, "columns", " ".join(each[0].split()))
    for each in () if piece.is_after_words or piece.is_broken_off else _SHOWN_FIELD.finditer(piece.text):
        yield Element(piece.line, f"output {each['name']}", each["value"])
    for each in _PATH.finditer(piece.text):
        yield Element(piece.line, f"mention of .{each['path']}")
    if piece.is_after_words or piece.is_broken_off:
        yield from (
            Element(piece.line, f"mention of {name}")
            for name in _NAMED_FIELDS
            if re.search(rf"(?<![\w.]){name}", piece.text)
        )


def _numbered(found: list[Element]) -> Iterator[Element]:
    seen: Counter[tuple[int, str]] = Counter()
    for each in found:
        seen[each.line, each.name] += 1
        count = seen[each.line, each.name]
        yield each if count == 1 else Element(each.line, f"{each.name} ({count})", each.value)
