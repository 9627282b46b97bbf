"""Rules about ComputeClasses: which pools belong to one, and which workloads it serves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import compute_classes, gke
from components.model.findings import Finding, counted, did_you_mean, listing
from components.model.plan.workloads import BatchJobPlan, TpuRunPlan
from components.model.rule import Family, rule
from components.model.rules.class_machines import CLASS_MACHINE_RULES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from components.model.places import Place
    from components.model.plan import Plan
    from components.model.plan.compute_classes import ClassEntryPlan, ClassNodesPlan
    from components.model.plan.workloads import RunPlan

_CLASSES: Final = 'GKE documentation "About custom ComputeClasses", read 2026-11'
_CONDITIONS: Final = "public source of GKE's cluster autoscaler, computeclass/conditions, read 2026-11"


@rule(
    "class-name-is-free",
    summary="the name of a ComputeClass does not begin with gke or autopilot",
    why="GKE refuses the class.",
    source=_CLASSES,
    family=Family.TOPOLOGY,
)
def class_name_is_free(plan: Plan) -> Iterator[Finding]:
    """Of the classes of a stack file."""
    for each in plan.compute_classes:
        yield from reserved(each.name, each.place.at("name"))


def reserved(name: str, place: Place) -> Iterator[Finding]:
    """That the name at the place is one of GKE's own."""
    word = next((word for word in compute_classes.RESERVED_NAMES if name.startswith(word)), None)
    if word is not None:
        yield Finding(
            place=place,
            says=f"the name begins with {word}, which GKE reserves for its own classes.",
            remedy="Choose a name with another beginning.",
        )


@rule(
    "class-pool-exists",
    summary="a priority names entries of node_pools or tpu_slices",
    why="GKE reports the class as misconfigured, and pods get no nodes of that priority.",
    source=_CONDITIONS,
    family=Family.TOPOLOGY,
)
def _class_pool_exists(plan: Plan) -> Iterator[Finding]:
    for entry in _entries(plan):
        known = plan.compute_classes[0].known_entries
        if plan.cluster.mode == "autopilot":
            yield Finding(
                place=entry.place,
                says="an Autopilot cluster has no declared node pools.",
                remedy="Name the machines themselves: machine_type, and for TPUs topology.",
            )
        elif not entry.pools:
            yield Finding(
                place=entry.place,
                says=f"no entry of node_pools or tpu_slices is named {entry.name}.",
                remedy=f"{did_you_mean(entry.name, known)}Entries: {listing(known)}.",
            )


def _entries(plan: Plan) -> Iterator[ClassEntryPlan]:
    return (entry for each in plan.compute_classes for entry in each.entries)


@rule(
    "class-pool-grows",
    summary="the pools of a ComputeClass are autoscaled, and grow when pods wait",
    why="The class chooses the pool that the autoscaler lets grow. A pool of a fixed size gets no node for its pods, "
    "and GKE reports the class as misconfigured.",
    source=_CONDITIONS,
    family=Family.TOPOLOGY,
)
def _class_pool_grows(plan: Plan) -> Iterator[Finding]:
    pools = {pool.name: pool for pool in (*plan.node_pools, *plan.slice_pools)}
    for entry in _entries(plan):
        pool = pools[entry.pools[0]] if entry.pools else None
        if pool is None:
            continue
        if pool.autoscaling is None:
            is_of_slices = pool.name in {each.name for each in plan.slice_pools}
            yield Finding(
                place=entry.place,
                says=f"{entry.name} has a fixed number of nodes.",
                remedy="Add autoscaled to that entry."
                if is_of_slices
                else "Write autoscaling in place of nodes in that entry.",
            )
        elif pool.is_queued:
            yield Finding(
                place=entry.place,
                says=f"nodes of {entry.name} are queued: they come for ProvisioningRequests of Kueue alone.",
                remedy="Remove queued from that entry.",
            )


@rule(
    "pool-has-one-class",
    summary="an entry is in one priority of one ComputeClass",
    why="A node has the label and the taint of one class, and the second priority would bring nothing new.",
    source=_CLASSES,
    family=Family.TOPOLOGY,
)
def _pool_has_one_class(plan: Plan) -> Iterator[Finding]:
    taken: dict[str, Place] = {}
    for entry in _entries(plan):
        first = taken.setdefault(entry.name, entry.place)
        if first != entry.place:
            yield Finding(
                place=entry.place,
                says=f"{entry.name} belongs to {first} already.",
                remedy="Name it once.",
            )


@rule(
    "workload-class-exists",
    summary="a workload's ComputeClass is declared",
    why="No node has the label that its pods select, and they wait for ever.",
    source=_CLASSES,
    family=Family.TOPOLOGY,
)
def _workload_class_exists(plan: Plan) -> Iterator[Finding]:
    known = [each.name for each in plan.compute_classes]
    for work in plan.programs:
        if work.compute_class is not None and plan.class_of(work) is None:
            yield Finding(
                place=work.place.at("compute_class"),
                says=f"no ComputeClass is named {work.compute_class}.",
                remedy=f"{did_you_mean(work.compute_class, known)}Declared under compute_classes: {listing(known)}.",
            )


@rule(
    "class-is-without-queue",
    summary="a workload has a queue or a ComputeClass, not both",
    why="Kueue admits a workload to a flavor, whose labels select one kind of machine, and counts its quota. A class "
    "would bring other machines, which no quota counts.",
    source=f'Kueue documentation "Resource Flavor"; {_CLASSES}',
    family=Family.QUOTA,
)
def _class_is_without_queue(plan: Plan) -> Iterator[Finding]:
    for work in plan.programs:
        if work.compute_class is not None and work.queue is not None:
            yield Finding(
                place=work.place.at("compute_class"),
                says=f"Kueue decides which machines the workloads of {work.queue} get.",
                remedy="For a chain of capacities in a queue, list flavors of the queue in its order; else remove "
                "queue.",
                is_about_key=True,
            )


@rule(
    "class-serves-workload",
    summary="every priority of a workload's ComputeClass brings nodes on which its pods can run",
    why="GKE may add the nodes of any priority. On others the pods do not start, or the slice has the wrong size.",
    source=_CLASSES,
    family=Family.TOPOLOGY,
)
def _class_serves_workload(plan: Plan) -> Iterator[Finding]:
    for work in plan.programs:
        found = plan.class_of(work)
        for index, priority in enumerate(() if found is None else found.priorities):
            for nodes in priority.nodes:
                lack = _lack(work, nodes)
                if found is not None and lack is not None:
                    yield Finding(
                        place=work.place.at("compute_class"),
                        says=f"priority {index} of {found.name} brings {nodes.what}, {lack}.",
                        remedy="Choose a class whose every priority brings nodes for the workload.",
                    )


def _lack(work: RunPlan, nodes: ClassNodesPlan) -> str | None:
    """Why pods of the run cannot run on such nodes; None when they can, or when another rule says why not."""
    if isinstance(work, TpuRunPlan):
        if not nodes.hosts and not nodes.is_of_tpus:
            return "which have no TPUs"
        if nodes.hosts and (nodes.hosts, nodes.chips_per_host) != (work.hosts, work.chips_per_host):
            return (
                f"which are {_hosts(nodes.hosts, nodes.chips_per_host)}; the first ones are "
                f"{_hosts(work.hosts, work.chips_per_host)}"
            )
        return None
    if nodes.is_of_tpus:
        return "whose taint keeps pods without chips away"
    return _without_gpus(work, nodes) if isinstance(work, BatchJobPlan) else None


def _without_gpus(work: BatchJobPlan, nodes: ClassNodesPlan) -> str | None:
    wanted = work.pod.all_requests.get(gke.RESOURCE_GPU)
    if wanted is None:
        return None if nodes.gpu is None else "whose taint keeps pods without GPUs away"
    if nodes.gpu == work.gpu and nodes.gpus * 1000 >= wanted.milli:
        return None
    has = "no GPUs" if nodes.gpu is None else f"{nodes.gpus} {nodes.gpu}"
    return f"each with {has}; the pods want {wanted} {work.gpu}"


def _hosts(hosts: int, chips: int) -> str:
    return f"{counted(hosts, 'host')} of {chips} chips"


COMPUTE_CLASS_RULES: Final = (
    class_name_is_free,
    _class_pool_exists,
    _class_pool_grows,
    _pool_has_one_class,
    *CLASS_MACHINE_RULES,
    _workload_class_exists,
    _class_is_without_queue,
    _class_serves_workload,
)
