"""A record as the jobs of a rehearsal: who asks for what, when, and for how long each job runs.

The run time of a job is what it needs after its pods have started. A record has the time from a reservation of quota
to its end; the usual time until pods start in that flavor is taken off, because the rehearsal adds that of the flavor
in which it admits the job.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Final

from tpu.chip_hours.ledger import ledger
from tpu.trace.arrivals import Arrival, Stay, arrivals
from tpu.trace.lines import SECOND, Line, Reclaimed
from tpu.trace.reading import Remarks, TraceError
from tpu.trace.requests import ACCELERATORS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


_CONTINUES: Final = 1
"""Seconds between the checkpoints of a job that loses nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Week:
    """A record of any length."""

    start: int
    """In milliseconds since the epoch, as all moments of a record."""
    end: int
    jobs: Mapping[str, Arrival]
    """By namespace and name, in the order in which they asked."""
    delays: Mapping[str, int]
    """Seconds from the reservation of quota until pods run, by flavor: the median of the record."""
    eviction: int
    """Seconds from an eviction until the quota is free: the median of the record."""

    @property
    def seconds(self) -> int:
        """How long it is."""
        return (self.end - self.start) // SECOND

    def at(self, moment: int) -> int:
        """A moment of the record in seconds since its start."""
        return (moment - self.start) // SECOND

    def delay(self, stay: Stay) -> int:
        """Seconds until pods run, for a reservation."""
        return max((self.delays.get(each, 0) for each in flavors_of_chips(stay)), default=0)

    def held_at_start(self, job: Arrival) -> Stay | None:
        """The reservation that a job had when the record begins."""
        return next(
            (each for each in job.stays if each.reserved <= self.start < (each.evicted or each.ended or 0)), None
        )

    def work(self, job: Arrival) -> tuple[int | None, int | None]:
        """Seconds that a job runs, None for one that does not end; and seconds between its checkpoints, if it has any.

        A job that was evicted and ran again either starts anew or continues. If its last run was shorter than one
        before, it has continued: its work is the sum of its runs. Otherwise its work is its last run.
        """
        if job.end is None:
            return None, None
        runs = [
            max(0, ((each.evicted or each.ended or 0) - each.reserved) // SECOND - self.delay(each))
            for each in job.stays
        ]
        if not job.is_over:
            return max(runs), None
        return (sum(runs), _CONTINUES) if runs[-1] < max(runs) else (runs[-1], None)


def week_of(lines: Sequence[Line], remarks: Remarks) -> Week:
    """The jobs of a record; `remarks` gets what is odd in it, and what a rehearsal leaves out.

    Raises:
        TraceError: there is nothing to rehearse.
    """
    spent = ledger(lines, remarks)  # it reads every line, and remarks on those that are odd
    start, end = lines[0].at, spent.end
    jobs: dict[str, Arrival] = {}
    for each in arrivals(lines):
        if each.end is not None and each.last <= start:
            continue
        if each.end is not None and not each.stays:
            remarks.note("Workload", "it ended, or somebody took it back, before it had quota; left out")
        else:
            jobs[_name(each, jobs)] = each
    for _ in dict.fromkeys(line.uid for line in lines if isinstance(line, Reclaimed)):
        remarks.note("Workload", "gave back the quota of single pods; here it keeps all of it to its end")
    if end - start < SECOND or not jobs:
        raise TraceError("it has no Workload to rehearse")
    stays = [stay for each in jobs.values() for stay in each.stays]
    return Week(start=start, end=end, jobs=jobs, delays=_delays(stays), eviction=_eviction(stays))


def flavors_of_chips(stay: Stay) -> set[str]:
    """The flavors in which a reservation has chips or GPUs."""
    return {each.flavors[name] for each in stay.assignments for name in ACCELERATORS if name in each.flavors}


def _name(job: Arrival, taken: Mapping[str, Arrival]) -> str:
    """Its namespace and name; a number makes that of a later Workload of the same name another one."""
    name = f"{job.asked.namespace}/{job.asked.name}"
    return (
        name
        if name not in taken
        else next(each for number in range(2, len(taken) + 3) if (each := f"{name}-{number}") not in taken)
    )


def _delays(stays: Iterable[Stay]) -> dict[str, int]:
    found: defaultdict[str, list[int]] = defaultdict(list)
    for stay in stays:
        for flavor in flavors_of_chips(stay):
            if stay.ready is not None:
                found[flavor].append(stay.ready - stay.reserved)
    return {flavor: _seconds(times) for flavor, times in sorted(found.items())}


def _eviction(stays: Iterable[Stay]) -> int:
    return _seconds([each.ended - each.evicted for each in stays if each.evicted and each.ended])


def _seconds(times: Sequence[int]) -> int:
    return round(median(times) / SECOND) if times else 0
