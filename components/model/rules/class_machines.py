"""Rules about the machines for which GKE makes node pools, of priorities of ComputeClasses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import compute, compute_classes, gke, gpu, tpu
from components.model.findings import Finding, Severity, did_you_mean, listing
from components.model.rule import Family, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from components.model.plan import Plan
    from components.model.plan.compute_classes import MadePriorityPlan

_CLASSES: Final = 'GKE documentation "About custom ComputeClasses", read 2026-11'


def _made(plan: Plan) -> Iterator[MadePriorityPlan]:
    return (priority for each in plan.compute_classes for priority in each.made)


@rule(
    "class-machine-exists",
    summary="a priority of a ComputeClass states machines that exist",
    why="GKE reports the class as misconfigured, and pods get no nodes of that priority.",
    source="components/model/facts/tpu_catalogue.py, compute.py and gpu.py",
    family=Family.TOPOLOGY,
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
        yield from _without_gpus(priority, gpu.gpu(priority.gpu))


def _unknown(priority: MadePriorityPlan, key: str, word: str, known: tuple[str, ...] | list[str]) -> Finding:
    names = {"machine_type": "a machine type", "machine_family": "a machine series", "gpu": "a GPU"}
    return Finding(
        place=priority.place.at(*(("gpu", "type") if key == "gpu" else (key,))),
        says=f"{word} is not {names[key]} known here.",
        remedy=f"{did_you_mean(word, known)}If Google offers it, ignore this warning.",
        severity=Severity.WARNING,
    )


def _without_gpus(priority: MadePriorityPlan, card: gpu.Gpu) -> Iterator[Finding]:
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
    "class-capacity-exists",
    summary="a priority of a ComputeClass states capacity that its machines have",
    why="GKE refuses the class, or adds no nodes of that priority.",
    source=_CLASSES,
    family=Family.TOPOLOGY,
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
    "class-pools-are-made",
    summary="on releases where GKE makes pools for a ComputeClass only with node auto-provisioning, that is on",
    why="GKE makes no node pools for the class, and its pods wait.",
    source=_CLASSES,
    family=Family.TOPOLOGY,
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


CLASS_MACHINE_RULES: Final = (_class_machine_exists, _class_capacity_exists, _class_pools_are_made)
