"""Rules about what pods mount of their host: disks that it attaches, and its memory for checkpoints."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

from components.model.facts import hyperdisk, tpu
from components.model.findings import Finding, Severity, listing
from components.model.plan.pods import CheckpointsMountPlan, ClaimMountPlan
from components.model.plan.workloads import BatchJobPlan, RedisPlan, TpuRunPlan
from components.model.rule import Family, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from components.model.plan import Plan
    from components.model.plan.storage import DiskPlan
    from components.model.plan.workloads import WorkloadPlan

_HYPERDISK: Final = "components/model/facts/hyperdisk.py"


def _attached(plan: Plan) -> Iterator[tuple[WorkloadPlan, ClaimMountPlan, DiskPlan]]:
    """Each workload with its mounts of disks."""
    disks = {(claim.namespace, claim.name): disk for disk in plan.disks for claim in disk.claims}
    for work in plan.workloads if disks else ():
        mounts = work.mounts if isinstance(work, RedisPlan) else work.pod.all_mounts
        for mount in mounts:
            disk = disks.get((work.namespace, mount.claim)) if isinstance(mount, ClaimMountPlan) else None
            if disk is not None and isinstance(mount, ClaimMountPlan):
                yield work, mount, disk


def _machine_types(work: WorkloadPlan, plan: Plan) -> list[str]:
    """The machine types of the nodes that a workload may run on, as far as they are known."""
    if isinstance(work, TpuRunPlan):
        return sorted({flavor.machine_type for flavor in plan.flavors if flavor.name in work.flavors})
    makes_nodes = plan.cluster.mode == "autopilot" or plan.cluster.auto_provisioning is not None
    return [] if makes_nodes or plan.cluster.is_existing else sorted({pool.machine_type for pool in plan.node_pools})


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
    for work, mount, disk in _attached(plan):
        machine_types = _machine_types(work, plan)
        unable = [each for each in machine_types if not _can_attach(each, disk)]
        # Pods on slices may be on any of their flavors, others are on whichever nodes fit them.
        if unable and (isinstance(work, TpuRunPlan) or unable == machine_types):
            yield Finding(
                place=mount.place.at("claim"),
                says=f"{listing(unable)} cannot attach {hyperdisk.KINDS[disk.kind].title}, which {mount.claim} is on.",
                remedy=f"Use another kind of storage, or machines with {hyperdisk.KINDS[disk.kind].title}.",
            )


def _nodes(work: WorkloadPlan) -> int:
    """The nodes that the pods of a workload may be on at once."""
    if isinstance(work, TpuRunPlan):
        return work.slices * work.hosts
    return work.pods if isinstance(work, BatchJobPlan) else 1


@rule(
    "written-disk-is-on-one-node",
    summary="a disk that one node writes is mounted by one pod",
    why="A second node cannot attach the disk, so the other pods stay in ContainerCreating.",
    source='Kubernetes documentation "Persistent Volumes", read 2026-11',
    family=Family.GUARDRAILS,
)
def _written_disk_is_on_one_node(plan: Plan) -> Iterator[Finding]:
    for work, mount, disk in _attached(plan):
        if disk.access != hyperdisk.MANY_READERS and _nodes(work) > 1:
            yield Finding(
                place=mount.place.at("claim"),
                says=f"{work.name} has {_nodes(work)} pods, and one node at a time can attach the disk {disk.name}.",
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
    readers: defaultdict[str, int] = defaultdict(int)
    disks = {disk.name: disk for disk in plan.disks}
    for name, _, nodes in dict.fromkeys((disk.name, work.place, _nodes(work)) for work, _, disk in _attached(plan)):
        readers[name] += nodes
    for name, nodes in readers.items():
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
    for work in plan.workloads:
        mounts = () if isinstance(work, RedisPlan) else work.pod.all_mounts
        for mount in mounts:
            if not isinstance(mount, CheckpointsMountPlan) or plan.cluster.is_existing:
                continue
            machine_types = _machine_types(work, plan)
            if checkpoints is None:
                says, remedy = _not_set_up(plan)
            elif checkpoints.machine_type and any(each != checkpoints.machine_type for each in machine_types):
                on = listing(machine_types)
                says = f"hosts of {checkpoints.machine_type} hold checkpoints; {work.name} runs on {on}."
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
