"""Rules about the pods of workloads: variables, volumes, requests and memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import allocatable, gke, pods, tpu
from components.model.facts.quantities import Quantity, parse
from components.model.findings import Finding, Severity, about_key, listing
from components.model.plan.pods import BucketMountPlan, EphemeralMountPlan, MountPlan, PodPlan
from components.model.plan.workloads import PodGroupPlan, TpuRunPlan
from components.model.rule import Family, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from components.model.places import Place
    from components.model.plan import Plan

FAMILY: Final = Family.GUARDRAILS

_PODS: Final = "Kubernetes API v1, Container"
_VOLUMES: Final = 'Kubernetes documentation "Volumes", read 2026-11'
_KEYS: Final = {
    gke.LABEL_QUEUE_NAME: "queue",
    gke.LABEL_WORKLOAD_PRIORITY: "priority",
    gke.ANNOTATION_EXCLUSIVE_TOPOLOGY: "flavor",
    gke.ANNOTATION_NODE_SECONDS: "max_run_seconds of the slices",
}
"""The keys of the stack file that set them."""


@rule(
    summary="containers set no variable that each host of a slice gets for itself",
    why="A value that a container states stays, so every host would have the same one, and the slice does not start.",
    source='GKE documentation "About TPUs in GKE", and Kubernetes, pkg/controller/job; read 2026-11',
    family=Family.TOPOLOGY,
)
def _variable_is_free(plan: Plan) -> Iterator[Finding]:
    for group in plan.pod_groups:
        of_slices = pods.VARIABLES_OF_SLICES if group.is_on_slices else ()
        taken = {pods.VARIABLE_COMPLETION_INDEX: "Kubernetes", **dict.fromkeys(of_slices, "GKE")}
        for container in group.pod.containers:
            for name in container.env:
                if name in taken:
                    yield about_key(
                        place=container.place.at("env", name),
                        says=f"{taken[name]} sets it, to another value in each pod.",
                    )


@rule(
    summary="a variable with its name has less than 128 KiB",
    why="The kernel refuses to start a program with a longer one, and the container fails.",
    source="Linux, MAX_ARG_STRLEN in include/uapi/linux/binfmts.h",
)
def _variable_is_short(plan: Plan) -> Iterator[Finding]:
    for group in plan.pod_groups:
        for container in group.pod.containers:
            for name, value in container.env.items():
                size = len(f"{name}={value}".encode()) + 1 if isinstance(value, str) else 0
                if size > pods.VARIABLE_BYTES:
                    yield Finding(
                        place=container.place.at("env", name),
                        says=f"it has {size} bytes with its name; the kernel takes {pods.VARIABLE_BYTES}.",
                        remedy="Put it into a file: mount a ConfigMap, or a bucket.",
                    )


@rule(
    summary="volumes of a pod have names of their own, and containers that share a disk agree about it",
    why="The API server refuses a pod with two volumes of one name, or with the name of a volume that is too long.",
    source=_VOLUMES,
)
def _volumes_of_a_pod_differ(plan: Plan) -> Iterator[Finding]:
    for group in plan.pod_groups:
        first: dict[str, MountPlan] = {}
        for mount in group.pod.all_mounts:
            if len(mount.volume) > gke.KUBERNETES_LABEL_LENGTH:
                yield Finding(
                    place=mount.place,
                    says=f"its volume would be named {mount.volume}, which has {len(mount.volume)} characters; it may "
                    f"have {gke.KUBERNETES_LABEL_LENGTH} at most.",
                    remedy="Mount something with a shorter name.",
                )
            other = first.setdefault(mount.volume, mount)
            if mount is not other and not _is_same(mount, other):
                yield Finding(
                    place=mount.place,
                    says=f"the volume {mount.volume} is another one in {other.place}.",
                    remedy=_apart(mount, other),
                )


def _is_same(mount: MountPlan, other: MountPlan) -> bool:
    """Whether two mounts of one name are of the same volume."""
    if isinstance(mount, EphemeralMountPlan) and isinstance(other, EphemeralMountPlan):
        return (mount.size, mount.is_in_memory) == (other.size, other.is_in_memory)
    return type(mount) is type(other)


def _apart(mount: MountPlan, other: MountPlan) -> str:
    if isinstance(mount, EphemeralMountPlan) and isinstance(other, EphemeralMountPlan):
        return "State the same size and medium to share the disk, or another name for a disk of its own."
    return "Choose another name for the ephemeral disk." if isinstance(mount, EphemeralMountPlan) else "Rename one."


@rule(
    summary="ephemeral disks of a pod fit on the boot disk of its host, and those in memory into its memory",
    why="The kubelet evicts a pod that fills the disk of its node; one that fills its memory is killed.",
    source='GKE documentation "Plan node sizes" (reserved boot disk), read 2026-11',
)
def _ephemeral_disks_fit(plan: Plan) -> Iterator[Finding]:
    on_disk = allocatable.pod_disk()
    for group in plan.pod_groups:
        disks = {each.volume: each for each in group.pod.all_mounts if isinstance(each, EphemeralMountPlan)}
        plain = [each for each in disks.values() if not each.is_in_memory]
        total = sum(each.size.milli for each in plain)
        if total > on_disk.milli and plan.cluster.mode == "standard":
            yield Finding(
                place=plain[-1].place.at("ephemeral"),
                says=f"ephemeral disks of {Quantity(total, is_binary=True)} do not fit: pods have {on_disk} of a boot "
                f"disk of {allocatable.BOOT_DISK_GB} GB.",
                remedy="Ask for less, or mount a share, a bucket or a disk of its own.",
            )
        memory = group.pod.requests.get(gke.RESOURCE_MEMORY)
        for each in disks.values() if memory is not None else ():
            if each.is_in_memory and memory is not None and each.size.milli > memory.milli:
                yield Finding(
                    place=each.place.at("ephemeral"),
                    says=f"{each.size} in memory are more than the {memory} of memory that the container may use.",
                    remedy=f"Set {memory} or less, or raise resources.memory.",
                )


@rule(
    summary="pods on slices request no more than their host leaves to pods",
    why="No node of the flavor has as much, so the pods would stay Pending and hold the quota of the whole slice.",
    source='GKE documentation "Plan node sizes", read 2026-11',
    family=Family.TOPOLOGY,
)
def _requests_fit_the_host(plan: Plan) -> Iterator[Finding]:
    for group in plan.pod_groups:
        for machine_type in filter(tpu.is_tpu_machine, _machine_types(plan, group)):
            yield from _beyond_host(group, tpu.machine(machine_type))


def _machine_types(plan: Plan, group: PodGroupPlan) -> list[str]:
    """The machines that pods of slices may come on: of their first flavor, or of any priority of their ComputeClass."""
    first = next(iter(group.flavors), None)
    if first is not None:
        return [flavor.machine_type for flavor in plan.flavors if flavor.name == first][:1]
    found = plan.class_of(group.work) if group.is_on_slices and isinstance(group.work, TpuRunPlan) else None
    if found is None:
        return []
    return list(dict.fromkeys(nodes.machine_type for priority in found.priorities for nodes in priority.nodes))


def _beyond_host(group: PodGroupPlan, machine: tpu.Machine) -> Iterator[Finding]:
    most = allocatable.allocatable(machine.name, machine.vcpus, machine.memory_gb)
    for resource, amount in group.pod.all_requests.items():
        if resource in most and amount.milli > most[resource].milli:
            yield Finding(
                place=group.pod.place.at("resources", resource),
                says=f"{amount} of {resource} are more than the {most[resource]} that {machine.name} leaves to pods.",
                remedy=f"Set {most[resource]} or less; all containers of the pod count.",
            )


@rule(
    summary="a workload's own labels and annotations are not those of Kueue, JobSet, Kubernetes or this program",
    why="Their owners read or overwrite them: the workload would change its queue, or look changed at every update.",
    source="Kueue 0.19.2 and JobSet 0.12.0, API packages",
)
def _labels_are_users(plan: Plan) -> Iterator[Finding]:
    for group in plan.pod_groups:
        for section, keys in (("labels", group.pod.labels), ("annotations", group.pod.annotations)):
            for key in keys:
                owner = pods.owner_of(key)
                if owner is not None:
                    yield about_key(
                        place=group.pod.place.at(section, key),
                        says=f"{owner} owns it.",
                        remedy=f"Remove it, and set {_KEYS[key]}." if key in _KEYS else "Remove it.",
                    )


@rule(
    summary="containers of a pod have names of their own",
    why="The API server refuses a pod with two containers of one name.",
    source=_PODS,
)
def _containers_differ(plan: Plan) -> Iterator[Finding]:
    for group in plan.pod_groups:
        main = group.container
        taken = {main: "the workload's own container"}
        for sidecar in group.pod.sidecars:
            if sidecar.name in taken:
                yield Finding(
                    place=sidecar.place.at("name"),
                    says=f"the name {sidecar.name} is taken by {taken[sidecar.name]}.",
                    remedy="Choose another name.",
                )
            taken.setdefault(sidecar.name, str(sidecar.place))


@rule(
    summary="pods ask for no more time to end than their nodes have",
    why="The node ends all the same, in the middle of a checkpoint that the workload believes it has time for.",
    source='GKE documentation "Spot VMs" and "Manage disruption to GKE nodes that don\'t live migrate", read 2026-11',
    severity=Severity.WARNING,
)
def _grace_is_given(plan: Plan) -> Iterator[Finding]:
    spot = {flavor.name for flavor in plan.flavors if flavor.capacity == "spot"}
    for group in plan.pod_groups:
        work, seconds, place = group.work, group.pod.grace_seconds, group.pod.place.at("grace_seconds")
        if isinstance(work, TpuRunPlan) and seconds == work.checkpoint_seconds:
            place = work.place.at("maintenance", "checkpoint_seconds")
        on_spot = [name for name in group.flavors if name in spot]
        if seconds is None:
            continue
        if on_spot and seconds > pods.SPOT_GRACE_SECONDS:
            yield _too_long(place, seconds, pods.SPOT_GRACE_SECONDS, f"a preempted node of {listing(on_spot)}")
        elif seconds > pods.MAINTENANCE_GRACE_SECONDS:
            yield _too_long(place, seconds, pods.MAINTENANCE_GRACE_SECONDS, "maintenance")


def _too_long(place: Place, seconds: int, most: int, what: str) -> Finding:
    return Finding(
        place=place,
        says=f"{what} gives pods {most} seconds, not {seconds}.",
        remedy=f"Set {most}, and write checkpoints often enough to lose the last one.",
    )


@rule(
    summary="what pods of slices keep in memory, with the memory that they request, fits into their host",
    why="Folders in memory take the memory of the host as they fill; a host without memory ends its pods.",
    source='GKE documentation "Plan node sizes" and Kubernetes documentation "Volumes" (emptyDir), read 2026-11',
)
def _memory_folders_fit_the_host(plan: Plan) -> Iterator[Finding]:
    flavors = {flavor.name: flavor for flavor in plan.flavors}
    for work in plan.tpu_runs:
        flavor = flavors.get(work.first_flavor)
        folders = _folders(work.pod)
        if flavor is None or not folders or not tpu.is_tpu_machine(flavor.machine_type):
            continue
        machine = tpu.machine(flavor.machine_type)
        most = allocatable.allocatable(machine.name, machine.vcpus, machine.memory_gb)[gke.RESOURCE_MEMORY]
        checkpoints = _checkpoints(plan, machine.name)
        taken = _requested(work.pod) + sum(amount for _, amount in folders) + checkpoints
        if taken > most.milli:
            keys = [str(place.keys[-1]) for place, _ in folders]
            if checkpoints:
                keys.append("cluster.checkpoints.local_gib")
            yield Finding(
                place=folders[-1][0],
                says=f"folders in memory and the memory that the pod requests are {Quantity(taken, is_binary=True)}, "
                f"and {machine.name} leaves {most} to pods.",
                remedy=f"Lower {listing(list(dict.fromkeys(keys)))}.",
            )


def _folders(pod: PodPlan) -> list[tuple[Place, int]]:
    """The folders in memory that count beside what containers request, each with its size, once for each volume."""
    found: dict[str, tuple[Place, int]] = {}
    limits = gke.RESOURCE_MEMORY in pod.requests
    for mount in pod.all_mounts:
        if isinstance(mount, BucketMountPlan) and mount.cache_gib:
            found[mount.volume] = (mount.place.at("cache_gib"), _gib(mount.cache_gib))
        elif isinstance(mount, EphemeralMountPlan) and mount.is_in_memory and not limits:
            found[mount.volume] = (mount.place.at("ephemeral"), mount.size.milli)
    return list(found.values())


def _requested(pod: PodPlan) -> int:
    amount = pod.all_requests.get(gke.RESOURCE_MEMORY)
    return 0 if amount is None else amount.milli


def _checkpoints(plan: Plan, machine_type: str) -> int:
    """The memory of each host that holds checkpoints."""
    checkpoints = plan.cluster.checkpoints
    held = checkpoints is not None and checkpoints.machine_type == machine_type
    return _gib(checkpoints.local_gib) if checkpoints is not None and held else 0


def _gib(amount: int) -> int:
    """In thousandths of a byte."""
    return parse(f"{amount}Gi").milli
