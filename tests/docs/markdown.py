"""What a Markdown file of this project points to, and what others may point to in it, as GitHub reads it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_FENCE = re.compile(r"\s*(```+|~~~+)")
_CODE = re.compile(r"(`+)(.+?)\1")
_HEADING = re.compile(r"#{1,6}\s+(.*?)\s*#*\s*")
_LINK = re.compile(r"\[((?:[^\[\]]|\[[^\]]*\])*)\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)")
_DEFINITION = re.compile(r"\s{0,3}\[[^\]]+\]:\s*(\S+)")
_ATTRIBUTE = re.compile(r"<(?:a|img|source)\b[^>]*?\b(?:href|src|srcset)=\"([^\"]+)\"")
_ANCHOR = re.compile(r"<a\b[^>]*?\b(?:id|name)=\"([^\"]+)\"")
_DROPPED: Final = re.compile(r"[^\w\- ]")
"""What GitHub leaves out of a heading's anchor."""


@dataclass(frozen=True)
class Page:
    """A Markdown file."""

    path: Path
    text: str

    @classmethod
    def read(cls, path: Path) -> Page:
        """The page in a file."""
        return cls(path, path.read_text(encoding="utf-8"))

    @cached_property
    def prose(self) -> list[tuple[int, str]]:
        """Its lines outside of fenced blocks, each with its number."""
        kept: list[tuple[int, str]] = []
        fence = ""
        for number, line in enumerate(self.text.splitlines(), 1):
            mark = _FENCE.match(line)
            if mark is None:
                kept += [] if fence else [(number, line)]
            elif not fence:
                fence = mark[1]
            elif mark[1].startswith(fence):
                fence = ""
        return kept

    def links(self) -> Iterator[tuple[int, str]]:
        """Where it points to, images included, each with its line."""
        for number, line in self.prose:
            bare = _CODE.sub("", line)
            targets = [found[2] for found in _LINK.finditer(bare)]
            nested = [found[2] for outer in _LINK.finditer(bare) for found in _LINK.finditer(outer[1])]
            named = [found[1] for found in chain(_DEFINITION.finditer(bare), _ATTRIBUTE.finditer(bare))]
            yield from ((number, target) for target in (*targets, *nested, *named))

    def code(self) -> Iterator[tuple[int, str]]:
        """What stands in backticks, each with its line."""
        for number, line in self.prose:
            yield from ((number, found[2].strip()) for found in _CODE.finditer(line))

    @cached_property
    def anchors(self) -> frozenset[str]:
        """What can follow the # in a link to it."""
        found: set[str] = set()
        for _, line in self.prose:
            heading = _HEADING.fullmatch(line)
            if heading is not None:
                found.add(_numbered(anchor(heading[1]), found))
            found |= {each[1] for each in _ANCHOR.finditer(line)}
        return frozenset(found)


def anchor(heading: str) -> str:
    """The anchor of a heading, if none before it has the same."""
    text = re.sub(r"[`*]", "", _LINK.sub(r"\1", heading))
    return _DROPPED.sub("", text.lower()).replace(" ", "-")


def _numbered(name: str, taken: set[str]) -> str:
    names = chain([name], (f"{name}-{number}" for number in range(1, len(taken) + 2)))
    return next(each for each in names if each not in taken)
