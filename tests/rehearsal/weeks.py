"""A week of Workloads of eight teams with two flavors, busy enough that Workloads wait and are evicted."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Final

from tests.rehearsal.platforms import asked, cluster_queue, queues, rehearsal

if TYPE_CHECKING:
    from tpu.rehearsal.document import Entry, Object, Rehearsal

WEEK: Final = 7 * 24 * 3600
_TEAMS: Final = 8
_FLAVORS: Final = ("v5e", "v6e")
_CHIPS: Final = (4, 8, 16, 32, 64)


def week(workloads: int, *, chips: int = 1000, load: float = 0.9, seconds: int = WEEK) -> Rehearsal:
    """So many Workloads, which together want the share `load` of the chips for so many seconds."""
    chance = random.Random(7)  # noqa: S311  the same week in every run
    moments = sorted(chance.randrange(1, seconds) for _ in range(workloads))
    work = chips * seconds * load / workloads
    entries = [_entry(chance, number, at, work) for number, at in enumerate(moments)]
    told = rehearsal(queues(*(_team(number, chips) for number in range(_TEAMS))), entries, flavors=_FLAVORS)
    return told.model_copy(update={"until": 2 * seconds, "eviction": 30})


def _team(number: int, chips: int) -> Object:
    quota = chips // _TEAMS // len(_FLAVORS)
    policy = {"reclaimWithinCohort": "Any", "withinClusterQueue": "LowerPriority"}
    return cluster_queue(f"team{number}", dict.fromkeys(_FLAVORS, quota), "all", preemption=policy)


def _entry(chance: random.Random, number: int, at: int, work: float) -> Entry:
    chips = chance.choice(_CHIPS)
    team = min(_TEAMS - 1, int(chance.expovariate(0.5)))
    runs = max(60, int(chance.expovariate(1) * work / chips))
    return asked(f"job{number}", f"team{team}", chips, at, runs, chance.choice((0, 0, 0, 100, 1000)))
