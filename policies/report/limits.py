"""How much of everything is written out; the rest is counted, and said to be left out."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final, TypeVar

from msgspec import Struct

from components.model.findings import listing

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_Item = TypeVar("_Item")


class Limits(Struct, frozen=True, kw_only=True):
    """How much is written out."""

    rows: int
    """Of a table or list."""
    text: int
    """Characters of one message or name."""
    diff: int
    """Lines of changed properties."""

    def kept(self, items: Sequence[_Item]) -> Sequence[_Item]:
        """What is written out of a list."""
        return items[: self.rows]

    def shown(self, text: str) -> str:
        """A text that is not too long; what is left of a longer one says how long it is."""
        return text if len(text) <= self.text else f"{text[: self.text].rstrip()}... ({len(text)} characters)"


LEVELS: Final = (
    Limits(rows=200, text=2000, diff=3000),
    Limits(rows=60, text=1000, diff=600),
    Limits(rows=30, text=500, diff=200),
    Limits(rows=15, text=250, diff=50),
    Limits(rows=8, text=120, diff=0),
    Limits(rows=3, text=80, diff=0),
)
"""From everything that somebody may want to read to what every report must contain."""


def left_out(kinds: Iterable[str]) -> str:
    """What a list leaves out, by kind; empty where it leaves out nothing.

    >>> left_out(["NodePools", "Jobs", "NodePools"])
    'and 3 more: 2 NodePools and 1 Jobs'
    """
    counts = Counter(kinds)
    most = sorted(counts.items(), key=lambda each: (-each[1], each[0]))
    named = [f"{count} {kind}" for kind, count in most[:_NAMED]]
    rest = [f"{sum(count for _, count in most[_NAMED:])} others"] if len(most) > _NAMED else []
    return f"and {counts.total()} more: {listing([*named, *rest])}" if counts else ""


_NAMED: Final = 6
"""Kinds that are named."""
