"""A finding: what is wrong in a stack file or an object, where, why, and what would be valid.

A finding has no line and no column: `stack_file/report.py` looks its place up in the text of the file, if there is one.
"""

from __future__ import annotations

import difflib
from enum import Enum
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from components.model.places import Place


class Severity(Enum):
    """Whether a finding stops the program; the worst first."""

    ERROR = "error"
    WARNING = "warning"
    ADVICE = "advice"
    """About what works: shown to those who ask for it (`tpu lint --severity advice`)."""

    @property
    def noun(self) -> str:
        """The name of one finding of this severity."""
        return "note of advice" if self is Severity.ADVICE else self.value

    @property
    def reach(self) -> tuple[Severity, ...]:
        """This severity and the worse ones."""
        every = tuple(Severity)
        return every[: every.index(self) + 1]


class Finding(Struct, frozen=True, kw_only=True):
    """One thing that is wrong, or worth a warning."""

    place: Place
    says: str
    """The value found and the fact it breaks: one sentence or two."""
    remedy: str
    """The valid value, computed where it can be."""
    severity: Severity = Severity.ERROR
    """Filled in by the rule, unless the rule states that it also warns."""
    is_about_key: bool = False
    """Whether the key of the place is meant rather than its value."""
    rule: str = ""
    """Id of the rule; filled in by it."""
    source: str = ""
    """Where the fact is from; filled in by the rule."""


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that `word` is probably a misspelling of, in whatever case; None when none is like it."""
    spelt = {each.casefold(): each for each in known}
    return next((spelt[near] for near in difflib.get_close_matches(word.casefold(), spelt, n=1, cutoff=0.75)), None)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A question that offers the nearest known word, with a space after it; empty when none is like it.

    >>> did_you_mean("clutser", ["network", "cluster"])
    'Did you mean cluster? '
    """
    meant = nearest(word, known)
    return "" if meant is None else f"Did you mean {meant}? "


def counted(number: int, word: str) -> str:
    """A number of things.

    >>> counted(1, "node"), counted(2, "node"), counted(0, "node")
    ('1 node', '2 nodes', 'no nodes')
    >>> counted(2, "note of advice")
    '2 notes of advice'
    """
    head, blank, rest = word.partition(" of ")
    return f"{'no' if number == 0 else number} {head}{'' if number == 1 else 's'}{blank}{rest}"


def listing(words: Collection[str], last: str = "and") -> str:
    """Words as prose; `none` for no words.

    >>> listing(["a", "b", "c"]), listing(["a"], "or"), listing([])
    ('a, b and c', 'a', 'none')
    """
    if not words:
        return "none"
    *head, tail = words
    return f"{', '.join(head)} {last} {tail}" if head else tail


def unlisted(place: Place, what: str, name: str, known: Collection[str], heading: str) -> Finding:
    """The finding that nothing of a kind has the name at the place; its remedy lists the names that are known."""
    says, remedy = f"no {what} is named {name}.", f"{did_you_mean(name, known)}{heading}: {listing(known)}."
    return Finding(place=place, says=says, remedy=remedy)


def about_key(
    *, place: Place, says: str, remedy: str = "Remove the key.", severity: Severity = Severity.ERROR
) -> Finding:
    """A finding that means the key at its place rather than the value."""
    return Finding(place=place, says=says, remedy=remedy, severity=severity, is_about_key=True)
