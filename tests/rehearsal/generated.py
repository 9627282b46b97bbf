"""Platforms and traces that are made from a seed, to try rehearsals on what nobody thought of."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Final

from tests.rehearsal.platforms import FOREVER, asked, cluster_queue, cohort, queues, rehearsal
from tpu.rehearsal.document import Change, Entry, Object, Rehearsal

if TYPE_CHECKING:
    from collections.abc import Sequence

FAIR_SHARING: Final[Object] = {
    "apiVersion": "config.kueue.x-k8s.io/v1beta2",
    "kind": "Configuration",
    "fairSharing": {"preemptionStrategies": ["LessThanOrEqualToFinalShare", "LessThanInitialShare"]},
}
_ANY: Final = ("Never", "LowerPriority", "Any")
_WITHIN: Final = ("Never", "LowerPriority", "LowerOrNewerEqualPriority")
_PRIORITIES: Final = (0, 0, 100, 1000)
_CHIPS: Final = (1, 2, 4, 8)


def generated(seed: int, *, jobs: int = 8, step: int = 100, longest: int = 3, prefix: str = "") -> Rehearsal:
    """A platform of two to four queues and a trace, whose names begin with a prefix.

    Jobs arrive `step` seconds apart and run for up to `longest` steps, each for a number of seconds more that no other
    has, so that two things seldom happen at one moment.
    """
    chance = random.Random(seed)  # noqa: S311  the same platforms in every run
    flavors = tuple(f"{prefix}{each}" for each in ("v5e", "v6e"))[: chance.choice((1, 1, 2))]
    names = tuple(f"{prefix}{each}" for each in "abcd"[: chance.randint(2, 4)])
    is_tree = chance.random() < 0.3
    root, left, right = (f"{prefix}{each}" for each in ("root", "left", "right"))
    cohorts = (cohort(left, root), cohort(right, root)) if is_tree else ()
    homes = (left, right) if is_tree else (root,)
    made = [_queue(chance, name, flavors, homes[index % len(homes)]) for index, name in enumerate(names)]
    entries = _jobs(chance, names, jobs, step, longest, prefix)
    told = rehearsal((*cohorts, *queues(*made)), entries, flavors=flavors, until=FOREVER)
    changes = _drained(chance, made, jobs * step)
    configuration = FAIR_SHARING if chance.random() < 0.3 else None
    return told.model_copy(update={"changes": changes, "configuration": configuration})


def _queue(chance: random.Random, name: str, flavors: Sequence[str], home: str) -> Object:
    quotas = {flavor: chance.choice((4, 8)) for flavor in flavors}
    limits: dict[str, int] = {}
    if chance.random() < 0.3:
        limits["borrowingLimit"] = chance.choice((0, 2, 4))
    if chance.random() < 0.3:
        limits["lendingLimit"] = chance.choice((0, 2, 4))
    preemption = {"reclaimWithinCohort": chance.choice(_ANY), "withinClusterQueue": chance.choice(_WITHIN)}
    strategy = chance.choice(("BestEffortFIFO", "BestEffortFIFO", "StrictFIFO"))
    return cluster_queue(name, quotas, home, limits, preemption=preemption, queueingStrategy=strategy)


def _jobs(chance: random.Random, names: Sequence[str], jobs: int, step: int, longest: int, prefix: str) -> list[Entry]:
    return [
        asked(
            f"{prefix}job{i}",
            chance.choice(names),
            chance.choice(_CHIPS),
            at=(i + 1) * step,
            runs=chance.randint(1, longest) * step + 7 * i + 11,
            priority=chance.choice(_PRIORITIES),
        )
        for i in range(jobs)
    ]


def _drained(chance: random.Random, made: Sequence[Object], span: int) -> tuple[Change, ...]:
    """In a quarter of the platforms, a queue that is put on hold for a while, or drained for good.

    It is never drained and restarted: then Kueue's Workload controller and its scheduler race for who is first.
    """
    if chance.random() >= 0.25:
        return ()
    queue, policy = chance.choice(list(made)), chance.choice(("Hold", "HoldAndDrain"))
    stopped = Change(at=span // 2 + 5, object={**queue, "spec": {**queue["spec"], "stopPolicy": policy}})
    return (stopped,) if policy == "HoldAndDrain" else (stopped, Change(at=span + 5, object=queue))
