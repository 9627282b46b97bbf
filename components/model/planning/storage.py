"""The plan of storage: shares, instances and disks with their claims; `buckets.py` has that of buckets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypedDict

from components.model import config, names
from components.model.facts import filestore
from components.model.plan.storage import ClaimPlan, DiskPlan, LustrePlan, SharedStoragePlan

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from components.model.places import Place
    from components.model.plan.cloud import ClusterPlan

_GIB_PER_TIB: Final = 1024


class Mounted(TypedDict):
    """The parts of the plan that pods mount beside shares."""

    lustre: tuple[LustrePlan, ...]
    disks: tuple[DiskPlan, ...]


def mounted(platform: config.Platform, project: str, root: Place) -> Mounted:
    """The Managed Lustre instances and the disks."""
    labels = platform.labels
    return {
        "lustre": tuple(
            _lustre(each, project, labels, root.at("lustre", index)) for index, each in enumerate(platform.lustre)
        ),
        "disks": tuple(
            _disk(each, project, labels, root.at("disks", index)) for index, each in enumerate(platform.disks)
        ),
    }


def shared_storage_plans(platform: config.Platform, cluster: ClusterPlan, root: Place) -> tuple[SharedStoragePlan, ...]:
    """The Filestore instances."""
    return tuple(
        _shared_storage(each, cluster, platform.labels, root.at("shared_storage", index))
        for index, each in enumerate(platform.shared_storage)
    )


def _shared_storage(
    storage: config.SharedStorage, cluster: ClusterPlan, billing_labels: Mapping[str, str], place: Place
) -> SharedStoragePlan:
    """A Filestore instance; protected as the cluster is, where nothing else is said and the tier can be."""
    protection = storage.deletion_protection
    if protection is None:
        protection = cluster.deletion_protection and filestore.tier(storage.tier).has_deletion_protection
    return SharedStoragePlan(
        place=place,
        name=storage.name,
        tier=storage.tier,
        location=storage.location,
        share=storage.share,
        path=f"/{storage.share}",
        capacity_gib=storage.capacity_gib,
        claims=_claims(storage.claims, storage.name, storage.capacity_gib, place),
        billing_labels=billing_labels,
        deletion_protection=protection,
        is_protected=storage.protect,
    )


def _claims(
    claims: Sequence[config.Claim], owner: str, gib: int, place: Place, access: str = "ReadWriteMany"
) -> tuple[ClaimPlan, ...]:
    """The claims on what is named `owner`, each of all of it."""
    return tuple(
        ClaimPlan(
            place=place.at("claims", index),
            name=claim.name,
            namespace=claim.namespace,
            volume=names.persistent_volume(owner, claim.namespace, claim.name),
            capacity=gib_quantity(gib),
            access=access,
        )
        for index, claim in enumerate(claims)
    )


def _lustre(instance: config.Lustre, project: str, billing_labels: Mapping[str, str], place: Place) -> LustrePlan:
    """A Managed Lustre instance."""
    return LustrePlan(
        place=place,
        name=instance.name,
        location=instance.location,
        filesystem=instance.filesystem,
        throughput=instance.throughput,
        capacity_gib=instance.capacity_gib,
        handle=names.lustre_handle(project, instance.location, instance.name),
        claims=_claims(instance.claims, instance.name, instance.capacity_gib, place),
        billing_labels=billing_labels,
        is_protected=instance.protect,
    )


def _disk(disk: config.Disk, project: str, billing_labels: Mapping[str, str], place: Place) -> DiskPlan:
    """A Hyperdisk."""
    return DiskPlan(
        place=place,
        name=disk.name,
        kind=disk.kind,
        zone=disk.zone,
        size_gib=disk.size_gib,
        access=disk.access,
        throughput=disk.throughput,
        iops=disk.iops,
        snapshot=disk.snapshot,
        handle=names.disk_handle(project, disk.zone, disk.name),
        claims=_claims(disk.claims, disk.name, disk.size_gib, place, disk.access),
        billing_labels=billing_labels,
        is_protected=disk.protect,
    )


def gib_quantity(gib: int) -> str:
    """An amount of GiB as the API server writes it.

    >>> gib_quantity(1024), gib_quantity(2560)
    ('1Ti', '2560Gi')
    """
    tib, rest = divmod(gib, _GIB_PER_TIB)
    return f"{gib}Gi" if rest else f"{tib}Ti"
