"""Which kinds an object refers to: without them a rule over the rebuilt plan cannot be decided of it.

Rules over objects show by their queries whether they need another kind. Rules over a plan do not, so this module lists
their references, generously: a kind that is not named below refers to whatever its rules need.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from components.model.facts import gke, kinds
from policies.objects.belonging import labels_of
from policies.objects.pods import tpu_groups
from policies.objects.values import MalformedError, UndecidedError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from components.model.facts.kinds import Kind
    from policies.objects.world import Object, World


def refers(each: Object, needed: Kind, world: World) -> bool:
    """Whether an object refers to objects of a kind; also where what tells it cannot be read."""
    tells = _REFERENCES.get((each.kind, needed))
    try:
        return tells is None or tells(each, world)
    except (UndecidedError, MalformedError):
        return True


def _is_queued(run: Object, _world: World) -> bool:
    return run.has(*labels_of(run), gke.LABEL_QUEUE_NAME)


def _has_priority(run: Object, _world: World) -> bool:
    return run.has(*labels_of(run), gke.LABEL_WORKLOAD_PRIORITY)


def _has_chips(run: Object, _world: World) -> bool:
    return any(tpu_groups(run))


def _holds_flavors(queue: Object, _world: World) -> bool:
    return any(group.parts("flavors") for group in queue.parts("spec", "resourceGroups"))


def _holds_chips(queue: Object, _world: World) -> bool:
    return any(gke.RESOURCE_TPU in group.texts("coveredResources") for group in queue.parts("spec", "resourceGroups"))


def _has_checks(queue: Object, _world: World) -> bool:
    """As either version of the API states them."""
    return queue.has("spec", "admissionChecksStrategy", "admissionChecks") or queue.has("spec", "admissionChecks")


def _is_labelled(flavor: Object, _world: World) -> bool:
    return flavor.has("spec", "nodeLabels")


def _some_run_has_a_priority(_queue: Object, world: World) -> bool:
    return _has_priorities(world)


@lru_cache(maxsize=1)
def _has_priorities(world: World) -> bool:
    """Every queue asks for it."""
    return any(_has_priority(run, world) for run in world.known(*kinds.QUEUED_KINDS))


def _some_flavor_is_there(_pool: Object, world: World) -> bool:
    """Node pools do not refer to Kueue; objects with chips in queues do."""
    return world.has(kinds.RESOURCE_FLAVOR)


def _some_queue_is_there(_pool: Object, world: World) -> bool:
    return world.has(kinds.CLUSTER_QUEUE)


def _never(_each: Object, _world: World) -> bool:
    return False


_OF_RUNS: Final[Mapping[Kind, Callable[[Object, World], bool]]] = {
    kinds.LOCAL_QUEUE: _is_queued,
    kinds.CLUSTER_QUEUE: _is_queued,
    kinds.RESOURCE_FLAVOR: _is_queued,
    kinds.WORKLOAD_PRIORITY: _has_priority,
    kinds.NODE_POOL: _has_chips,
}
_OF_QUOTA: Final[Mapping[Kind, Callable[[Object, World], bool]]] = {
    kinds.RESOURCE_FLAVOR: _holds_flavors,
    kinds.NODE_POOL: _holds_chips,
    kinds.CLUSTER: _holds_chips,
    kinds.ADMISSION_CHECK: _has_checks,
    kinds.WORKLOAD_PRIORITY: _some_run_has_a_priority,
}
_OF_FLAVORS: Final[Mapping[Kind, Callable[[Object, World], bool]]] = {
    kinds.NODE_POOL: _is_labelled,
    kinds.CLUSTER: _never,
}
_OF_POOLS: Final[Mapping[Kind, Callable[[Object, World], bool]]] = {
    kinds.RESOURCE_FLAVOR: _some_queue_is_there,
    kinds.CLUSTER_QUEUE: _some_flavor_is_there,
}
_REFERENCES: Final = {
    (subject, needed): tells
    for subject, told in (
        *((kind, _OF_RUNS) for kind in kinds.QUEUED_KINDS),
        (kinds.CLUSTER_QUEUE, _OF_QUOTA),
        (kinds.COHORT, _OF_QUOTA),
        (kinds.RESOURCE_FLAVOR, _OF_FLAVORS),
        (kinds.NODE_POOL, _OF_POOLS),
    )
    for needed, tells in told.items()
}
