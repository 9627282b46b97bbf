"""Rules about Hyperdisks, and about which hosts can attach disks or hold checkpoints for pods."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final, NamedTuple

from components.model.facts import gke, hyperdisk, tpu
from components.model.findings import Finding, Severity, about_key, listing
from components.model.plan.pods import CheckpointsMountPlan, ClaimMountPlan
from components.model.plan.workloads import PodGroupPlan, pod_groups
from components.model.rule import Family, rule

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from components.model.plan import Plan
    from components.model.plan.storage import DiskPlan

FAMILY: Final = Family.GUARDRAILS

_HYPERDISK: Final = "components/model/facts/hyperdisk.py"


@rule(
    summary="a Hyperdisk has a size that its kind has",
    why="The API refuses others.",
    source=_HYPERDISK,
)
def _disk_has_a_size(plan: Plan) -> Iterator[Finding]:
    for disk in plan.disks:
        kind = hyperdisk.KINDS[disk.kind]
        yield from _within(disk, "size_gib", disk.size_gib, (kind.least, kind.most), f"{kind.title} has", "GiB")


@rule(
    summary="the throughput and IOPS of a Hyperdisk fit its kind and size",
    why="The API refuses others.",
    source=_HYPERDISK,
)
def _disk_speed_fits_its_size(plan: Plan) -> Iterator[Finding]:
    for disk in plan.disks:
        kind, size = hyperdisk.KINDS[disk.kind], disk.size_gib
        if disk.iops is not None and not kind.has_iops:
            yield about_key(
                place=disk.place.at("iops"),
                says=f"{kind.title} has no IOPS of its own: they follow from the throughput.",
            )
        if not kind.has_iops:
            bounds = hyperdisk.ml_throughput(size)
            yield from _within(disk, "throughput", disk.throughput, bounds, f"a disk of {size} GiB has", "MiB/s")
            continue
        iops = hyperdisk.balanced_iops(size)
        yield from _within(disk, "iops", disk.iops, iops, f"a disk of {size} GiB has", "IOPS")
        stated = iops[0] if disk.iops is None else disk.iops
        bounds = hyperdisk.balanced_throughput(stated)
        yield from _within(disk, "throughput", disk.throughput, bounds, f"a disk of {stated} IOPS has", "MiB/s")


def _within(
    disk: DiskPlan, key: str, value: int | None, bounds: tuple[int, int], has: str, unit: str
) -> Iterator[Finding]:
    """The stated value is out of bounds."""
    least, most = bounds
    if value is not None and not least <= value <= most:
        yield Finding(
            place=disk.place.at(key),
            says=f"{value} {unit} is out of range: {has} {least} to {most}.",
            remedy=f"Set {least if value < least else most}.",
        )


@rule(
    summary="a disk that many nodes read is Hyperdisk ML, and one from a snapshot is only read",
    why="The API refuses other combinations.",
    source=_HYPERDISK,
)
def _disk_access_exists(plan: Plan) -> Iterator[Finding]:
    for disk in plan.disks:
        kind, is_read = hyperdisk.KINDS[disk.kind], disk.access == hyperdisk.MANY_READERS
        if is_read and not kind.is_shared:
            yield Finding(
                place=disk.place.at("access"),
                says=f"{kind.title} cannot be read by many nodes.",
                remedy=f"Use kind: {hyperdisk.ML.id}, or remove the key.",
            )
        elif disk.snapshot is not None and kind.is_shared and not is_read:
            yield about_key(
                place=disk.place.at("snapshot"),
                says=f"{kind.title} from a snapshot cannot be written.",
                remedy=f"Add access: {hyperdisk.MANY_READERS}, or leave the snapshot out and fill the disk.",
            )


@rule(
    summary="a disk that one node writes has one claim",
    why="A second claim would let pods wait for a disk that is attached elsewhere.",
    source='Kubernetes documentation "Persistent Volumes", read 2026-11',
)
def _disk_claims_fit_access(plan: Plan) -> Iterator[Finding]:
    for disk in plan.disks:
        if len(disk.claims) > 1 and disk.access != hyperdisk.MANY_READERS:
            yield Finding(
                place=disk.claims[1].place,
                says=f"only one node at a time can attach {disk.name}, and {disk.claims[0].name} claims it.",
                remedy=f"Keep one claim, or set access: {hyperdisk.MANY_READERS}.",
            )


@rule(
    summary="a disk is in the region of the cluster, in a zone that has nodes",
    why="Only nodes of its zone can attach it; pods that mount it would stay Pending.",
    source='GKE documentation "Scale your storage performance with Hyperdisk", read 2026-11',
)
def _disk_is_where_nodes_are(plan: Plan) -> Iterator[Finding]:
    pools = (*plan.node_pools, *plan.slice_pools)
    zones = sorted({zone for pool in pools for zone in pool.zones})
    makes_nodes = plan.cluster.mode == "autopilot" or plan.cluster.auto_provisioning is not None
    has_others = makes_nodes or plan.cluster.is_existing or not all(pool.zones for pool in pools)
    for disk in plan.disks:
        place = disk.place.at("zone")
        if gke.region_of(disk.zone) != plan.cluster.region:
            yield Finding(
                place=place,
                says=f"{disk.zone} is not in {plan.cluster.region}, the region of the cluster.",
                remedy=f"Name a zone, such as {plan.cluster.region}-a.",
            )
        elif disk.zone not in zones and not has_others:
            yield Finding(
                place=place,
                says=f"no pool has nodes in {disk.zone}.",
                remedy=f"Name one of {listing(zones)}.",
            )


class _Attached(NamedTuple):
    """Pods that mount a disk."""

    group: PodGroupPlan
    mount: ClaimMountPlan
    disk: DiskPlan


def _attached(plan: Plan, groups: Iterable[PodGroupPlan]) -> Iterator[_Attached]:
    """The pods that mount disks, once for each mount."""
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
    summary="pods that mount a Hyperdisk run on machines that can attach it",
    why="Other machines refuse the disk, and the pods stay in ContainerCreating.",
    source=_HYPERDISK,
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
    summary="a disk that one node writes is mounted by one pod",
    why="A second node cannot attach the disk, so the other pods stay in ContainerCreating.",
    source='Kubernetes documentation "Persistent Volumes", read 2026-11',
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
    summary="a Hyperdisk ML is read by no more nodes than its size allows",
    why="Compute Engine refuses to attach it to more, and the other pods wait.",
    source=_HYPERDISK,
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
    summary="pods mount checkpoints on hosts that hold them",
    why="Only these hosts have the driver; elsewhere the pods stay in ContainerCreating.",
    source="components/model/facts/checkpointing.py",
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
            yield about_key(place=mount.place.at("checkpoints"), says=says, remedy=remedy)


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
