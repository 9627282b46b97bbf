"""Rules about what pods mount of their host: disks that it attaches, and its memory for checkpoints."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final, NamedTuple

from components.model.facts import hyperdisk, tpu
from components.model.findings import Finding, Severity, listing
from components.model.plan.pods import CheckpointsMountPlan, ClaimMountPlan
from components.model.plan.workloads import (
    BatchJobPlan,
    PathwaysPlan,
    RayPlan,
    RedisPlan,
    ReplicatedJobPlan,
    RunPlan,
    TpuRunPlan,
)
from components.model.rule import Family, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from components.model.plan import Plan
    from components.model.plan.storage import DiskPlan

_HYPERDISK: Final = "components/model/facts/hyperdisk.py"
_ORDINARY: Final = "ordinary nodes"


_Work = RunPlan | RedisPlan


class _Pods(NamedTuple):
    """Equal pods that mount what their workload states."""

    size: int
    machine_types: list[str]
    """Of the nodes that they may be on, as far as they are known."""
    is_of_slices: bool
    """Then any of these nodes may get one; else whichever fits."""


def _pods(work: _Work, plan: Plan) -> Iterator[_Pods]:
    """The pods of a workload: on slices or on ordinary nodes, for Ray on both; the program of Pathways is one pod."""
    if isinstance(work, TpuRunPlan) and not isinstance(work, PathwaysPlan):
        types = {flavor.machine_type for flavor in plan.flavors if flavor.name in work.flavors}
        yield _Pods(work.slices * work.hosts, sorted(types), is_of_slices=True)
        if not isinstance(work, RayPlan):
            return
    count = work.pods if isinstance(work, (BatchJobPlan, ReplicatedJobPlan)) else 1
    yield _Pods(count, _ordinary(work, plan), is_of_slices=False)


def _ordinary(work: _Work, plan: Plan) -> list[str]:
    """The machine types of the ordinary nodes that pods may be on; none where they are not known."""
    makes_nodes = plan.cluster.mode == "autopilot" or plan.cluster.auto_provisioning is not None
    pool = work.head.pool if isinstance(work, (PathwaysPlan, RayPlan)) else None
    found = {each.machine_type for each in plan.node_pools if pool in (None, each.name)}
    return [] if makes_nodes or plan.cluster.is_existing else sorted(found)


def _attached(plan: Plan) -> Iterator[tuple[_Work, ClaimMountPlan, DiskPlan]]:
    """Each workload with its mounts of disks."""
    disks = {(claim.namespace, claim.name): disk for disk in plan.disks for claim in disk.claims}
    for work in (*plan.programs, *plan.redises) if disks else ():
        mounts = work.mounts if isinstance(work, RedisPlan) else work.pod.all_mounts
        for mount in mounts:
            disk = disks.get((work.namespace, mount.claim)) if isinstance(mount, ClaimMountPlan) else None
            if disk is not None and isinstance(mount, ClaimMountPlan):
                yield work, mount, disk


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
        for pods in _pods(work, plan):
            unable = [each for each in pods.machine_types if not _can_attach(each, disk)]
            if unable and (pods.is_of_slices or unable == pods.machine_types):
                title = hyperdisk.KINDS[disk.kind].title
                yield Finding(
                    place=mount.place.at("claim"),
                    says=f"{listing(unable)} cannot attach {title}, which {mount.claim} is on.",
                    remedy=f"Use another kind of storage, or machines with {title}.",
                )


def _nodes(work: _Work, plan: Plan) -> int:
    """The nodes that the pods of a workload may be on at once."""
    return sum(pods.size for pods in _pods(work, plan))


@rule(
    "written-disk-is-on-one-node",
    summary="a disk that one node writes is mounted by one pod",
    why="A second node cannot attach the disk, so the other pods stay in ContainerCreating.",
    source='Kubernetes documentation "Persistent Volumes", read 2026-11',
    family=Family.GUARDRAILS,
)
def _written_disk_is_on_one_node(plan: Plan) -> Iterator[Finding]:
    for work, mount, disk in _attached(plan):
        nodes = _nodes(work, plan)
        if disk.access != hyperdisk.MANY_READERS and nodes > 1:
            yield Finding(
                place=mount.place.at("claim"),
                says=f"{work.name} has {nodes} pods, and one node at a time can attach the disk {disk.name}.",
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
    for name, _, nodes in dict.fromkeys(
        (disk.name, work.place, _nodes(work, plan)) for work, _, disk in _attached(plan)
    ):
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
    for work in () if plan.cluster.is_existing else plan.programs:
        for mount in work.pod.all_mounts:
            if not isinstance(mount, CheckpointsMountPlan):
                continue
            others = [] if checkpoints is None else _without(checkpoints.machine_type, work, plan)
            if checkpoints is None:
                says, remedy = _not_set_up(plan)
            elif others and checkpoints.machine_type:
                says = f"hosts of {checkpoints.machine_type} hold checkpoints; {work.name} runs on {listing(others)}."
                remedy = "Mount a bucket with profile: checkpointing instead, or change cluster.checkpoints."
            else:
                continue
            yield Finding(place=mount.place.at("checkpoints"), says=says, remedy=remedy, is_about_key=True)


def _without(machine_type: str, work: RunPlan, plan: Plan) -> list[str]:
    """The nodes that a workload may run on, if some of them are not hosts of that machine type."""
    groups = list(_pods(work, plan))
    found = [each for pods in groups for each in pods.machine_types]
    if not all(pods.machine_types for pods in groups):
        found.append(_ORDINARY)
    return found if any(each != machine_type for each in found) else []


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
