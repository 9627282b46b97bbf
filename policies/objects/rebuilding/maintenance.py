"""When a cluster may be worked on and when not, as the chip ledger has it.

Only moments in UTC are taken, for those are in the order of their texts; spans that are written with another offset
are left out, and so are exclusions that end with the support of a version.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from components.model.plan.cloud import MaintenanceExclusionPlan, MaintenanceWindowPlan

if TYPE_CHECKING:
    from collections.abc import Iterator

    from policies.objects.values import Part
    from policies.objects.world import Object

_UTC: Final = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z")
_POLICY: Final = "maintenancePolicy"


def window(each: Object) -> MaintenanceWindowPlan | None:
    """The window that recurs; None where none is stated."""
    stated = each.part(_POLICY, "recurringWindow")
    span = None if stated is None else _span(stated)
    if stated is None or span is None:
        return None
    return MaintenanceWindowPlan(
        place=stated.place.called(end=("endTime",)),
        start=span[0],
        end=span[1],
        recurrence=stated.string("recurrence"),
    )


def exclusions(each: Object) -> Iterator[MaintenanceExclusionPlan]:
    """Spans in which nothing is done."""
    for stated in each.parts(_POLICY, "maintenanceExclusions"):
        span = _span(stated)
        if span is not None:
            yield MaintenanceExclusionPlan(
                place=stated.place.called(end=("endTime",)),
                name=stated.string("exclusionName"),
                start=span[0],
                end=span[1],
                scope=stated.string("exclusionOptions", "scope"),
            )


def _span(stated: Part) -> tuple[str, str] | None:
    start, end = stated.string("startTime"), stated.string("endTime")
    return (start, end) if _UTC.fullmatch(start) and _UTC.fullmatch(end) else None
