"""Chip-hours by hour, team, queue and flavor, and the check that they add up.

In each hour, the chips of a flavor that Workloads hold and those that are idle are its capacity. Where Workloads hold
more than there is (quota is reserved before the nodes are there), the rest is `beyond` the capacity.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from tpu.chip_hours.spans import NO_FLAVOR, Lives, Part, Span, Where
from tpu.trace.lines import HOUR, SECOND, Begun, Capacity, Flavor, Line, OfWorkload, Trace, written

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from tpu.trace.reading import Remarks


_GAP: Final = 15 * 60 * SECOND
"""A recorder writes a line every ten minutes at least."""


class UnbalancedError(Exception):
    """The parts of an hour do not add up to its chips x time: a mistake of this program."""


class Key(NamedTuple):
    """What chip-time is counted by."""

    hour: int
    """Since the epoch."""
    part: Part
    team: str
    queue: str
    flavor: str
    resource: str


class Hour(NamedTuple):
    """An hour of a flavor."""

    hour: int
    flavor: str
    resource: str


@dataclass(slots=True)
class Ledger:
    """The chip-time of a record, in chip-milliseconds."""

    start: int
    end: int
    parts: Counter[Key] = field(default_factory=Counter["Key"])
    idle: Counter[Hour] = field(default_factory=Counter["Hour"])
    beyond: Counter[Hour] = field(default_factory=Counter["Hour"])
    capacity: Counter[Hour] = field(default_factory=Counter["Hour"])
    flavors: dict[str, Flavor] = field(default_factory=dict[str, "Flavor"])
    """The flavors as the record has them last."""
    steps: dict[Where, list[tuple[int, int]]] = field(default_factory=dict[Where, "list[tuple[int, int]]"])
    """By flavor and resource: from which moment on it has how many chips."""

    def by(self, name: str) -> dict[str, Counter[Part]]:
        """Chip-milliseconds by team, queue or flavor, and part, in the order of names."""
        found: defaultdict[str, Counter[Part]] = defaultdict(Counter)
        for key, time in self.parts.items():
            found[str(getattr(key, name))][key.part] += time
        return dict(sorted(found.items()))

    def of_flavor(self, hours: Counter[Hour], flavor: str) -> int:
        """The chip-milliseconds of one flavor."""
        return sum(time for hour, time in hours.items() if hour.flavor == flavor)


def ledger(
    lines: Iterable[Line],
    remarks: Remarks,
    *,
    since: int | None = None,
    until: int | None = None,
    keep: Callable[[Span], None] | None = None,
) -> Ledger:
    """The ledger of a record.

    Args:
        lines: the record.
        remarks: what to know of it.
        since: the first moment that counts; that of the record where it begins later.
        until: the last moment that counts; None is the last moment of the record.
        keep: called with each span of the time that counts, such as for a picture.

    Raises:
        UnbalancedError: the parts do not add up.
    """
    made = Ledger(0, 0)
    steps: defaultdict[Where, Counter[int]] = defaultdict(Counter)
    for whole in _spans(made, lines, remarks, until):
        for span in _within(whole, made.start if since is None else max(made.start, since), until):
            if keep is not None:
                keep(span)
            _count(made, span)
            if span.part is not Part.WAITING:
                steps[span.flavor, span.resource][span.start] += span.chips
                steps[span.flavor, span.resource][span.end] -= span.chips
    made.end = made.end if until is None else until
    made.start = min(made.end, made.start if since is None else max(made.start, since))
    for where in sorted(made.steps.keys() | steps.keys()):
        _sweep(made, where, steps[where], made.steps.get(where, []))
    _check(made)
    return made


def _spans(made: Ledger, lines: Iterable[Line], remarks: Remarks, until: int | None) -> Iterator[Span]:
    """The spans of all Workloads, those that go on as far as `until` or the last moment of the record.

    The ledger gets the moments of the record, and the capacity.
    """
    lives = Lives(remarks)
    for line in lines:
        if isinstance(line, Begun) and line.at - made.end > _GAP:
            remarks.note("gap", "nobody recorded for more than 15 minutes; evictions in it may be missing")
        made.end = max(made.end, line.at)
        if isinstance(line, Trace):
            made.start = line.at
        elif isinstance(line, Capacity):
            _take_capacity(made, line)
        elif isinstance(line, OfWorkload):
            yield from lives.take(line)
    yield from lives.rest(made.end if until is None else until)


def _take_capacity(made: Ledger, line: Capacity) -> None:
    amounts: Counter[Where] = Counter()
    for flavor in line.flavors:
        made.flavors[flavor.name] = flavor
        chips = flavor.quota if flavor.nodes is None else flavor.nodes
        amounts.update({(flavor.name, resource): count for resource, count in chips.items()})
    for where in sorted(made.steps.keys() | amounts):
        made.steps.setdefault(where, []).append((line.at, amounts[where]))


def _within(span: Span, start: int, end: int | None) -> Iterator[Span]:
    """The part of a span in the time that counts, cut at each full hour."""
    begin, stop = max(span.start, start), span.end if end is None else min(span.end, end)
    while begin < stop:
        cut = min(stop, (begin // HOUR + 1) * HOUR)
        yield Span(begin, cut, span.part, span.owner, span.flavor, span.resource, span.chips)
        begin = cut


def _count(made: Ledger, span: Span) -> None:
    owner, hour = span.owner, span.start // HOUR
    key = Key(hour, span.part, owner.team, owner.queue, span.flavor, span.resource)
    made.parts[key] += span.chips * (span.end - span.start)


def _sweep(made: Ledger, where: Where, held: Counter[int], steps: list[tuple[int, int]]) -> None:
    """Idle chips, and those beyond the capacity: from moment to moment, what is held and what is there."""
    steps = sorted(steps, key=lambda step: step[0])
    moments = [step[0] for step in steps]
    hours = range((made.start // HOUR + 1) * HOUR, made.end, HOUR)
    cuts = sorted({made.start, made.end, *hours, *held, *(at for at in moments if made.start < at < made.end)})
    now = 0
    for begin, stop in pairwise(cuts):
        now += held[begin]
        index = bisect_right(moments, begin) - 1
        there, hour = steps[index][1] if index >= 0 else 0, Hour(begin // HOUR, *where)
        time = stop - begin
        made.capacity[hour] += there * time
        made.idle[hour] += max(0, there - now) * time
        made.beyond[hour] += max(0, now - there) * time


def _check(made: Ledger) -> None:
    """The parts of each hour of each flavor are its chips x time.

    Raises:
        UnbalancedError: they are not.
    """
    held: Counter[Hour] = Counter()
    for key, time in made.parts.items():
        if key.part is not Part.WAITING:
            held[Hour(key.hour, key.flavor, key.resource)] += time
    for hour in sorted(held.keys() | made.capacity.keys()):
        parts, there = held[hour] + made.idle[hour], made.capacity[hour] + made.beyond[hour]
        if parts != there or hour.flavor == NO_FLAVOR:
            raise UnbalancedError(
                f"flavor {hour.flavor}, {hour.resource}, the hour from {written(hour.hour * HOUR)}: used, reserved, "
                f"lost and idle are {parts} chip-milliseconds; chips x time are {there}. This is a mistake of tpu "
                "usage: please report it with the record."
            )
