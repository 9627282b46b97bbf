"""Rules about names: what must differ, what must fit, what is not for users."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model import names
from components.model.facts import filestore, gke, hyperdisk
from components.model.findings import Finding, listing
from components.model.plan.cloud import CreatedNetworkPlan
from components.model.rule import Family, rule

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from components.model.places import Place
    from components.model.plan import Plan

    Named = tuple[str, Place]
    """A name and the part of the file that makes it."""

FAMILY: Final = Family.GUARDRAILS


def _families(plan: Plan) -> Iterator[tuple[str, list[Named]]]:
    """Everything that has a name, by what must not share one."""
    pools = [*plan.node_pools, *plan.slice_pools]
    yield "node pool", [(pool.name, pool.place) for pool in pools]
    yield "ComputeClass", [(each.name, each.place) for each in plan.compute_classes]
    yield "flavor", [(flavor.name, flavor.place) for flavor in (*plan.flavors, *plan.node_flavors)]
    yield "cohort", [(cohort.name, cohort.place) for cohort in plan.cohorts]
    yield "admission check", [(check.name, check.place) for check in plan.admission_checks]
    yield "service", [(service.name, service.place) for service in plan.services]
    yield "share", [(storage.name, storage.place) for storage in plan.shared_storage]
    yield "Managed Lustre instance", [(each.name, each.place) for each in plan.lustre]
    yield "disk", [(each.name, each.place) for each in plan.disks]
    yield "claim", [(names.in_namespace(claim.namespace, claim.name), claim.place) for claim in plan.claims]
    yield "bucket", [(bucket.name, bucket.place) for bucket in plan.buckets]
    yield "maintenance exclusion", [(each.name, each.place) for each in plan.cluster.exclusions]
    yield "namespace", [(each.name, each.place) for each in plan.namespaces]
    yield "queue", [(queue.name, queue.place) for queue in plan.queues]
    for queue in plan.queues:
        yield f"flavor of queue {queue.name}", [(share.name, share.place) for share in queue.shares]
    local_queues = [local for queue in plan.queues for local in queue.local_queues]
    yield "local queue", [(names.in_namespace(local.namespace, local.name), local.place) for local in local_queues]
    for kind, objects in (("service account", plan.service_accounts), ("secret", plan.secrets)):
        yield kind, [(names.in_namespace(each.namespace, each.name), each.place) for each in objects]
    yield "priority", [(priority.name, priority.place) for priority in plan.priorities]
    yield "workload", [(names.in_namespace(work.namespace, work.name), work.place) for work in plan.workloads]


@rule(
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
                says=f"the {kind} {_names(repeated)} taken by {taken[repeated[0]]}.",
                remedy="Choose another name.",
            )


def _names(repeated: list[str]) -> str:
    return f"name {repeated[0]} is" if len(repeated) == 1 else f"names {listing(repeated)} are"


@rule(
    summary="derived names keep within the limits of the cloud",
    why="The API refuses a longer name; a name is never cut here, because cut names collide.",
    source="GKE, Compute Engine and IAM APIs",
)
def _names_fit(plan: Plan) -> Iterator[Finding]:
    cluster = plan.cluster
    account = None if cluster.identity is None else cluster.identity.account_id
    if account is not None:
        yield from _fits("nodes' service account", account, gke.SERVICE_ACCOUNT_ID_LENGTH, cluster.place)
    if isinstance(plan.network, CreatedNetworkPlan):
        yield from _network_fits(plan.network)
    for redis in plan.redises:
        label = names.revision_label(redis.name)
        yield from _fits("label of its pods", label, gke.KUBERNETES_LABEL_LENGTH, redis.place)
    for place, pools in _by_place(plan):
        yield from _fits("node pool", max(pools, key=len), gke.NODE_POOL_NAME_LENGTH, place)
    for instance in (*plan.shared_storage, *plan.lustre):
        yield from _fits("instance", instance.name, filestore.INSTANCE_NAME_LENGTH, instance.place)
    for disk in plan.disks:
        yield from _fits("disk", disk.name, hyperdisk.NAME_LENGTH, disk.place)
    for claim in plan.claims:
        yield from _fits("claim's volume", claim.volume, gke.OBJECT_NAME_LENGTH, claim.place)


def _network_fits(network: CreatedNetworkPlan) -> Iterator[Finding]:
    name, services = network.name, network.private_services
    longest = max((name, names.subnetwork(name), names.router(name), names.nat(name)), key=len)
    yield from _fits("network's router", longest, gke.NETWORK_NAME_LENGTH, network.place)
    if services is not None:
        yield from _fits("range of services", services.range_name, gke.NETWORK_NAME_LENGTH, network.place)


def _by_place(plan: Plan) -> Iterable[tuple[Place, list[str]]]:
    pools: dict[Place, list[str]] = {}
    for pool in (*plan.node_pools, *plan.slice_pools):
        pools.setdefault(pool.place, []).append(pool.name)
    return pools.items()


def _fits(kind: str, name: str, limit: int, place: Place) -> Iterator[Finding]:
    if len(name) > limit:
        yield Finding(
            place=place.at("name"),
            says=f"the {kind} would be named {name}, which has {len(name)} characters; it may have {limit} at most.",
            remedy=f"Shorten the name by {len(name) - limit}.",
        )


@rule(
    summary="queues, workloads and claims are in namespaces of users, and a stack declares no other namespace",
    why="Kueue leaves the system's namespaces alone, and their owners may overwrite what others put there.",
    source="Kueue configuration, managedJobsNamespaceSelector",
)
def _namespace_is_users(plan: Plan) -> Iterator[Finding]:
    local_queues = [local for queue in plan.queues for local in queue.local_queues]
    for part in (*local_queues, *plan.workloads, *plan.claims, *plan.service_accounts, *plan.secrets):
        if part.namespace.startswith(gke.SYSTEM_NAMESPACES):
            yield Finding(
                place=part.place.at("namespace"),
                says=f"{part.namespace} belongs to the system.",
                remedy=f"Name a namespace of a team, or {gke.DEFAULT_NAMESPACE}.",
            )
    for each in plan.namespaces:
        if not each.has_entry:
            continue
        if each.name == gke.DEFAULT_NAMESPACE:
            yield Finding(
                place=each.place.at("name"),
                says=f"every cluster has {each.name}; the stack neither makes it nor deletes it.",
                remedy="Remove the entry.",
            )
        elif each.name.startswith(gke.SYSTEM_NAMESPACES):
            yield Finding(
                place=each.place.at("name"),
                says=f"{each.name} belongs to the system.",
                remedy="Name a namespace of a team, or remove the entry.",
            )
