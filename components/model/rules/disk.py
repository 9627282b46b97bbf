"""Rules about Hyperdisks: size and speed, who may attach one, and from where."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import gke, hyperdisk
from components.model.findings import Finding, listing
from components.model.rule import Family, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from components.model.plan import Plan
    from components.model.plan.storage import DiskPlan

_HYPERDISK: Final = "components/model/facts/hyperdisk.py"


@rule(
    "disk-has-a-size",
    summary="a Hyperdisk has a size that its kind has",
    why="The API refuses others.",
    source=_HYPERDISK,
    family=Family.GUARDRAILS,
)
def _disk_has_a_size(plan: Plan) -> Iterator[Finding]:
    for disk in plan.disks:
        kind = hyperdisk.KINDS[disk.kind]
        yield from _within(disk, "size_gib", disk.size_gib, (kind.least, kind.most), f"{kind.title} has", "GiB")


@rule(
    "disk-speed-fits-its-size",
    summary="the throughput and IOPS of a Hyperdisk fit its kind and size",
    why="The API refuses others.",
    source=_HYPERDISK,
    family=Family.GUARDRAILS,
)
def _disk_speed_fits_its_size(plan: Plan) -> Iterator[Finding]:
    for disk in plan.disks:
        kind, size = hyperdisk.KINDS[disk.kind], disk.size_gib
        if disk.iops is not None and not kind.has_iops:
            yield Finding(
                place=disk.place.at("iops"),
                says=f"{kind.title} has no IOPS of its own: they follow from the throughput.",
                remedy="Remove the key.",
                is_about_key=True,
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
    """That a stated value is out of bounds."""
    least, most = bounds
    if value is not None and not least <= value <= most:
        yield Finding(
            place=disk.place.at(key),
            says=f"{value} {unit} is out of range: {has} {least} to {most}.",
            remedy=f"Set {least if value < least else most}.",
        )


@rule(
    "disk-access-exists",
    summary="a disk that many nodes read is Hyperdisk ML, and one from a snapshot is only read",
    why="The API refuses other combinations.",
    source=_HYPERDISK,
    family=Family.GUARDRAILS,
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
            yield Finding(
                place=disk.place.at("snapshot"),
                says=f"{kind.title} from a snapshot cannot be written.",
                remedy=f"Add access: {hyperdisk.MANY_READERS}, or leave the snapshot out and fill the disk.",
                is_about_key=True,
            )


@rule(
    "disk-claims-fit-access",
    summary="a disk that one node writes has one claim",
    why="A second claim would let pods wait for a disk that is attached elsewhere.",
    source='Kubernetes documentation "Persistent Volumes", read 2026-11',
    family=Family.GUARDRAILS,
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
    "disk-is-where-nodes-are",
    summary="a disk is in the region of the cluster, in a zone that has nodes",
    why="Only nodes of its zone can attach it; pods that mount it would stay Pending.",
    source='GKE documentation "Scale your storage performance with Hyperdisk", read 2026-11',
    family=Family.GUARDRAILS,
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


DISK_RULES: Final = (
    _disk_has_a_size,
    _disk_speed_fits_its_size,
    _disk_access_exists,
    _disk_claims_fit_access,
    _disk_is_where_nodes_are,
)
