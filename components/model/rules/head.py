"""Rules about Pathways and Ray: their heads, and the quota and nodes that heads need."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model import names
from components.model.facts import compute, gke, pathways, ray
from components.model.facts.quantities import Quantity
from components.model.findings import Finding, Severity, about_key, counted, listing, unlisted
from components.model.plan.workloads import PathwaysPlan, RayPlan
from components.model.rule import Family, rule
from components.model.rules.cohort import Reach
from components.model.rules.image import unpinned_image
from components.model.rules.run import A_NODE_POOL, not_on_autopilot
from components.model.rules.storage import undeclared_bucket
from components.model.rules.workload import Queues

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from components.model.plan import Plan
    from components.model.plan.nodes import OrdinaryPoolPlan
    from components.model.plan.queues import QueuePlan, ResourcesPlan
    from components.model.plan.workloads import HeadedRun

FAMILY: Final = Family.GUARDRAILS

_CONTROLLER: Final = "google/pathways-job, internal/controller/pathwaysjob_controller.go, read 2026-11"
_KUEUE: Final = 'Kueue documentation "ClusterQueue", read 2026-11'
_SELECTORS: Final = 'Kubernetes documentation "Assigning Pods to Nodes", read 2026-11'
_SIZED: Final = (gke.RESOURCE_CPU, gke.RESOURCE_MEMORY)
_MIB: Final = 1024 * 1024 * 1000
"""Thousandths of a byte."""


@rule(
    summary="Pathways runs on the machine type of a workload's slices",
    why="Its resource manager does not know the slices, and the program waits for devices for ever.",
    source=_CONTROLLER,
    family=Family.TOPOLOGY,
)
def _pathways_runs_on_machine(plan: Plan) -> Iterator[Finding]:
    for work in plan.headed_runs:
        if isinstance(work, PathwaysPlan) and work.machine_type and not work.instance_type:
            yield Finding(
                place=work.place.at("flavors", 0) if work.lists_flavors else work.place.at("flavor"),
                says=f"Pathways does not run on {work.machine_type}, whose slices {work.first_flavor} counts.",
                remedy=f"Name a flavor of {listing(pathways.MACHINE_TYPES, 'or')}.",
            )


@rule(
    summary="flavors that a Pathways workload may take are of one machine type and one topology",
    why="Its resource manager is started for slices of one type, whichever flavor Kueue takes.",
    source=_CONTROLLER,
    family=Family.TOPOLOGY,
)
def _pathways_flavors_are_one_type(plan: Plan) -> Iterator[Finding]:
    flavors = {flavor.name: flavor for flavor in plan.flavors}
    for work in plan.headed_runs:
        first = flavors.get(work.first_flavor)
        if not isinstance(work, PathwaysPlan) or first is None:
            continue
        for index, name in enumerate(work.flavors):
            other = flavors.get(name)
            if other is not None and (other.machine_type, other.topology) != (first.machine_type, first.topology):
                yield Finding(
                    place=work.place.at("flavors", index),
                    says=f"slices of {name} are {other.topology} of {other.machine_type}, those of {first.name} "
                    f"{first.topology} of {first.machine_type}.",
                    remedy="Keep flavors of one machine type and one topology.",
                )


@rule(
    summary="the scratch bucket of a Pathways workload is declared",
    why="Nobody else grants its pods to write there, and the proxy ends when it cannot store a compiled program.",
    source="components/model/planning/storage.py",
)
def _scratch_bucket_is_declared(plan: Plan) -> Iterator[Finding]:
    known = [bucket.name for bucket in plan.buckets]
    for work in plan.headed_runs:
        if isinstance(work, PathwaysPlan) and work.scratch_bucket not in known:
            yield undeclared_bucket(work.place.at("scratch_bucket"), work.scratch_bucket, plan)


@rule(
    summary="the release of Pathways is a tag that is not moved",
    why="Head, workers and the program's JAX must fit each other, also after a restart.",
    source='Kubernetes documentation "Images", read 2026-11',
    severity=Severity.ADVICE,
)
def _pathways_is_pinned(plan: Plan) -> Iterator[Finding]:
    for work in plan.headed_runs:
        if isinstance(work, PathwaysPlan):
            yield from unpinned_image(work.server_image, work.place.at("version"))


@rule(
    summary="the name of a Ray workload leaves room for the names of its cluster and Services",
    why="KubeRay refuses the RayJob, which then never gets a cluster.",
    source="KubeRay 1.6.2, ray-operator/controllers/ray/utils/validation.go",
    family=Family.TOPOLOGY,
)
def _ray_job_name(plan: Plan) -> Iterator[Finding]:
    for work in plan.headed_runs:
        if not isinstance(work, RayPlan):
            continue
        excess = len(work.name) - ray.JOB_NAME_LENGTH
        if excess > 0:
            yield Finding(
                place=work.place.at("name"),
                says=f"{work.name} has {len(work.name)} characters; a RayJob's name may have {ray.JOB_NAME_LENGTH} at "
                "most.",
                remedy=f"Shorten the name by {excess}.",
            )
        elif not names.is_label(work.name):
            yield Finding(
                place=work.place.at("name"),
                says=f"{work.name} begins with a digit, and a RayJob's name begins with a letter.",
                remedy=f"Such as {names.as_label(work.name)}.",
            )


@rule(
    summary="the variables by which a program finds Pathways are not set a second time",
    why="The API server refuses a container that sets one twice.",
    source="Kubernetes API v1, Container",
)
def _pathways_variables(plan: Plan) -> Iterator[Finding]:
    for work in plan.headed_runs:
        for name in pathways.PROGRAM_VARIABLES if isinstance(work, PathwaysPlan) else ():
            if name in work.pod.env:
                yield about_key(
                    place=work.place.at("env", name),
                    says="the stack sets it, so that the program finds the proxy.",
                )


@rule(
    summary="a queue has quota of every resource that the heads of its workloads request",
    why="Kueue never admits a workload that requests a resource without quota in its queue.",
    source=_KUEUE,
    family=Family.QUOTA,
)
def _head_is_covered(plan: Plan) -> Iterator[Finding]:
    queues = Queues(plan)
    stateless = {flavor.name for flavor in plan.node_flavors}
    for work in plan.headed_runs:
        queue = queues.of(work)
        if queue is None or any(share.name in stateless for share in queue.flavors):
            continue  # a rule says that a flavor of ordinary resources states none
        covered = list(dict.fromkeys(name for share in queue.resources for name in share.quotas))
        missing = [name for name in work.head.quota if name not in covered]
        if missing:
            yield Finding(
                place=work.head.place,
                says=f"{queue.name} has no quota of {listing(missing)}, which the head of {work.name} requests; the "
                "workload would wait for ever.",
                remedy=f"Add a flavor without machine_type to the flavors of {queue.name}, such as {{name: cpu}}: its "
                "quota is what the heads request, unless resources states more.",
            )


@rule(
    summary="the head of a workload fits into the quota of a flavor whose nodes it may use",
    why="Head and slices start together or not at all, so the workload would wait for ever.",
    source=_KUEUE,
    family=Family.QUOTA,
)
def _head_can_ever_fit(plan: Plan) -> Iterator[Finding]:
    queues, reach = Queues(plan), Reach(plan)
    pools = [pool.name for pool in plan.node_pools]
    for work in plan.headed_runs:
        queue = queues.of(work)
        if queue is None or work.head.pool not in (None, *pools):
            continue
        usable = _usable(plan, work, queue)
        for name, amount in work.head.quota.items():
            covering = [share for share in queue.resources if name in share.quotas]
            most = max((reach.milli(queue, share, name) for share in covering if share in usable), default=0)
            if covering and amount.milli > most:
                yield _beyond(work, queue, name, Quantity(most, amount.is_binary))
                break


def _usable(plan: Plan, work: HeadedRun, queue: QueuePlan) -> list[ResourcesPlan]:
    """The quotas of flavors whose nodes the head may use."""
    flavors = {flavor.name: flavor.labels for flavor in plan.node_flavors}
    return [
        share
        for share in queue.resources
        if all(flavors.get(share.name, {}).get(key, value) == value for key, value in work.head.node_selector.items())
    ]


def _beyond(work: HeadedRun, queue: QueuePlan, name: str, most: Quantity) -> Finding:
    asked = work.head.quota[name]
    if not most.milli and work.head.pool is not None:
        return Finding(
            place=work.head.place.at("pool"),
            says=f"{queue.name} has no quota of {name} on nodes of {work.head.pool}.",
            remedy=f"Remove the key, or name a pool that a flavor of {queue.name} selects.",
        )
    return Finding(
        place=work.head.place,
        says=f"the head of {work.name} requests {asked} of {name}, but {queue.name} has {most}; the workload would "
        "wait for ever.",
        remedy=f"Raise the quota to {asked}, or leave out resources of the flavor: its quota is then what heads need.",
    )


@rule(
    summary="the pool that holds a head is an ordinary pool of the cluster",
    why="The head would stay Pending, and the slices of its workload idle.",
    source=_SELECTORS,
)
def _head_pool_exists(plan: Plan) -> Iterator[Finding]:
    known = [pool.name for pool in plan.node_pools]
    for work in plan.headed_runs:
        pool, place = work.head.pool, work.head.place.at("pool")
        if pool is None or plan.cluster.is_existing:
            continue
        if plan.cluster.mode == "autopilot":
            yield not_on_autopilot(place, A_NODE_POOL)
        elif pool not in known:
            yield unlisted(place, "pool of ordinary nodes", pool, known, "Pools")


@rule(
    summary="some node has room for the head of a Pathways or Ray workload",
    why="The head would stay Pending, and the slices of its workload idle.",
    source="components/model/facts/compute.py",
    family=Family.QUOTA,
)
def _head_fits_a_node(plan: Plan) -> Iterator[Finding]:
    cluster = plan.cluster
    if cluster.is_existing or cluster.auto_provisioning is not None:
        return
    queues = Queues(plan)
    for work in plan.headed_runs:
        pools = _pools_of(plan, work, queues)
        sizes = [_size_of(pool) for pool in pools if compute.is_ordinary_machine(pool.machine_type)]
        if not pools or len(sizes) < len(pools):
            continue
        asked = {name: work.head.requests[name] for name in _SIZED if name in work.head.requests}
        if any(_fits(asked, size) for size in sizes):
            continue
        machines = list(dict.fromkeys(pool.machine_type for pool in pools))
        needs = listing([f"{amount} of {name}" for name, amount in asked.items()])
        yield Finding(
            place=work.head.place,
            says=f"the head of {work.name} requests {needs}, and no node for it offers more than that: "
            f"{listing(machines)}.",
            remedy="Declare a pool with a larger machine type in node_pools, or request less in head.",
        )


def _pools_of(plan: Plan, work: HeadedRun, queues: Queues) -> Sequence[OrdinaryPoolPlan]:
    """The pools whose nodes can take the head: those that it names, or that a flavor of its queue selects."""
    pools = [pool for pool in plan.node_pools if work.head.pool in (None, pool.name)]
    queue, flavors = queues.of(work), {flavor.name: flavor.labels for flavor in plan.node_flavors}
    if queue is None:
        return pools
    selected = [flavors[share.name] for share in queue.resources if share.name in flavors]
    return [pool for pool in pools if any(_may_carry(pool, labels) for labels in selected)]


def _may_carry(pool: OrdinaryPoolPlan, labels: Mapping[str, str]) -> bool:
    """Whether the nodes of a pool may have all the labels; other labels that GKE sets are not known here."""
    known = {**pool.added_labels, gke.LABEL_NODE_POOL: pool.name, gke.LABEL_INSTANCE_TYPE: pool.machine_type}
    return all(known.get(key, value) == value for key, value in labels.items())


def _size_of(pool: OrdinaryPoolPlan) -> Mapping[str, Quantity]:
    machine = compute.ordinary_machine(pool.machine_type)
    return {
        gke.RESOURCE_CPU: Quantity(machine.vcpus * 1000),
        gke.RESOURCE_MEMORY: Quantity(machine.memory_mib * _MIB),
    }


def _fits(asked: Mapping[str, Quantity], size: Mapping[str, Quantity]) -> bool:
    """Whether a node has more than what is asked for: GKE keeps a part of every node for itself."""
    return all(amount.milli < size[name].milli for name, amount in asked.items())


@rule(
    summary="there are as many nodes for the heads of Pathways workloads on their nodes' network as there are heads",
    why="Such heads listen on ports of their nodes, so each needs a node; one without a node holds its chips idle.",
    source=_CONTROLLER,
    family=Family.QUOTA,
    severity=Severity.WARNING,
)
def _heads_have_nodes(plan: Plan) -> Iterator[Finding]:
    cluster = plan.cluster
    if cluster.mode == "autopilot" or cluster.is_existing or cluster.auto_provisioning is not None:
        return
    queues = Queues(plan)
    led: dict[tuple[str, ...], list[PathwaysPlan]] = {}
    pools = {pool.name: pool for pool in plan.node_pools}
    for work in plan.headed_runs:
        if isinstance(work, PathwaysPlan) and work.is_on_host_network:
            led.setdefault(tuple(pool.name for pool in _pools_of(plan, work, queues)), []).append(work)
    for of_pools, works in led.items():
        nodes = sum(pools[name].nodes for name in of_pools)
        if of_pools and nodes < len(works):
            yield Finding(
                place=works[nodes].head.place,
                says=f"{counted(len(works), 'Pathways workload')} may run at once, and {listing(of_pools)} "
                f"{'has' if len(of_pools) == 1 else 'have'} {counted(nodes, 'node')} for their heads.",
                remedy=f"Declare {counted(len(works), 'node')}, submit one workload after another, or set "
                "host_network: false.",
            )
