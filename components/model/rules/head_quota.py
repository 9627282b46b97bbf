"""Rules about the pods that lead Pathways and Ray workloads: quota, pools and nodes for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import compute, gke
from components.model.facts.quantities import Quantity
from components.model.findings import Finding, Severity, counted, did_you_mean, listing
from components.model.plan.workloads import PathwaysPlan
from components.model.rule import Family, rule
from components.model.rules.reach import Reach
from components.model.rules.run import A_NODE_POOL, not_on_autopilot
from components.model.rules.workload import Queues

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from components.model.plan import Plan
    from components.model.plan.nodes import OrdinaryPoolPlan
    from components.model.plan.queues import QueuePlan, ResourcesPlan
    from components.model.plan.workloads import LedPlan

_KUEUE: Final = 'Kueue documentation "ClusterQueue", read 2026-11'
_CONTROLLER: Final = "google/pathways-job, internal/controller/pathwaysjob_controller.go, read 2026-11"
_SELECTORS: Final = 'Kubernetes documentation "Assigning Pods to Nodes", read 2026-11'
_SIZED: Final = (gke.RESOURCE_CPU, gke.RESOURCE_MEMORY)
_MIB: Final = 1024 * 1024 * 1000
"""Thousandths of a byte."""


@rule(
    "head-is-covered",
    summary="a queue has quota of every resource that the heads of its workloads request",
    why="Kueue never admits a workload that requests a resource without quota in its queue.",
    source=_KUEUE,
    family=Family.QUOTA,
)
def _head_is_covered(plan: Plan) -> Iterator[Finding]:
    queues = Queues(plan)
    stateless = {flavor.name for flavor in plan.node_flavors}
    for work in plan.led_runs:
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
    "head-can-ever-fit",
    summary="the head of a workload fits into the quota of a flavor whose nodes it may use",
    why="Head and slices start together or not at all, so the workload would wait for ever.",
    source=_KUEUE,
    family=Family.QUOTA,
)
def _head_can_ever_fit(plan: Plan) -> Iterator[Finding]:
    queues, reach = Queues(plan), Reach(plan)
    pools = [pool.name for pool in plan.node_pools]
    for work in plan.led_runs:
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


def _usable(plan: Plan, work: LedPlan, queue: QueuePlan) -> list[ResourcesPlan]:
    """The quotas of flavors whose nodes the head may use."""
    flavors = {flavor.name: flavor.labels for flavor in plan.node_flavors}
    return [
        share
        for share in queue.resources
        if all(flavors.get(share.name, {}).get(key, value) == value for key, value in work.head.node_selector.items())
    ]


def _beyond(work: LedPlan, queue: QueuePlan, name: str, most: Quantity) -> Finding:
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
    "head-pool-exists",
    summary="the pool that holds a head is an ordinary pool of the cluster",
    why="The head would stay Pending, and the slices of its workload idle.",
    source=_SELECTORS,
    family=Family.GUARDRAILS,
)
def _head_pool_exists(plan: Plan) -> Iterator[Finding]:
    known = [pool.name for pool in plan.node_pools]
    for work in plan.led_runs:
        pool, place = work.head.pool, work.head.place.at("pool")
        if pool is None or plan.cluster.is_existing:
            continue
        if plan.cluster.mode == "autopilot":
            yield not_on_autopilot(place, A_NODE_POOL)
        elif pool not in known:
            yield Finding(
                place=place,
                says=f"no pool of ordinary nodes is named {pool}.",
                remedy=f"{did_you_mean(pool, known)}Pools: {listing(known)}.",
            )


@rule(
    "head-fits-a-node",
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
    for work in plan.led_runs:
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


def _pools_of(plan: Plan, work: LedPlan, queues: Queues) -> Sequence[OrdinaryPoolPlan]:
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
    "heads-have-nodes",
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
    for work in plan.led_runs:
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


HEAD_QUOTA_RULES: Final = (
    _head_is_covered,
    _head_can_ever_fit,
    _head_pool_exists,
    _head_fits_a_node,
    _heads_have_nodes,
)
