"""The plan of storage: shares, instances and disks with their claims; `buckets.py` has that of buckets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model import config, names
from components.model.facts import filestore
from components.model.plan.storage import ClaimPlan, DiskPlan, LustrePlan, SharedStoragePlan
from components.model.planning.sections import plan_from

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from components.model.places import Place
    from components.model.plan.cloud import ClusterPlan

_GIB_PER_TIB: Final = 1024


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
    return plan_from(
        SharedStoragePlan,
        storage,
        place=place,
        path=f"/{storage.share}",
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
        plan_from(
            ClaimPlan,
            claim,
            place=place.at("claims", index),
            volume=names.persistent_volume(owner, claim.namespace, claim.name),
            capacity=gib_quantity(gib),
            access=access,
        )
        for index, claim in enumerate(claims)
    )


def lustre_plans(platform: config.Platform, project: str, root: Place) -> tuple[LustrePlan, ...]:
    """The Managed Lustre instances."""
    return tuple(
        plan_from(
            LustrePlan,
            each,
            place=root.at("lustre", index),
            handle=names.lustre_handle(project, each.location, each.name),
            claims=_claims(each.claims, each.name, each.capacity_gib, root.at("lustre", index)),
            billing_labels=platform.labels,
            is_protected=each.protect,
        )
        for index, each in enumerate(platform.lustre)
    )


def disk_plans(platform: config.Platform, project: str, root: Place) -> tuple[DiskPlan, ...]:
    """The Hyperdisks."""
    return tuple(
        plan_from(
            DiskPlan,
            each,
            place=root.at("disks", index),
            handle=names.disk_handle(project, each.zone, each.name),
            claims=_claims(each.claims, each.name, each.size_gib, root.at("disks", index), each.access),
            billing_labels=platform.labels,
            is_protected=each.protect,
        )
        for index, each in enumerate(platform.disks)
    )


def gib_quantity(gib: int) -> str:
    """An amount of GiB as the API server writes it.

    >>> gib_quantity(1024), gib_quantity(2560)
    ('1Ti', '2560Gi')
    """
    tib, rest = divmod(gib, _GIB_PER_TIB)
    return f"{gib}Gi" if rest else f"{tib}Ti"
