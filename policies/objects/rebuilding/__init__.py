"""From objects back to the chip ledger, so that the rules of the program check anybody's objects.

If a needed value of an object is not known yet, or has a wrong type, the object is left out and reported; rules that
need all objects of its kind are then not decided.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict, TypeVar

from msgspec import Struct

from components.model.facts import kinds
from components.model.plan import Plan
from components.model.plan.cloud import ClusterPlan, ClustersNetworkPlan
from components.model.plan.nodes import OrdinaryPoolPlan, SlicePoolPlan
from policies.objects.judging import malformed
from policies.objects.rebuilding import (
    cluster,
    pools,
    queues,
    storage,
    workloads,
)
from policies.objects.rebuilding.cluster import NOWHERE
from policies.objects.values import PLACEHOLDER, UNKNOWN_YET, MalformedError, UndecidedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from components.model.facts.kinds import Kind
    from components.model.findings import Finding
    from components.model.places import Place
    from components.model.plan.queues import CohortPlan, ControllersPlan, FlavorPlan, QueuePlan
    from components.model.plan.storage import DiskPlan, LustrePlan, SharedStoragePlan
    from policies.objects.world import Object, World

__all__ = ["Rebuilt", "rebuild"]

_Part = TypeVar("_Part")


class Rebuilt(Struct, frozen=True):
    """A plan of what could be read."""

    plan: Plan
    unread: dict[Kind, tuple[Place, str]]
    """For each kind with an object that was left out, the value that was missing, and why."""
    malformed: tuple[Finding, ...]


class _Reader:
    """Translates objects, and remembers those that it could not."""

    def __init__(self, world: World) -> None:
        self.unread: dict[Kind, tuple[Place, str]] = {}
        for kind in kinds.KINDS:
            for one in world.unread(kind):
                self.unread.setdefault(kind, (one.place, UNKNOWN_YET))
        for kind, place in world.blanks.items():
            if kind not in kinds.QUEUED_KINDS or place.keys[-1] == "namespace":  # others refer to it by this name
                self.unread.setdefault(kind, (place, PLACEHOLDER))
        self.malformed: list[Finding] = []

    def each(self, objects: Iterable[Object], translate: Callable[[Object], _Part]) -> tuple[_Part, ...]:
        """The parts of the plan that `objects` are."""
        found: list[_Part] = []
        for one in objects:
            try:
                found.append(translate(one))
            except UndecidedError as error:
                self.unread.setdefault(one.kind, (error.place, error.reason))
            except MalformedError as error:
                self.unread.setdefault(one.kind, (error.place, f"is not {error.wanted}"))
                self.malformed.append(malformed(error))
        return tuple(found)


def rebuild(world: World) -> Rebuilt:
    """The plan that the objects would have come of."""
    reader, known, chips = _Reader(world), world.known, queues.chip_flavors(world)
    clusters = known(kinds.CLUSTER)
    home = clusters[0] if len(clusters) == 1 else None
    slice_pools, node_pools = _pools(reader, world, home)
    flavors = reader.each(
        (each for each in known(kinds.RESOURCE_FLAVOR) if each.name in chips),
        lambda each: _flavor(reader, each, slice_pools),
    )
    all_queues = _queues(world, reader)
    held, runs = workloads.held_by(all_queues), filter(workloads.is_run, known(*kinds.QUEUED_KINDS))
    cohorts = reader.each(known(kinds.COHORT), queues.cohort)
    home_plan = _cluster(reader, world, (*slice_pools, *node_pools))
    rebuilt = Plan(
        place=home_plan.place,
        project="",
        services=(),
        network=ClustersNetworkPlan(place=NOWHERE),
        cluster=home_plan,
        node_pools=node_pools,
        slice_pools=slice_pools,
        workload_policies=(),
        quota=(),
        **_stores(reader, world, home_plan.region),
        buckets=(),
        controllers=_controllers(reader, world, (*cohorts, *all_queues)),
        namespaces=(),
        flavors=flavors,
        node_flavors=reader.each(
            (each for each in known(kinds.RESOURCE_FLAVOR) if each.name not in chips), queues.node_flavor
        ),
        cohorts=cohorts,
        admission_checks=reader.each(known(kinds.ADMISSION_CHECK), lambda each: queues.admission_check(each, world)),
        queues=all_queues,
        former_queues=(),
        priorities=reader.each(known(kinds.WORKLOAD_PRIORITY), queues.priority),
        compute_classes=reader.each(known(kinds.COMPUTE_CLASS), cluster.compute_class),
        workloads=reader.each(runs, lambda each: workloads.run(each, flavors, held, world)),
    )
    return Rebuilt(plan=rebuilt, unread=reader.unread, malformed=tuple(reader.malformed))


def _flavor(reader: _Reader, each: Object, slice_pools: tuple[SlicePoolPlan, ...]) -> FlavorPlan:
    """The flavor; one whose labels tell no shape is what its pools are, and not known while one of those is not."""
    if kinds.NODE_POOL in reader.unread and not queues.tells_shape(each):
        raise UndecidedError(*reader.unread[kinds.NODE_POOL])
    return queues.flavor(each, slice_pools)


def _cluster(reader: _Reader, world: World, node_pools: Iterable[SlicePoolPlan | OrdinaryPoolPlan]) -> ClusterPlan:
    location = _location(node_pools, world, reader)
    found = reader.each(world.known(kinds.CLUSTER)[:1], lambda each: cluster.cluster(each, location))
    return found[0] if found else cluster.cluster(None, location)


def _pools(
    reader: _Reader, world: World, home: Object | None
) -> tuple[tuple[SlicePoolPlan, ...], tuple[OrdinaryPoolPlan, ...]]:
    """The pools of TPU hosts, and the others."""
    registered = world.known(kinds.NODE_POOL)
    found = reader.each(
        registered,
        lambda each: pools.slice_pool(each, home) if pools.is_tpu_pool(each) else pools.ordinary_pool(each, home),
    )
    within = reader.each(() if home is None else (home,), lambda each: pools.pools_within(each, registered))
    return (
        tuple(each for each in found if isinstance(each, SlicePoolPlan)),
        (
            *(each for each in found if isinstance(each, OrdinaryPoolPlan)),
            *(pool for of_cluster in within for pool in of_cluster),
        ),
    )


def _queues(world: World, reader: _Reader) -> tuple[QueuePlan, ...]:
    """The ClusterQueues, the quota of cohorts, and what LocalQueues lead to that is not there."""
    locals_of = _local_queues(world, reader)
    found = reader.each(world.known(kinds.CLUSTER_QUEUE), lambda each: queues.queue(each, locals_of.get(each.name, ())))
    asked: dict[str, tuple[str, ...]] = {}
    for entry in (entry for queue in found for entry in queue.flavors):
        asked[entry.name] = (*asked.get(entry.name, ()), *entry.admission_checks)
    of_cohorts = reader.each(world.known(kinds.COHORT), lambda each: queues.cohort_quota_as_queue(each, asked))
    known = {each.name for each in world.known(kinds.CLUSTER_QUEUE)}
    missing = (queues.nowhere(name, locals_) for name, locals_ in locals_of.items() if name not in known)
    return (*found, *(each for each in of_cohorts if each is not None), *missing)


def _controllers(reader: _Reader, world: World, sharers: Iterable[CohortPlan | QueuePlan]) -> ControllersPlan:
    releases = reader.each(world.known(kinds.RELEASE), cluster.release)
    has_weights = any(each.fair_share_weight is not None for each in sharers)
    return cluster.controllers(world, releases, has_weights=has_weights)


def _local_queues(world: World, reader: _Reader) -> dict[str, list[Object]]:
    """LocalQueues by the ClusterQueue that they lead to."""
    found: dict[str, list[Object]] = {}
    leading = reader.each(world.known(kinds.LOCAL_QUEUE), lambda each: (each.string("spec", "clusterQueue"), each))
    for name, each in leading:
        found.setdefault(name, []).append(each)
    return found


class _Stores(TypedDict):
    """Instances and disks."""

    shared_storage: tuple[SharedStoragePlan, ...]
    lustre: tuple[LustrePlan, ...]
    disks: tuple[DiskPlan, ...]


def _stores(reader: _Reader, world: World, region: str) -> _Stores:
    shares = reader.each(world.known(kinds.FILESTORE), lambda each: storage.share(each, region))
    disks = reader.each(world.known(kinds.DISK), storage.disk)
    return {
        "shared_storage": tuple(each for each in shares if each is not None),
        "lustre": reader.each(world.known(kinds.LUSTRE), storage.lustre),
        "disks": tuple(each for each in disks if each is not None),
    }


def _location(node_pools: Iterable[SlicePoolPlan | OrdinaryPoolPlan], world: World, reader: _Reader) -> str:
    """Where the cluster is if it does not say so: where its nodes are, or its shares; empty where neither says."""
    zones = [zone for pool in node_pools for zone in pool.zones]
    shares = reader.each(world.known(kinds.FILESTORE), storage.location_of)
    return next((each for each in (*zones, *shares) if each is not None), "")
