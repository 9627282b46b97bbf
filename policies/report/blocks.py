"""A page as its parts, whatever it is written in. Every text may come from anybody; the writers make it harmless."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Final

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Sequence


class Tone(Enum):
    """How a reader should take something."""

    PLAIN = "plain"
    NAME = "name"
    """A name or value, to be shown as it is."""
    STRONG = "strong"
    GOOD = "good"
    WARNING = "warning"
    BAD = "bad"
    DIM = "dim"
    MORE = "more"
    """A figure that rises."""
    LESS = "less"
    """A figure that falls."""


class Span(Struct, frozen=True):
    """A stretch of text."""

    text: str
    tone: Tone = Tone.PLAIN


Line = tuple[Span, ...]


class Verdict(Struct, frozen=True):
    """The verdict of the page, with the facts to know first."""

    tone: Tone
    title: str
    lines: tuple[Line, ...] = ()


class Paragraph(Struct, frozen=True):
    """Prose."""

    line: Line


class Bullets(Struct, frozen=True):
    """A list."""

    lines: tuple[Line, ...]


class Table(Struct, frozen=True):
    """Rows of cells; numbers stand in the columns of `right`."""

    header: tuple[str, ...]
    rows: tuple[tuple[Line, ...], ...]
    right: tuple[int, ...] = ()


class Verbatim(Struct, frozen=True):
    """Text whose lines and spaces mean something."""

    text: str
    language: str = ""


class Folded(Struct, frozen=True):
    """Parts that are shown when somebody asks for them."""

    title: str
    blocks: tuple[Block, ...]


class Group(Struct, frozen=True):
    """Parts that belong together under one heading, and may stand beside others."""

    title: str
    blocks: tuple[Block, ...]
    tone: Tone = Tone.PLAIN
    is_wide: bool = False
    """Whether it takes the whole width, where there is room for two."""
    is_needed: bool = False
    """Whether a shortened page keeps it whole as long as anything else can be shortened."""


Block = Verdict | Paragraph | Bullets | Table | Verbatim | Folded | Group


LISTED: Final = 6
"""Things that a line names; there is a table for the rest."""


class Page(Struct, frozen=True):
    """A whole page."""

    title: str
    blocks: tuple[Block, ...]


def plain(*texts: str) -> Line:
    """A line in which every second text is a name: plain, name, plain.

    >>> [span.tone.value for span in plain("pool ", "v5e", " is deleted")]
    ['plain', 'name', 'plain']
    """
    return tuple(Span(text, Tone.NAME if index % 2 else Tone.PLAIN) for index, text in enumerate(texts) if text)


def listed(names: Sequence[str], most: int = LISTED) -> Line:
    """Names as one line: the first ones, and how many more there are."""
    shown = [part for name in names[:most] for part in (", ", name)]
    return plain("", *shown[1:], f" and {len(names) - most} more" if len(names) > most else "")


def tone_of(rises: bool | None) -> Tone:  # noqa: FBT001  a third of a scale
    """How a figure is shown that rises, falls, or does neither."""
    return Tone.PLAIN if rises is None else Tone.MORE if rises else Tone.LESS
