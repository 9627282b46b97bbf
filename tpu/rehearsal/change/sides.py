"""The results of a week on one platform: waiting, evictions and starts by team, chip-hours by flavor."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tpu.chip_hours.ledger import ledger
from tpu.chip_hours.summary import FlavorRow, summary
from tpu.pictures.sketch import Sketch
from tpu.trace.capacity import capacity_of
from tpu.trace.lines import (
    SECOND,
    Admitted,
    Assignment,
    Capacity,
    Evicted,
    Finished,
    Paused,
    Ready,
    Released,
    Reserved,
    Seen,
    Trace,
)
from tpu.trace.reading import Remarks
from tpu.trace.requests import ACCELERATORS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tpu.rehearsal.change.settings import Setting
    from tpu.rehearsal.change.week import Week
    from tpu.rehearsal.running import Decision, Outcome
    from tpu.trace.lines import Line

MEDIAN: Final = 0.5
MOST: Final = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class Team:
    """The course of the jobs of a team."""

    jobs: int
    median: int | None
    """Seconds from its creation until its pods run, within which half of the jobs that wait start; None if fewer do."""
    most: int | None
    """The same for 95 of 100 jobs."""
    evictions: int
    never: int
    """Jobs that do not start before the end of the record."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """The week on one platform."""

    setting: Setting
    outcome: Outcome
    teams: dict[str, Team]
    flavors: dict[str, FlavorRow]
    sketch: Sketch
    capacity: Counter[int]
    """How many chips more there are from a moment on, in milliseconds since the epoch."""


def side_of(week: Week, setting: Setting, outcome: Outcome, left_out: frozenset[str]) -> Side:
    """The figures of an outcome; jobs in `left_out` count nowhere."""
    sketch = Sketch()
    spent = ledger(lines_of(week, setting, outcome), Remarks(), keep=sketch.keep)
    rows = summary(spent, lambda _flavor: None, None).flavors
    chips = sum(count for steps in spent.steps.values() for _, count in steps)
    return Side(
        setting=setting,
        outcome=outcome,
        teams=_teams(week, setting, outcome, left_out),
        flavors={each.name: each for each in rows},
        sketch=sketch,
        capacity=Counter({week.start: chips}),
    )


def _teams(week: Week, setting: Setting, outcome: Outcome, left_out: frozenset[str]) -> dict[str, Team]:
    starts: dict[str, int] = {}
    for each in outcome.decisions:
        if each.event == "started":
            starts.setdefault(each.workload, each.at)
    evictions = Counter(each.workload for each in outcome.decisions if each.event == "evicted")
    found: dict[str, list[str]] = {}
    for name, job in week.jobs.items():
        if name not in left_out:
            found.setdefault(job.asked.team, []).append(name)
    made: dict[str, Team] = {}
    for team, names in sorted(found.items()):
        waits = [_wait(week, name, starts) for name in names if name not in setting.held]
        made[team] = Team(
            jobs=len(names),
            median=quantile(waits, MEDIAN),
            most=quantile(waits, MOST),
            evictions=sum(evictions[name] for name in names),
            never=sum(wait == math.inf for wait in waits),
        )
    return made


def _wait(week: Week, name: str, starts: dict[str, int]) -> float:
    return starts[name] - week.at(week.jobs[name].asked.at) if name in starts else math.inf


def quantile(waits: Sequence[float], share: float) -> int | None:
    """The shortest time within which a share of the waits is over; None where it never is, or there are no waits.

    >>> quantile([60, 10, math.inf], 0.5), quantile([60, 10, math.inf], 0.95), quantile([], 0.5)
    (60, None, None)
    """
    if not waits:
        return None
    found = sorted(waits)[math.ceil(share * len(waits)) - 1]
    return None if found == math.inf else int(found)


def lines_of(week: Week, setting: Setting, outcome: Outcome) -> Iterator[Line]:
    """The outcome as a record, so that chip-hours and pictures come of it as of every other."""
    flavors, queues = (
        [each for each in setting.rehearsal.objects if each["kind"] == kind]
        for kind in ("ResourceFlavor", "ClusterQueue")
    )
    yield Trace(at=week.start, made="rehearsed")
    yield Capacity(at=week.start, flavors=capacity_of(flavors, queues, None))
    reserved: set[str] = set()
    for each in outcome.decisions:
        at, uid = max(0, week.start + each.at * SECOND), each.workload
        if each.event in ("reserved", "admitted") and uid not in reserved:
            reserved.add(uid)
            yield Reserved(at=at, uid=uid, cluster_queue=each.queue, pod_sets=_assignments(each.usage or {}))
        elif each.event == "released":
            reserved.discard(uid)
        yield from _line(week, each, at)
        if each.event == "admitted" and uid in setting.held and each.at <= 0:  # its pods run since then
            yield Ready(at=at, uid=uid)
    yield Seen(at=week.end)


def _line(week: Week, made: Decision, at: int) -> Iterator[Line]:
    """The line of a decision that says more than where the Workload has quota."""
    uid = made.workload
    match made.event:
        case "admitted":
            yield Admitted(at=at, uid=uid)
        case "queued":
            yield week.jobs[uid].asked.model_copy(update={"uid": uid, "cluster_queue": made.queue})
        case "started":
            yield Ready(at=at, uid=uid)
        case "evicted":
            yield Evicted(at=at, uid=uid, reason=made.reason)
        case "released":
            yield Released(at=at, uid=uid)
        case "deactivated":
            yield Paused(at=at, uid=uid)
        case "finished":
            yield Finished(at=at, uid=uid, reason="Succeeded")
        case _:
            pass


def _assignments(usage: dict[str, dict[str, int]]) -> tuple[Assignment, ...]:
    """One for each flavor: what matters are its chips."""
    return tuple(
        Assignment(
            name=flavor,
            count=1,
            flavors={name: flavor for name in amounts if name in ACCELERATORS},
            usage={name: str(amount) for name, amount in amounts.items() if name in ACCELERATORS},
        )
        for flavor, amounts in sorted(usage.items())
    )
