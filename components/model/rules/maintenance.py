"""Rules about when the cluster may be worked on: windows that recur, and times without upgrades."""

from __future__ import annotations

from bisect import bisect_left
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from operator import itemgetter
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from components.model.facts import kinds, maintenance
from components.model.facts.recurrence import DAYS, PARTS, Recurrence, RecurrenceError, parse
from components.model.findings import Finding, Severity, did_you_mean
from components.model.rule import Family, rule

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from components.model.plan import Plan
    from components.model.plan.cloud import MaintenanceExclusionPlan, MaintenanceWindowPlan

    Span = tuple[datetime, datetime]
    """From a moment to before another."""

FAMILY: Final = Family.GUARDRAILS

_MAINTENANCE: Final = "GKE API, MaintenanceWindow"
_PAGES: Final = 'GKE documentation "Maintenance windows and exclusions" and its how-to, read 2026-11'
_COUNTS: Final = timedelta(hours=maintenance.WINDOW_HOURS)
_NEEDED: Final = timedelta(hours=maintenance.HOURS)
_YEAR: Final = timedelta(days=366)
_LAST_YEAR: Final = 9000
"""Windows and exclusions after it are not counted; the calendar ends soon after."""
_WIDER: Final = (*(f"FREQ=WEEKLY;BYDAY={','.join(DAYS[first:])}" for first in (5, 4, 3, 2, 1)), "FREQ=DAILY")
"""Recurrences that open a window more and more often."""


@rule(
    summary="maintenance windows and exclusions end after they start",
    why="The API refuses them otherwise.",
    source=_MAINTENANCE,
    kinds=(kinds.CLUSTER,),
)
def _maintenance_ends_after_start(plan: Plan) -> Iterator[Finding]:
    windows = [] if plan.cluster.window is None else [plan.cluster.window]
    for span in (*windows, *plan.cluster.exclusions):
        if span.end <= span.start:
            yield Finding(
                place=span.place.at("end"),
                says=f"{span.end} is not after {span.start}.",
                remedy="Set a later moment.",
            )


@rule(
    summary="a maintenance window recurs by a rule",
    why="The API refuses anything else.",
    source=_MAINTENANCE,
    kinds=(kinds.CLUSTER,),
)
def _maintenance_recurs(plan: Plan) -> Iterator[Finding]:
    window = plan.cluster.window
    if window is None:
        return
    try:
        parse(window.recurrence)
    except RecurrenceError as error:
        why = f": {error.reason}" if error.reason else ""
        yield Finding(
            place=window.place.at("recurrence"),
            says=f"{window.recurrence} is not how a window recurs{why}.",
            remedy=f"{did_you_mean(error.part, PARTS)}Such as FREQ=DAILY, or FREQ=WEEKLY;BYDAY=SA,SU.",
        )


class _Windows(Struct, frozen=True):
    """When the cluster may be worked on."""

    first: Span
    closed: tuple[Span, ...]
    """Times without any upgrade."""

    def open(self, recurrence: Recurrence, begin: datetime, end: datetime) -> list[Span]:
        """The stretches from `begin` to `end` that count, which are long enough."""
        start, length = self.first[0], self.first[1] - self.first[0]
        pieces: list[Span] = []
        for opening in recurrence.starts(start, max(begin - length, start), end):
            if pieces and opening <= pieces[-1][1]:
                pieces[-1] = pieces[-1][0], max(pieces[-1][1], opening + length)
            else:
                pieces.append((opening, opening + length))
        for closed in self.closed:
            pieces = [rest for piece in pieces for rest in _without(piece, closed)]
        return [piece for piece in pieces if piece[1] - piece[0] >= _COUNTS]

    def least(self, recurrence: Recurrence, days: int) -> tuple[timedelta, datetime]:
        """The least time for maintenance in any period of so many days, and where one such period begins."""
        period = timedelta(days=days)
        found: list[tuple[timedelta, datetime]] = []
        for begin, end in self._critical(recurrence, period):
            pieces = self.open(recurrence, begin, end + period)
            moments = (begin, *(piece[1] for piece in pieces if piece[1] <= end))
            totals = [timedelta(), *accumulate(end - begin for begin, end in pieces)]
            found += [(_before(pieces, totals, at + period) - _before(pieces, totals, at), at) for at in moments]
        return min(found)

    def _critical(self, recurrence: Recurrence, period: timedelta) -> Iterator[Span]:
        """Stretches that contain the beginning of the period with the least time; other stretches repeat these."""
        start = self.first[0]
        yield start, start + _YEAR
        for begin, end in self.closed:
            if end > start:
                yield max(start, begin - period), min(end, begin + _YEAR)
        if recurrence.ends:
            last = recurrence.until or max(recurrence.starts(start, start, start + 50 * _YEAR), default=start)
            yield max(start, last - period), max(start, last) + period


def _without(piece: Span, closed: Span) -> Iterator[Span]:
    """The rest of a stretch."""
    if closed[0] >= piece[1] or closed[1] <= piece[0]:
        yield piece
        return
    if piece[0] < closed[0]:
        yield piece[0], closed[0]
    if closed[1] < piece[1]:
        yield closed[1], piece[1]


def _before(pieces: Sequence[Span], totals: Sequence[timedelta], moment: datetime) -> timedelta:
    """The time in stretches, in order, that is before a moment; `totals` has the time in the first n of them."""
    count = bisect_left(pieces, moment, key=itemgetter(0))
    return totals[count] - max(pieces[count - 1][1] - moment, timedelta()) if count else timedelta()


def _span(part: MaintenanceWindowPlan | MaintenanceExclusionPlan) -> Span | None:
    """None for one that does not end after it starts, or that is too far away to be counted."""
    start, end = (datetime.fromisoformat(text).astimezone(UTC) for text in (part.start, part.end))
    return (start, end) if start < end and end.year < _LAST_YEAR and start.year > 1 else None


@rule(
    summary="windows of four hours or more leave GKE 48 hours for maintenance in every 92 days",
    why="The API refuses a cluster with less. Older pages ask for 48 hours in 32 days, as the API did in 2025.",
    source=_PAGES,
    also_warns=True,
)
def _maintenance_has_time(plan: Plan) -> Iterator[Finding]:
    window = plan.cluster.window
    first = None if window is None else _span(window)
    if window is None or first is None:
        return
    if first[1] - first[0] < _COUNTS:
        yield Finding(
            place=window.place.at("end"),
            says=f"the window is {_hours(first[1] - first[0])} hours long; GKE counts windows of "
            f"{maintenance.WINDOW_HOURS} hours or more.",
            remedy=f"Set {_text(first[0] + _COUNTS)} or later.",
        )
        return
    try:
        recurrence = parse(window.recurrence)
    except RecurrenceError:
        return
    spans = [_span(each) for each in plan.cluster.exclusions if each.scope == maintenance.NO_UPGRADES]
    windows = _Windows(first, tuple(span for span in spans if span is not None))
    if recurrence.is_counted:
        yield from _too_little(windows, recurrence, window)


def _too_little(windows: _Windows, recurrence: Recurrence, window: MaintenanceWindowPlan) -> Iterator[Finding]:
    for days, severity in ((maintenance.DAYS, Severity.ERROR), (maintenance.DAYS_STRICT, Severity.WARNING)):
        least, begin = windows.least(recurrence, days)
        if least >= _NEEDED:
            continue
        wider = next((text for text in _WIDER if windows.least(parse(text), days)[0] >= _NEEDED), None)
        needs = "GKE needs" if severity is Severity.ERROR else "older pages of GKE's documentation ask for"
        yield Finding(
            place=window.place.at("recurrence"),
            says=f"the windows leave {_hours(least)} hours for maintenance in the {days} days from {begin:%Y-%m-%d}; "
            f"{needs} {maintenance.HOURS}.",
            remedy="Shorten the exclusions." if wider is None else f"Such as {wider}, or a longer window.",
            severity=severity,
        )
        return


def _hours(length: timedelta) -> str:
    return _number(length / timedelta(hours=1))


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def _text(moment: datetime) -> str:
    return f"{moment:%Y-%m-%dT%H:%M:%SZ}"


@rule(
    summary="maintenance exclusions stay within the number and the length that their scope allows",
    why="The API refuses more of them and longer ones. Older pages limit an exclusion of all upgrades to 30 days.",
    source=_PAGES,
    also_warns=True,
)
def _exclusions_have_limits(plan: Plan) -> Iterator[Finding]:
    of_all = 0
    for number, exclusion in enumerate(plan.cluster.exclusions, start=1):
        is_of_all = exclusion.scope == maintenance.NO_UPGRADES
        of_all += is_of_all
        if is_of_all and of_all == maintenance.EXCLUSIONS_OF_ALL + 1:
            yield Finding(
                place=exclusion.place.at("scope"),
                says=f"this is exclusion number {of_all} of scope {maintenance.NO_UPGRADES}; a cluster may have "
                f"{maintenance.EXCLUSIONS_OF_ALL}.",
                remedy="Set NO_MINOR_OR_NODE_UPGRADES, or remove an exclusion that is over.",
            )
        if number == maintenance.EXCLUSIONS + 1:
            yield Finding(
                place=exclusion.place,
                says=f"this is exclusion number {number}; a cluster may have {maintenance.EXCLUSIONS}.",
                remedy="Remove exclusions that are over.",
            )
        yield from _too_long(exclusion, plan.cluster.release_channel)


def _too_long(exclusion: MaintenanceExclusionPlan, channel: str | None) -> Iterator[Finding]:
    span = _span(exclusion)
    for days, severity, allows in _OF_ALL if exclusion.scope == maintenance.NO_UPGRADES else (_supported(channel),):
        if span is not None and span[1] - span[0] > timedelta(days=days):
            yield Finding(
                place=exclusion.place.at("end"),
                says=f"the exclusion is {_number((span[1] - span[0]) / timedelta(days=1))} days long; {allows}.",
                remedy=f"Set {_text(span[0] + timedelta(days=days))} or earlier.",
                severity=severity,
            )
            return


_OF_ALL: Final = (
    (maintenance.NO_UPGRADES_DAYS, Severity.ERROR, f"GKE allows {maintenance.NO_UPGRADES_DAYS}"),
    (
        maintenance.NO_UPGRADES_DAYS_STRICT,
        Severity.WARNING,
        f"older pages of GKE's documentation allow {maintenance.NO_UPGRADES_DAYS_STRICT}",
    ),
)
"""Days of an exclusion of all upgrades, how bad more of them are, and who allows how many."""


def _supported(channel: str | None) -> tuple[int, Severity, str]:
    """The same for exclusions that end with the support of a version."""
    days = maintenance.SUPPORT_DAYS.get(channel, maintenance.SUPPORT_DAYS_USUAL)
    return days, Severity.WARNING, f"it ends earlier: GKE supports a minor version for {days}"
