"""Doubts in few words: all rules of one reason together, and one reason for a missing half."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from components.model.findings import listing

if TYPE_CHECKING:
    from collections.abc import Iterable

    from components.model.places import Place
    from policies.objects.judging import NotChecked


class Doubt(Struct, frozen=True, kw_only=True):
    """Rules that could not be decided for one reason."""

    rules: tuple[str, ...]
    """Their ids, in order."""
    place: Place | None
    """The value that is not known; None where whole kinds are missing."""
    reason: str
    """A clause that follows the place, or stands alone."""
    lacks: tuple[str, ...] = ()
    """The kinds that are missing, as people call them."""


def doubts(found: Iterable[NotChecked], *, is_grouped: bool = False) -> tuple[Doubt, ...]:
    """Rules that were not decided, by the reason; those that miss the same kind first are one group.

    `is_grouped`: whether objects were checked with those beside them alone, so that others may be elsewhere.
    """
    of_reason: dict[tuple[Place | None, str], list[NotChecked]] = {}
    for each in found:
        key = (None, each.lacks[0]) if each.lacks else (each.place, each.reason)
        of_reason.setdefault(key, []).append(each)
    return tuple(_doubt(alike, is_grouped=is_grouped) for alike in of_reason.values())


def _doubt(alike: list[NotChecked], *, is_grouped: bool) -> Doubt:
    lacks = tuple(dict.fromkeys(kind for each in alike for kind in each.lacks))
    rules = tuple(sorted({each.rule for each in alike}))
    return Doubt(rules=rules, place=alike[0].place, reason=_reason(alike, lacks, is_grouped=is_grouped), lacks=lacks)


def _reason(alike: list[NotChecked], lacks: tuple[str, ...], *, is_grouped: bool) -> str:
    """The kind that is missing, and who refers to it; else the reason that all give."""
    referrers = list(dict.fromkeys(referrer for each in alike for referrer in each.referrers))
    if not lacks:
        return alike[0].reason
    is_one = len(referrers) == 1
    others = " refers" if is_one else f" and {len(referrers) - 1} more refer"
    where = f"beside {'it' if is_one else 'them'}" if is_grouped else "here"
    return f"{referrers[0]}{others} to {listing(lacks, 'or')}, and there are none {where}"
