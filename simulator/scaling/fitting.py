"""Which queued node pool can bring all nodes of a ProvisioningRequest at once. Pure.

All of a request's pods go onto new nodes of one pool in one zone, or none does; a multi-host slice is provisioned
whole, so that such a pool serves one request of one slice at a time. The obstacles in each pool have the words and the
order of GKE's autoscaler.

Source: the public source of GKE's cluster autoscaler (`provisioningrequests/reconciler/reasons`), read 2026-11.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from components.kubeapi.documents import section
from components.model.facts.gke import RESOURCE_GPU, RESOURCE_TPU
from simulator.cloud.names import short_name
from simulator.cloud.service import at
from simulator.scaling.planning import new_slot
from simulator.scaling.quantities import amounts
from simulator.scaling.snapshot import ClusterSnapshot

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from simulator.scaling.pods import Pod
    from simulator.scaling.supply import Group


class Obstacle(NamedTuple):
    """Keeps a request from a pool; the request's condition names the first one."""

    order: int
    reason: str
    message: str
    """Ends before the names of the pools."""


_SINGLE_ZONE: Final = Obstacle(
    0,
    "ProvisioningRequestSingleZoneInfeasible",
    "Provisioning Request cannot be scheduled in a single zone of a single nodepool, affected nodepools: ",
)
_SIZE: Final = Obstacle(1, "NodepoolSizeReached", "Max nodepool size reached, affected nodepools: ")
_CLUSTER_LIMIT: Final = Obstacle(2, "OutOfResources", "Max cluster limit reached, nodepools out of resources: ")
_NOT_READY: Final = Obstacle(3, "NodepoolNotReady", "Nodepool not ready for scale-up, affected nodepools: ")
_PODS: Final = Obstacle(
    4,
    "ProvisioningRequestNotSchedulableInNodepool",
    "Provisioning Request's pods cannot be scheduled in the nodepool. Predicate checking errors: ",
)


@dataclass(frozen=True, slots=True)
class Fit:
    """Where a request's nodes can come."""

    group: Group
    machines: int
    """How many more it takes; whole slices."""


@dataclass(frozen=True, slots=True)
class Misfit:
    """Why they can come nowhere now."""

    reason: str
    message: str


@dataclass(frozen=True, slots=True)
class Hindrance:
    """Why one pool cannot bring them."""

    obstacle: Obstacle
    detail: str = ""


def is_queued(group: Group) -> bool:
    """Whether the group's pool grows for ProvisioningRequests alone."""
    return group.limits is not None and bool(at(group.body, "queuedProvisioning.enabled"))


def choose(
    pods: Sequence[Pod],
    groups: Iterable[Group],
    sizes: Mapping[str, int],
    limit_against: Callable[[Group], str | None],
) -> Fit | Misfit:
    """The smallest place for all of the pods.

    Args:
        pods: what a request wants room for.
        groups: the cluster's instance groups.
        sizes: machines of each queued group by its name, including those promised to others.
        limit_against: why the cluster's own limits stop a growth of a group; None when they do not.
    """
    unmodelled = next((pod.unmodelled for pod in pods if pod.unmodelled is not None), None)
    if unmodelled is not None:
        return Misfit("NotModelled", f"The simulated autoscaler does not model {unmodelled}.")
    queued = [group for group in groups if is_queued(group)]
    if not queued:
        return Misfit("NoQueuedNodepool", "No node pool of the cluster has queued provisioning.")
    fits: list[Fit] = []
    hindered: list[tuple[Group, Hindrance]] = []
    for group in queued:
        found = _fit(pods, group, queued, sizes, limit_against)
        if isinstance(found, Fit):
            fits.append(found)
        else:
            hindered.append((group, found))
    return min(fits, key=_cost) if fits else _told(hindered)


def _fit(
    pods: Sequence[Pod],
    group: Group,
    queued: Sequence[Group],
    sizes: Mapping[str, int],
    limit_against: Callable[[Group], str | None],
) -> Fit | Hindrance:
    machines = machines_for(pods, group)
    if isinstance(machines, Hindrance):
        return machines
    if not group.has_room(machines, queued, sizes):
        return Hindrance(_SIZE)
    limit = limit_against(group)
    if limit is not None:
        return Hindrance(_CLUSTER_LIMIT, limit)
    return Fit(group, machines) if group.is_there else Hindrance(_NOT_READY)


def machines_for(pods: Sequence[Pod], group: Group) -> int | Hindrance:
    """How many new machines of the group hold the pods and nothing else."""
    snapshot = ClusterSnapshot([])
    for pod in pods:
        slot = snapshot.find(pod)
        if slot is None:
            fresh = [new_slot(group, len(snapshot.slots) + index) for index in range(group.step)]
            reason = ClusterSnapshot([]).why_not(pod, fresh[0])
            if reason is not None:
                return Hindrance(_PODS, reason)
            if group.gang is not None and snapshot.slots:
                return Hindrance(_SINGLE_ZONE)
            for each in fresh:
                snapshot.add(each)
            slot = snapshot.find(pod)
            if slot is None:
                return Hindrance(_PODS, "pods keep each other away")
        snapshot.settle(pod, slot)
    return len(snapshot.slots)


def _cost(fit: Fit) -> tuple[int, int, str]:
    """The fewest accelerators first."""
    capacity = amounts(section(fit.group.template, "status", "capacity"))
    accelerators = capacity.get(RESOURCE_TPU, 0) + capacity.get(RESOURCE_GPU, 0)
    return accelerators * fit.machines, capacity["cpu"] * fit.machines, fit.group.name


def _told(hindered: Sequence[tuple[Group, Hindrance]]) -> Misfit:
    """The first obstacle of all, with the pools that have it."""
    obstacle = min(each.obstacle for _, each in hindered)
    pools: defaultdict[str, set[str]] = defaultdict(set)
    for group, each in hindered:
        if each.obstacle is obstacle:
            pools[short_name(group.pool)].add(each.detail)
    named = [f"{pool} ({', '.join(sorted(said))})" if any(said) else pool for pool, said in sorted(pools.items())]
    return Misfit(obstacle.reason, obstacle.message + ", ".join(named))
