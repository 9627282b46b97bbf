"""A plausible record for those who have none: some teams, which submit mostly by day and take whole slices.

The same settings give the same bytes. Sizes are powers of two slices, small ones more often; run times are spread
as in published traces of clusters: the median is a fraction of the mean, and a few jobs run for a day. Jobs are
admitted first come, first served, and a smaller one may pass one that does not fit. Nothing is evicted: the scheduler
of a rehearsal decides that.
"""

from __future__ import annotations

import heapq
import math
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from components.model.facts import gke
from tpu.trace.lines import (
    HOUR,
    SECOND,
    Admitted,
    Asked,
    Assignment,
    Capacity,
    Finished,
    Flavor,
    Line,
    PodSet,
    PriorityClass,
    Ready,
    Reserved,
    Trace,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

DAY: Final = 24 * HOUR
_CHIPS_OF_HOST: Final = 4
_START_SECONDS: Final = 30
"""From admission until the pods run."""
_BUSY_HOURS: Final = range(8, 19)
_BUSY: Final = 4
"""How much more often jobs are submitted by day than at night."""
_SPREAD: Final = 1.2
"""Of the logarithm of run times."""
_PRIORITIES: Final = (("low", 100, 3), ("normal", 1000, 6), ("high", 10000, 1))
"""Name, value, and how often."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers:
    """The numbers from which a record is made."""

    start: int
    """In milliseconds since the epoch."""
    days: int = 7
    workloads: int = 100
    chips: int = 64
    slice_chips: int = 8
    """A job takes one or more slices of so many chips."""
    hours: float = 2.0
    """The median run time."""
    teams: Sequence[tuple[str, str]] = (("team-a", "lq-team-a"), ("team-b", "lq-team-b"))
    """Each with its LocalQueue."""
    flavor: str = "v5e"
    seed: int = 1


def generated(numbers: Numbers) -> Iterator[Line]:
    """The lines of a record.

    Raises:
        ValueError: no slice fits the chips, or a number is not above 0.
    """
    if min(numbers.days, numbers.workloads, numbers.slice_chips, numbers.hours) <= 0:
        raise ValueError("days, workloads, chips of a slice and hours must be above 0")
    if numbers.chips < numbers.slice_chips:
        raise ValueError(f"{numbers.chips} chips are less than a slice of {numbers.slice_chips}")
    made = f"generated from seed {numbers.seed}"
    yield Trace(at=numbers.start, made=made)
    chips = {gke.RESOURCE_TPU: numbers.chips}
    yield Capacity(at=numbers.start, flavors=(Flavor(name=numbers.flavor, nodes=chips, quota=chips),))
    random_ = random.Random(numbers.seed)  # noqa: S311  not for secrets
    jobs = sorted((_asked(numbers, random_, index) for index in range(numbers.workloads)), key=lambda each: each.at)
    waiting = [(job, round(_seconds(numbers, random_) * SECOND)) for job in jobs]
    yield from sorted((*jobs, *_admissions(numbers, waiting)), key=lambda line: line.at)


def _asked(numbers: Numbers, random_: random.Random, index: int) -> Asked:
    team, queue = random_.choice(numbers.teams)
    name, value, _ = random_.choices(_PRIORITIES, [each[2] for each in _PRIORITIES])[0]
    slices = _slices(numbers, random_)
    host_chips = min(_CHIPS_OF_HOST, numbers.slice_chips)
    pods = PodSet(
        name="slice",
        count=slices * numbers.slice_chips // host_chips,
        requests={gke.RESOURCE_TPU: str(host_chips)},
    )
    return Asked(
        at=_moment(numbers, random_),
        uid=f"{numbers.seed}-{index:06}",
        namespace=team,
        name=f"jobset-job-{index}",
        job=f"JobSet/job-{index}",
        team=team,
        queue=queue,
        cluster_queue=queue,
        priority=value,
        priority_class=PriorityClass(name=name),
        pod_sets=(pods,),
    )


def _slices(numbers: Numbers, random_: random.Random) -> int:
    """1, 2, 4 and so on: each half as often as the one before."""
    most = int(math.log2(numbers.chips // numbers.slice_chips))
    return 2 ** random_.choices(range(most + 1), [2.0**-power for power in range(most + 1)])[0]


def _moment(numbers: Numbers, random_: random.Random) -> int:
    """A moment of whole seconds, more often by day (in UTC)."""
    while True:
        at = numbers.start + random_.randrange(numbers.days * DAY // SECOND) * SECOND
        is_busy = at % DAY // HOUR in _BUSY_HOURS
        if is_busy or random_.random() < 1 / _BUSY:
            return at


def _seconds(numbers: Numbers, random_: random.Random) -> int:
    longest = DAY // SECOND
    return min(longest, max(60, round(random_.lognormvariate(math.log(numbers.hours * HOUR / SECOND), _SPREAD))))


def _admissions(numbers: Numbers, jobs: Sequence[tuple[Asked, int]]) -> Iterator[Line]:
    """What becomes of the jobs, in the order in which they ask; each with its run time in milliseconds."""
    free, waiting, running = numbers.chips, list[tuple[Asked, int]](), list[tuple[int, str, int]]()
    end = numbers.start + numbers.days * DAY
    moments = [job.at for job, _ in jobs]
    left = list(reversed(jobs))
    heapq.heapify(moments)
    while moments and (now := heapq.heappop(moments)) < end:
        while running and running[0][0] <= now:
            at, uid, chips = heapq.heappop(running)
            free += chips
            yield Finished(at=at, uid=uid, reason="Succeeded")
        while left and left[-1][0].at <= now:
            waiting.append(left.pop())
        for job, duration in list(waiting):
            chips = _chips(job)
            if chips <= free:
                waiting.remove((job, duration))
                free -= chips
                over = now + _START_SECONDS * SECOND + duration
                heapq.heappush(running, (over, job.uid, chips))
                heapq.heappush(moments, over)
                yield from _admitted(numbers, job, now)


def _chips(job: Asked) -> int:
    return sum(each.count * int(each.requests[gke.RESOURCE_TPU]) for each in job.pod_sets)


def _admitted(numbers: Numbers, job: Asked, now: int) -> Iterator[Line]:
    (pods,) = job.pod_sets
    assignment = Assignment(
        name=pods.name,
        count=pods.count,
        flavors={gke.RESOURCE_TPU: numbers.flavor},
        usage={gke.RESOURCE_TPU: str(_chips(job))},
    )
    yield Reserved(at=now, uid=job.uid, cluster_queue=job.queue, pod_sets=(assignment,))
    yield Admitted(at=now, uid=job.uid)
    yield Ready(at=now + _START_SECONDS * SECOND, uid=job.uid)


def monday(before: int) -> int:
    """The last Monday, 00:00 UTC, that begins a whole week before a moment.

    >>> from tpu.trace.lines import moment, written
    >>> written(monday(moment("2026-11-25T07:00:00Z")))
    '2026-11-16T00:00:00Z'
    """
    first = 4 * DAY  # 1970-01-05 was a Monday
    return (before - first) // (7 * DAY) * 7 * DAY + first - 7 * DAY
