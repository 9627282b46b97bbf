"""Rules about names: what must differ, what must fit, what is not for users."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model import gke, names
from components.model.findings import Finding, Place, listing, rule
from components.model.plan import CreatedNetworkPlan

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from components.model.plan import Plan

    Named = tuple[str, Place]
    """A name and the part of the file that makes it."""


def _families(plan: Plan) -> Iterator[tuple[str, list[Named]]]:
    """Everything that has a name, by what must not share one."""
    pools = [*plan.node_pools, *plan.slice_pools]
    yield "node pool", [(pool.name, pool.place) for pool in pools]
    yield "flavor", [(flavor.name, flavor.place) for flavor in plan.flavors]
    yield "queue", [(queue.name, queue.place) for queue in plan.queues]
    for queue in plan.queues:
        yield f"flavor of queue {queue.name}", [(flavor.name, flavor.place) for flavor in queue.flavors]
    local_queues = [local for queue in plan.queues for local in queue.local_queues]
    yield "local queue", [(names.in_namespace(local.namespace, local.name), local.place) for local in local_queues]
    yield "priority", [(priority.name, priority.place) for priority in plan.priorities]
    yield "workload", [(names.in_namespace(work.namespace, work.name), work.place) for work in plan.workloads]


@rule(
    "names-differ",
    summary="no two things of a kind share a name",
    why="The second would be refused by the API, or would overwrite the first.",
    source="GKE and Kubernetes APIs",
)
def _names_differ(plan: Plan) -> Iterator[Finding]:
    for kind, named in _families(plan):
        taken: dict[str, Place] = {}
        again: dict[Place, list[str]] = {}
        for name, place in named:
            if taken.setdefault(name, place) != place:
                again.setdefault(place, []).append(name)
        for place, repeated in again.items():
            yield Finding(
                place=place.at("name"),
                says=f"{listing(repeated)} is already the name of a {kind}: of {taken[repeated[0]]}."
                if len(repeated) == 1
                else f"{listing(repeated)} are already names of {kind}s: of {taken[repeated[0]]}.",
                remedy="Choose another name.",
            )


@rule(
    "names-fit",
    summary="derived names keep within the limits of the cloud",
    why="The API refuses a longer name; a name is never cut here, because cut names collide.",
    source="GKE, Compute Engine and IAM APIs",
)
def _names_fit(plan: Plan) -> Iterator[Finding]:
    cluster = plan.cluster
    place = cluster.place.at("name")
    yield from _fits("cluster", cluster.name, range(gke.CLUSTER_NAME_LENGTH + 1), place)
    yield from _fits("nodes' service account", cluster.identity.account_id, gke.SERVICE_ACCOUNT_ID_LENGTH, place)
    if isinstance(plan.network, CreatedNetworkPlan):
        name = plan.network.name
        longest = max((name, names.subnetwork(name), names.router(name), names.nat(name)), key=len)
        yield from _fits("network's router", longest, range(gke.NETWORK_NAME_LENGTH + 1), plan.network.place.at("name"))
    for pool_place, pools in _by_place(plan):
        yield from _fits("node pool", max(pools, key=len), range(gke.NODE_POOL_NAME_LENGTH + 1), pool_place.at("name"))


def _by_place(plan: Plan) -> Iterable[tuple[Place, list[str]]]:
    pools: dict[Place, list[str]] = {}
    for pool in (*plan.node_pools, *plan.slice_pools):
        pools.setdefault(pool.place, []).append(pool.name)
    return pools.items()


def _fits(kind: str, name: str, lengths: range, place: Place) -> Iterator[Finding]:
    if len(name) in lengths:
        return
    is_long = len(name) >= lengths.stop
    excess = len(name) - lengths[-1] if is_long else lengths.start - len(name)
    limit = f"{lengths[-1]} at most" if is_long else f"{lengths.start} at least"
    yield Finding(
        place=place,
        says=f"the {kind} would be named {name}, which has {len(name)} characters; it may have {limit}.",
        remedy=f"{'Shorten' if is_long else 'Lengthen'} the name by {excess}.",
    )


@rule(
    "namespace-is-users",
    summary="queues are in namespaces of users",
    why="Kueue leaves the system's namespaces alone, and their owners may overwrite what others put there.",
    source="Kueue configuration, managedJobsNamespaceSelector",
)
def _namespace_is_users(plan: Plan) -> Iterator[Finding]:
    for queue in plan.queues:
        for local in queue.local_queues:
            if local.namespace.startswith(gke.SYSTEM_NAMESPACES):
                yield Finding(
                    place=local.place.at("namespace"),
                    says=f"{local.namespace} belongs to the system.",
                    remedy=f"Name a namespace of a team, or {gke.DEFAULT_NAMESPACE}.",
                )


NAME_RULES: Final = (_names_differ, _names_fit, _namespace_is_users)
