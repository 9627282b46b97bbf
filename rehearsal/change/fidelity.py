"""How well a rehearsal repeats the record from which it was made."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rehearsal.change.sides import MEDIAN, MOST, quantile

if TYPE_CHECKING:
    from rehearsal.change.settings import Setting
    from rehearsal.change.week import Week
    from rehearsal.decisions import Decision, Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Fidelity:
    """The rehearsal with the stack before the change, compared with the record."""

    jobs: int
    """Jobs that are in both, without those that have quota at the start."""
    admitted: int
    """Jobs that both admit."""
    same_flavors: int
    """Of these, jobs whose first admission is in the same flavors."""
    only_recorded: int
    """Jobs that only the record admits."""
    only_rehearsed: int
    same_evictions: int
    """Jobs that both evict equally often."""
    median: int | None
    """Seconds between the two first admissions of a job that both admit, whichever is earlier."""
    most: int | None
    """The same for 95 of 100 jobs."""


def fidelity_of(week: Week, setting: Setting, outcome: Outcome) -> Fidelity:
    """The comparison of an outcome with the record."""
    first: dict[str, Decision] = {}
    for each in outcome.decisions:
        if each.event == "admitted":
            first.setdefault(each.workload, each)
    evictions = Counter(each.workload for each in outcome.decisions if each.event == "evicted")
    compared = [name for name in week.jobs if name not in setting.absent | setting.held]
    jobs = {name: [stay for stay in week.jobs[name].stays if stay.reserved > week.start] for name in compared}
    recorded = {name: stay for name, stays in jobs.items() for stay in reversed(stays) if stay.admitted is not None}
    both = recorded.keys() & first.keys()
    apart = [abs(first[name].at - week.at(recorded[name].admitted or 0)) for name in both]
    return Fidelity(
        jobs=len(jobs),
        admitted=len(both),
        same_flavors=sum(_flavors(first[name]) == recorded[name].flavors for name in both),
        only_recorded=len(recorded.keys() - both),
        only_rehearsed=len((jobs.keys() & first.keys()) - both),
        same_evictions=sum(
            evictions[name] == sum(stay.evicted is not None for stay in stays) for name, stays in jobs.items()
        ),
        median=quantile(apart, MEDIAN),
        most=quantile(apart, MOST),
    )


def _flavors(made: Decision) -> frozenset[str]:
    return frozenset(flavor for each in (made.flavors or {}).values() for flavor in each.values())
