"""Two printed timelines of one stack: do they tell the same story, in the same order, with the same durations?"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_LINE: Final = re.compile(r" *\+(?P<time>\d+)s  +(?:\d+  )?(?P<who>\S+(?: \S+)*)  +(?P<text>\S.*)")
_STEPS: Final = {
    r"(queued in|created:).*": "queued",
    r"Quota reserved in .*": "admitted",
    r"nodes are ordered .*": "nodes ordered",
    r"(slice \d+|\w+ \d+|\d+ pods?) placed on .*": r"\1 placed",
    r"(EvictedDueTo\w+|Preempted): .*": r"\1",
    r"(finished|failed): .*": r"\1",
}
"""What decides how a story goes on, by the text of its line. Waits depend on who looked when."""


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that happened to a job."""

    time: int
    """Simulated seconds since the first line."""
    job: str
    what: str
    """Such as `admitted`; with a number for what happens to a job several times. Of placements the last one counts."""


def steps_of(printed: str) -> list[Step]:
    """The steps of the timeline in what `tpu timeline` printed, in its order."""
    seen: Counter[tuple[str, str]] = Counter()
    steps: dict[tuple[str, str], Step] = {}
    for time, job, what in _found(printed):
        seen[job, what] += 1
        count = 1 if what.endswith(" placed") else seen[job, what]
        named = what if count == 1 else f"{what} {count}"
        steps.pop((job, named), None)
        steps[job, named] = Step(time, job, named)
    return list(steps.values())


def _found(printed: str) -> Iterator[tuple[int, str, str]]:
    _, _, story = printed.partition("what happened\n")
    for line in story.splitlines():
        found = _LINE.fullmatch(line)
        if found is None:
            return
        for text, step in _STEPS.items():
            if (meant := re.fullmatch(text, found["text"])) is not None:
                yield int(found["time"]), found["who"], meant.expand(step)


def differences(left: Sequence[Step], right: Sequence[Step], resolution: float) -> list[str]:
    """How two timelines differ by more than they can be told apart.

    Args:
        left: the steps of one.
        right: those of the other.
        resolution: what the two may differ in a duration, in simulated seconds: the real seconds that controllers take,
            and the one that a stamp leaves open, as the speeds make them.
    """
    times = [{(step.job, step.what): step.time for step in steps} for steps in (left, right)]
    first, second = times
    told = [f"only one has {job}: {what}" for job, what in sorted(first.keys() ^ second.keys())]
    told += [f"durations differ: {text}" for text in _durations(left, second, resolution)]
    for one, other in (times, times[::-1]):
        order = sorted(one.keys() & other.keys(), key=lambda step: one[step])
        told += [
            f"order differs: {_name(before)} and {_name(after)}"
            for before, after in combinations(order, 2)
            if one[after] - one[before] > resolution and other[after] < other[before]
        ]
    return told


def _durations(steps: Sequence[Step], times: dict[tuple[str, str], int], resolution: float) -> Iterator[str]:
    """The time from each step of a job to its next, where both timelines have the two."""
    for job in sorted({step.job for step in steps}):
        own = sorted((step for step in steps if step.job == job and (job, step.what) in times), key=lambda s: s.time)
        for before, after in pairwise(own):
            one = after.time - before.time
            other = times[job, after.what] - times[job, before.what]
            if abs(one - other) > resolution:
                yield f"{job}, from {before.what} to {after.what}: {one} s and {other} s"


def _name(step: tuple[str, str]) -> str:
    return ": ".join(step)
