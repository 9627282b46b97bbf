"""Platforms and traces that are made from a seed, to try rehearsals on what nobody thought of."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Final

from rehearsal.document import Change, Entry, Object, Rehearsal
from tests.rehearsal.platforms import FOREVER, asked, cluster_queue, cohort, queues, rehearsal

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


def generated(seed: int, *, jobs: int = 8, step: int = 10) -> Rehearsal:
    """A platform of two to four queues and a trace; moments are multiples of `step`, so that none depends on speed.

    Two jobs never arrive at one moment, and none ends when another arrives: run times end between two steps.
    """
    chance = random.Random(seed)
    flavors = ("v5e", "v6e")[: chance.choice((1, 1, 2))]
    names = tuple("abcd"[: chance.randint(2, 4)])
    is_tree = chance.random() < 0.3
    cohorts = (cohort("left", "root"), cohort("right", "root")) if is_tree else ()
    made = [_queue(chance, name, flavors, index, is_tree=is_tree) for index, name in enumerate(names)]
    told = rehearsal((*cohorts, *queues(*made)), _jobs(chance, names, jobs, step), flavors=flavors, until=FOREVER)
    changes = _drained(chance, made, jobs * step)
    configuration = FAIR_SHARING if chance.random() < 0.3 else None
    return told.model_copy(update={"changes": changes, "configuration": configuration})


def _queue(chance: random.Random, name: str, flavors: Sequence[str], index: int, *, is_tree: bool) -> Object:
    quotas = {flavor: chance.choice((4, 8)) for flavor in flavors}
    limits: dict[str, int] = {}
    if chance.random() < 0.3:
        limits["borrowingLimit"] = chance.choice((0, 2, 4))
    if chance.random() < 0.3:
        limits["lendingLimit"] = chance.choice((0, 2, 4))
    preemption = {"reclaimWithinCohort": chance.choice(_ANY), "withinClusterQueue": chance.choice(_WITHIN)}
    place = ("left", "right")[index % 2] if is_tree else "all"
    strategy = chance.choice(("BestEffortFIFO", "BestEffortFIFO", "StrictFIFO"))
    return cluster_queue(name, quotas, place, limits, preemption=preemption, queueingStrategy=strategy)


def _jobs(chance: random.Random, names: Sequence[str], jobs: int, step: int) -> list[Entry]:
    return [
        asked(
            f"job{i}",
            chance.choice(names),
            chance.choice(_CHIPS),
            at=(i + 1) * step,
            runs=chance.randint(1, jobs) * step + step // 2,
            priority=chance.choice(_PRIORITIES),
        )
        for i in range(jobs)
    ]


def _drained(chance: random.Random, made: Sequence[Object], span: int) -> tuple[Change, ...]:
    if chance.random() >= 0.25:
        return ()
    queue = chance.choice(list(made))
    spec = queue["spec"]
    assert isinstance(spec, dict)
    stopped = {**queue, "spec": {**spec, "stopPolicy": chance.choice(("Hold", "HoldAndDrain"))}}
    return (Change(at=span // 2 + 3, object=stopped), Change(at=span + 3, object=queue))
