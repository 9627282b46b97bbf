"""A recorded week before and after a change: both rehearsals, and how well the first repeats the record."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from components.model.findings import counted
from tpu.rehearsal.change.settings import Setting, setting_of
from tpu.rehearsal.change.sides import MEDIAN, MOST, Side, quantile, side_of
from tpu.rehearsal.change.week import Week, week_of
from tpu.rehearsal.running import Decision, Outcome, RehearsalError, rehearse
from tpu.trace.reading import Remarks, TraceError, read

if TYPE_CHECKING:
    from pathlib import Path

    from components.model.plan import Plan
    from tpu.rehearsal.change.stack_files import StackFile


@dataclass(frozen=True, slots=True, kw_only=True)
class Fidelity:
    """The rehearsal with the stack before the change, compared with the record."""

    jobs: int
    """Jobs that are in both, without those that have quota at the start."""
    admitted: int
    """Jobs that both admit."""
    same_flavors: int
    """The jobs among these whose first admission is in the same flavors."""
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Both sides."""

    names: tuple[str, str]
    """The names of the stack files."""
    week: Week
    before: Side
    after: Side
    fidelity: Fidelity
    remarks: tuple[str, ...]


def compared(record: Path, before: StackFile, after: StackFile, command: Path) -> Comparison:
    """The record rehearsed with two stack files; `command` is the built `rehearse`.

    Raises:
        TraceError: the record cannot be read, or has no queue of a stack.
        RehearsalError: a stack cannot be rehearsed; the text says which, and why.
    """
    noted = Remarks()
    lines = list(read(record, noted))
    try:
        week = week_of(lines, noted)
    except TraceError as error:
        raise TraceError(f"{record}: {error}") from error
    settings = [_setting(week, file) for file in (before, after)]
    outcomes = [_outcome(setting, file, command) for setting, file in zip(settings, (before, after), strict=True)]
    left_out = settings[0].absent & settings[1].absent
    sides = [side_of(week, *each, left_out) for each in zip(settings, outcomes, strict=True)]
    return Comparison(
        names=(before.name, after.name),
        week=week,
        before=sides[0],
        after=sides[1],
        fidelity=fidelity_of(week, settings[0], outcomes[0]),
        remarks=(*noted.texts(), *_remarks(week, settings, outcomes), *_of_flavors(week, before.plan, after.plan)),
    )


def _setting(week: Week, file: StackFile) -> Setting:
    try:
        return setting_of(week, file.plan)
    except TraceError as error:
        raise TraceError(f"{file.name}: {error}") from error


def _outcome(setting: Setting, file: StackFile, command: Path) -> Outcome:
    try:
        return rehearse(setting.rehearsal, command)
    except RehearsalError as error:
        raise RehearsalError(f"{file.name} cannot be rehearsed: {error}") from error


def _remarks(week: Week, settings: list[Setting], outcomes: list[Outcome]) -> list[str]:
    """The remarks on what does not count, or counts on one side only; then the engine's own remarks."""
    absent = [each.absent for each in settings]
    sides = list(zip(("before", "after"), (absent[0] - absent[1], absent[1] - absent[0]), strict=True))
    return [
        *(
            [f"{counted(len(both), 'job')}: no such LocalQueue in the stack; left out"]
            if (both := absent[0] & absent[1])
            else []
        ),
        *(
            f"{counted(len(names), 'job')}: no such LocalQueue in the stack {side}; it never starts there"
            for side, names in sides
            if names
        ),
        *(f"{side}: {each}" for (side, _), setting in zip(sides, settings, strict=True) for each in setting.remarks),
        *(
            [f"{counted(endless, 'job')}: the record ends before its job; here it does not end"]
            if (endless := sum(job.end is None for job in week.jobs.values()))
            else []
        ),
        *dict.fromkeys(each for outcome in outcomes for each in outcome.remarks),
    ]


def _of_flavors(week: Week, before: Plan, after: Plan) -> list[str]:
    """Remarks on flavors in which the record has no start of pods."""
    names = {each.name for plan in (before, after) for each in plan.flavors} - week.delays.keys()
    return [
        f"flavor {name}: the record does not say how long its pods take to start; here they start at once"
        for name in sorted(names)
    ]
