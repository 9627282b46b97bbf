"""What could not be decided, in few words: all rules of one reason together, and one reason for a missing half."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from components.model.findings import listing

if TYPE_CHECKING:
    from collections.abc import Iterable

    from components.model.places import Place
    from policies.objects.judging import NotChecked


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubt:
    """Rules that could not be decided for one reason."""

    rules: tuple[str, ...]
    """Their ids, in order."""
    place: Place | None
    """The value that is not known; None where whole kinds are missing."""
    reason: str
    """A clause that follows the place, or stands alone."""


def doubts(found: Iterable[NotChecked]) -> tuple[Doubt, ...]:
    """Rules that were not decided, by the reason; those that miss the same kind first are one group."""
    of_reason: dict[tuple[Place | None, str], list[NotChecked]] = {}
    for each in found:
        key = (None, each.lacks[0]) if each.lacks else (each.place, each.reason)
        of_reason.setdefault(key, []).append(each)
    return tuple(
        Doubt(rules=tuple(sorted({each.rule for each in alike})), place=alike[0].place, reason=_reason(alike))
        for alike in of_reason.values()
    )


def _reason(alike: list[NotChecked]) -> str:
    """What is missing, and who refers to it; else the reason that all give."""
    lacks = list(dict.fromkeys(kind for each in alike for kind in each.lacks))
    askers = list(dict.fromkeys(asker for each in alike for asker in each.askers))
    if not lacks:
        return alike[0].reason
    others = f" and {len(askers) - 1} more refer" if len(askers) > 1 else " refers"
    return f"{askers[0]}{others} to {listing(lacks, 'or')}, and there are none here"
