"""Rules about what pods mount of their host: disks that it attaches, and its memory for checkpoints."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final, NamedTuple

from components.model.facts import gke, hyperdisk, tpu
from components.model.findings import Finding, Severity, listing
from components.model.plan.pod_groups import pod_groups
from components.model.plan.pods import CheckpointsMountPlan, ClaimMountPlan
from components.model.rule import Family, rule

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from components.model.plan import Plan
    from components.model.plan.pod_groups import PodGroupPlan
    from components.model.plan.storage import DiskPlan

_HYPERDISK: Final = "components/model/facts/hyperdisk.py"


class _Attached(NamedTuple):
    """Pods that mount a disk."""

    group: PodGroupPlan
    mount: ClaimMountPlan
    disk: DiskPlan


def _attached(plan: Plan, groups: Iterable[PodGroupPlan]) -> Iterator[_Attached]:
    """Those among the pods, once for each mount."""
    disks = {(claim.namespace, claim.name): disk for disk in plan.disks for claim in disk.claims}
    for group in groups if disks else ():
        for mount in group.pod.all_mounts:
            disk = disks.get((group.work.namespace, mount.claim)) if isinstance(mount, ClaimMountPlan) else None
            if disk is not None and isinstance(mount, ClaimMountPlan):
                yield _Attached(group, mount, disk)


def _nodes(attached: Iterable[_Attached]) -> Mapping[str, int]:
    """The nodes by disk that pods may be on at once; containers of one pod share its node."""
    pods = {(disk.name, group.work.place, group.is_on_slices): group.count for group, _, disk in attached}
    nodes: Counter[str] = Counter()
    for (name, *_), count in pods.items():
        nodes[name] += count
    return nodes


def _machine_types(group: PodGroupPlan, plan: Plan) -> list[str]:
    """The machine types of the nodes that pods may run on, as far as they are known."""
    if group.is_on_slices:
        return sorted({flavor.machine_type for flavor in plan.flavors if flavor.name in group.flavors})
    is_made_elsewhere = plan.cluster.auto_provisioning is not None or plan.cluster.is_existing
    if (class_ := group.node_selector.get(gke.LABEL_COMPUTE_CLASS)) is not None:
        return _of_class(class_, plan)
    if plan.cluster.mode == "autopilot" or is_made_elsewhere:
        return []
    held = group.node_selector.get(gke.LABEL_NODE_POOL)
    return sorted({pool.machine_type for pool in plan.node_pools if held in (None, pool.name)})


def _of_class(name: str, plan: Plan) -> list[str]:
    """The machine types of a ComputeClass; none where a priority states a series, or GKE has the class."""
    priorities = [each for class_ in plan.compute_classes if class_.name == name for each in class_.priorities]
    found = {nodes.machine_type for priority in priorities for nodes in priority.nodes}
    is_known = "" not in found and all(priority.nodes for priority in priorities)
    return sorted(found) if is_known else []


def _can_attach(machine_type: str, disk: DiskPlan) -> bool:
    """Whether the machine type can attach the disk; true for one that is not known."""
    if tpu.is_tpu_machine(machine_type):
        kinds = hyperdisk.of_generation(tpu.generation_of(machine_type).id)
    else:
        kinds = hyperdisk.of_series(machine_type)
    return kinds is None or any(kind.id == disk.kind for kind in kinds)


@rule(
    "disk-is-attachable",
    summary="pods that mount a Hyperdisk run on machines that can attach it",
    why="Other machines refuse the disk, and the pods stay in ContainerCreating.",
    source=_HYPERDISK,
    family=Family.GUARDRAILS,
)
def _disk_is_attachable(plan: Plan) -> Iterator[Finding]:
    for group, mount, disk in _attached(plan, plan.pod_groups):
        machine_types = _machine_types(group, plan)
        unable = [each for each in machine_types if not _can_attach(each, disk)]
        # Pods on slices may be on any of their flavors, others are on whichever nodes fit them.
        if unable and (group.is_on_slices or unable == machine_types):
            yield Finding(
                place=mount.place.at("claim"),
                says=f"{listing(unable)} cannot attach {hyperdisk.KINDS[disk.kind].title}, which {mount.claim} is on.",
                remedy=f"Use another kind of storage, or machines with {hyperdisk.KINDS[disk.kind].title}.",
            )


@rule(
    "written-disk-is-on-one-node",
    summary="a disk that one node writes is mounted by one pod",
    why="A second node cannot attach the disk, so the other pods stay in ContainerCreating.",
    source='Kubernetes documentation "Persistent Volumes", read 2026-11',
    family=Family.GUARDRAILS,
)
def _written_disk_is_on_one_node(plan: Plan) -> Iterator[Finding]:
    for work in plan.workloads:
        attached = list(_attached(plan, pod_groups(work)))
        nodes = _nodes(attached)
        for _, mount, disk in attached:
            if disk.access == hyperdisk.MANY_READERS or nodes[disk.name] == 1:
                continue
            yield Finding(
                place=mount.place.at("claim"),
                says=f"{nodes[disk.name]} pods of {work.name} mount the disk {disk.name}, and one node at a time can "
                "attach it.",
                remedy=f"Set access: {hyperdisk.MANY_READERS} on the disk when it is filled, or mount a share.",
            )


@rule(
    "disk-has-few-readers",
    summary="a Hyperdisk ML is read by no more nodes than its size allows",
    why="Compute Engine refuses to attach it to more, and the other pods wait.",
    source=_HYPERDISK,
    family=Family.GUARDRAILS,
    severity=Severity.WARNING,
)
def _disk_has_few_readers(plan: Plan) -> Iterator[Finding]:
    disks = {disk.name: disk for disk in plan.disks}
    for name, nodes in _nodes(_attached(plan, plan.pod_groups)).items():
        disk, most = disks[name], hyperdisk.readers(disks[name].size_gib)
        if disk.access == hyperdisk.MANY_READERS and nodes > most:
            yield Finding(
                place=disk.place.at("size_gib"),
                says=f"{nodes} nodes mount the disk, and one of {disk.size_gib} GiB can be read by {most}.",
                remedy="Use several smaller disks.",
            )


@rule(
    "checkpoints-are-set-up",
    summary="pods mount checkpoints on hosts that hold them",
    why="Only these hosts have the driver; elsewhere the pods stay in ContainerCreating.",
    source="components/model/facts/checkpointing.py",
    family=Family.GUARDRAILS,
)
def _checkpoints_are_set_up(plan: Plan) -> Iterator[Finding]:
    checkpoints = plan.cluster.checkpoints
    for group in plan.pod_groups:
        for mount in group.pod.all_mounts:
            if not isinstance(mount, CheckpointsMountPlan) or plan.cluster.is_existing:
                continue
            machine_types = _machine_types(group, plan)
            if checkpoints is None:
                says, remedy = _not_set_up(plan)
            elif checkpoints.machine_type and any(each != checkpoints.machine_type for each in machine_types):
                on = listing(machine_types)
                says = f"hosts of {checkpoints.machine_type} hold checkpoints; {group.work.name} runs on {on}."
                remedy = "Mount a bucket with profile: checkpointing instead, or change cluster.checkpoints."
            else:
                continue
            yield Finding(place=mount.place.at("checkpoints"), says=says, remedy=remedy, is_about_key=True)


def _not_set_up(plan: Plan) -> tuple[str, str]:
    if plan.cluster.mode == "autopilot":
        return (
            "Autopilot has no multi-tier checkpointing.",
            "Mount a bucket with profile: checkpointing instead.",
        )
    return (
        "the cluster has no multi-tier checkpointing.",
        "Add cluster.checkpoints with a bucket and local_gib, or mount a bucket with profile: checkpointing.",
    )


ATTACHED_RULES: Final = (
    _disk_is_attachable,
    _written_disk_is_on_one_node,
    _disk_has_few_readers,
    _checkpoints_are_set_up,
)
