"""Rules about ComputeClasses: the pools and machines that they name, and the workloads that select them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import compute, compute_classes, gke, gpu, tpu
from components.model.findings import Finding, Severity, about_key, counted, did_you_mean, listing, unlisted
from components.model.plan.workloads import BatchJobPlan, RunPlan, TpuRunPlan
from components.model.rule import Family, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from components.model.places import Place
    from components.model.plan import Plan
    from components.model.plan.nodes import ClassEntryPlan, ClassNodesPlan, MadePriorityPlan

FAMILY: Final = Family.TOPOLOGY

_CLASSES: Final = 'GKE documentation "About custom ComputeClasses", read 2026-11'
_CONDITIONS: Final = "public source of GKE's cluster autoscaler, computeclass/conditions, read 2026-11"


@rule(
    summary="the name of a ComputeClass does not begin with gke or autopilot",
    why="GKE refuses the class.",
    source=_CLASSES,
)
def class_name_is_free(plan: Plan) -> Iterator[Finding]:
    """Checks the classes of a stack file."""
    for each in plan.compute_classes:
        yield from reserved_class_name(each.name, each.place.at("name"))


def reserved_class_name(name: str, place: Place) -> Iterator[Finding]:
    """The name at the place is one of GKE's own."""
    word = next((word for word in compute_classes.RESERVED_NAMES if name.startswith(word)), None)
    if word is not None:
        yield Finding(
            place=place,
            says=f"the name begins with {word}, which GKE reserves for its own classes.",
            remedy="Choose a name with another beginning.",
        )


@rule(
    summary="a priority names entries of node_pools or tpu_slices",
    why="GKE reports the class as misconfigured, and pods get no nodes of that priority.",
    source=_CONDITIONS,
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
            yield unlisted(entry.place, "entry of node_pools or tpu_slices", entry.name, known, "Entries")


def _entries(plan: Plan) -> Iterator[ClassEntryPlan]:
    return (entry for each in plan.compute_classes for entry in each.entries)


@rule(
    summary="the pools of a ComputeClass are autoscaled, and grow when pods wait",
    why="The class chooses the pool that the autoscaler lets grow. A pool of a fixed size gets no node for its pods, "
    "and GKE reports the class as misconfigured.",
    source=_CONDITIONS,
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
    summary="an entry is in one priority of one ComputeClass",
    why="A node has the label and the taint of one class, and the second priority would bring nothing new.",
    source=_CLASSES,
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
    summary="a workload's ComputeClass is declared",
    why="No node has the label that its pods select, and they wait for ever.",
    source=_CLASSES,
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
    summary="a workload has a queue or a ComputeClass, not both",
    why="Kueue admits a workload to a flavor, whose labels select one kind of machine, and counts its quota. A class "
    "would bring other machines, which no quota counts.",
    source=f'Kueue documentation "Resource Flavor"; {_CLASSES}',
    family=Family.QUOTA,
)
def _class_is_without_queue(plan: Plan) -> Iterator[Finding]:
    for work in plan.programs:
        if work.compute_class is not None and work.queue is not None:
            yield about_key(
                place=work.place.at("compute_class"),
                says=f"Kueue decides which machines the workloads of {work.queue} get.",
                remedy="For a chain of capacities in a queue, list flavors of the queue in its order; else remove "
                "queue.",
            )


@rule(
    summary="every priority of a workload's ComputeClass brings nodes on which its pods can run",
    why="GKE may add the nodes of any priority. On others the pods do not start, or the slice has the wrong size.",
    source=_CLASSES,
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


def _made(plan: Plan) -> Iterator[MadePriorityPlan]:
    return (priority for each in plan.compute_classes for priority in each.made)


@rule(
    summary="a priority of a ComputeClass states machines that exist",
    why="GKE reports the class as misconfigured, and pods get no nodes of that priority.",
    source="components/model/facts/tpu_catalogue.py, compute.py and gpu.py",
    also_warns=True,
)
def _class_machine_exists(plan: Plan) -> Iterator[Finding]:
    for priority in _made(plan):
        if priority.topology is not None:
            yield from _wrong_slice(priority, priority.topology)
        else:
            yield from _wrong_machine(priority)


def _wrong_slice(priority: MadePriorityPlan, topology: str) -> Iterator[Finding]:
    machine_type = priority.machine_type
    if not tpu.is_tpu_machine(machine_type):
        known = [machine.name for machine in tpu.machines()]
        yield Finding(
            place=priority.place.at("machine_type"),
            says=f"{machine_type} is not a TPU machine type.",
            remedy=f"{did_you_mean(machine_type, known)}TPU machine types: {listing(known)}. Other machines have no "
            "topology.",
        )
    elif not priority.nodes[0].hosts:
        yield Finding(
            place=priority.place.at("topology"),
            says=f"{machine_type} makes no {topology} slices.",
            remedy=f"{machine_type} makes {listing(tpu.topologies(machine_type), 'or')}.",
        )


def _wrong_machine(priority: MadePriorityPlan) -> Iterator[Finding]:
    machine_type, family = priority.machine_type, priority.machine_family
    if tpu.is_tpu_machine(machine_type):
        yield Finding(
            place=priority.place.at("machine_type"),
            says=f"{machine_type} is a TPU machine type, and the priority states no topology.",
            remedy=f"Add topology: {listing(tpu.topologies(machine_type), 'or')}.",
        )
    elif machine_type and not compute.is_ordinary_machine(machine_type):
        yield _unknown(priority, "machine_type", machine_type, compute.ordinary_machines())
    elif family and family not in compute.machine_families():
        yield _unknown(priority, "machine_family", family, compute.machine_families())
    if priority.gpu is not None and not gpu.is_gpu(priority.gpu):
        yield _unknown(priority, "gpu", priority.gpu, [each.name for each in gpu.GPUS])
    elif priority.gpu is not None:
        yield from _without_card(priority, gpu.gpu(priority.gpu))


def _unknown(priority: MadePriorityPlan, key: str, word: str, known: tuple[str, ...] | list[str]) -> Finding:
    names = {"machine_type": "a machine type", "machine_family": "a machine series", "gpu": "a GPU"}
    return Finding(
        place=priority.place.at(*(("gpu", "type") if key == "gpu" else (key,))),
        says=f"{word} is not {names[key]} known here.",
        remedy=f"{did_you_mean(word, known)}If Google offers it, ignore this warning.",
        severity=Severity.WARNING,
    )


def _without_card(priority: MadePriorityPlan, card: gpu.Gpu) -> Iterator[Finding]:
    machines = [name for name, count in card.machines.items() if count == priority.gpus]
    attached = "n1" if priority.gpus in card.attached else None
    if not machines and attached is None:
        counts = [str(count) for count in card.counts]
        yield Finding(
            place=priority.place.at("gpu", "count"),
            says=f"no machine has {priority.gpus} {card.name}.",
            remedy=f"Set {listing(counts, 'or')}.",
        )
        return
    stated = f"{priority.machine_type}{priority.machine_family}"
    series = {name.partition("-")[0] for name in machines} | ({attached} if attached else set[str]())
    fits = stated in machines if priority.machine_type and machines else stated.partition("-")[0] in series
    if not fits:
        key = "machine_type" if priority.machine_type else "machine_family"
        yield Finding(
            place=priority.place.at(key),
            says=f"{stated} does not come with {priority.gpus} {card.name}.",
            remedy=f"Set {listing(machines if priority.machine_type and machines else sorted(series), 'or')}.",
        )


@rule(
    summary="a priority of a ComputeClass states capacity that its machines have",
    why="GKE refuses the class, or adds no nodes of that priority.",
    source=_CLASSES,
)
def _class_capacity_exists(plan: Plan) -> Iterator[Finding]:
    for priority in _made(plan):
        if (priority.capacity == "reservation") != (priority.reservation is not None):
            is_named = priority.reservation is not None
            yield Finding(
                place=priority.place.at("reservation" if is_named else "capacity"),
                says=f"{priority.capacity} capacity takes no reservation."
                if is_named
                else "the capacity is reserved, but no reservation is named.",
                remedy="Remove it, or set capacity: reservation." if is_named else "Add reservation with its name.",
                is_about_key=is_named,
            )
        if priority.capacity == "flex-start":
            yield from _without_flex_start(priority)
        low, high = gke.FLEX_START_RUN_SECONDS if priority.capacity == "flex-start" else gke.RUN_SECONDS
        seconds = priority.max_run_seconds
        if seconds is not None and not low <= seconds <= high:
            yield Finding(
                place=priority.place.at("max_run_seconds"),
                says=f"nodes of {priority.capacity} capacity cannot be asked to live {seconds} seconds.",
                remedy=f"Set {low} to {high}.",
            )


def _without_flex_start(priority: MadePriorityPlan) -> Iterator[Finding]:
    machine_type = priority.machine_type
    generation = tpu.generation_of(machine_type) if tpu.is_tpu_machine(machine_type) else None
    if generation is not None and not generation.has_flex_start:
        yield Finding(
            place=priority.place.at("capacity"),
            says=f"{generation.marketing} has no flex-start.",
            remedy=f"Choose another capacity, or one of {listing(tpu.named(lambda each: each.has_flex_start))}.",
        )
    elif generation is None and priority.topology is None and priority.gpu is None:
        yield Finding(
            place=priority.place.at("capacity"),
            says="the machines have no accelerator, and flex-start is for accelerators.",
            remedy="Set on-demand or spot.",
        )


@rule(
    summary="on releases where GKE makes pools for a ComputeClass only with node auto-provisioning, that is on",
    why="GKE makes no node pools for the class, and its pods wait.",
    source=_CLASSES,
)
def _class_pools_are_made(plan: Plan) -> Iterator[Finding]:
    stated, floor = plan.cluster.minimum_version, compute_classes.OWN_POOLS_FLOOR
    if stated is None or plan.cluster.auto_provisioning is not None or gke.can_be_at_least(stated, floor):
        return
    for each in plan.compute_classes:
        if each.makes_pools:
            yield Finding(
                place=each.made[0].place,
                says=f"on {stated} GKE makes node pools for a class only with node auto-provisioning.",
                remedy=f"Add auto_provisioning, set minimum_version {floor} or newer, or name node_pools.",
            )
