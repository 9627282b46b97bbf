"""Filestore and Managed Lustre instances and Hyperdisks as the plan has them, without the claims on them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import filestore, gke, hyperdisk
from components.model.plan.storage import DiskPlan, LustrePlan, SharedStoragePlan
from policies.objects.values import MalformedError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from components.model.places import Key
    from policies.objects.world import Object

_NAMES: Final[Mapping[str, tuple[Key, ...]]] = {
    "capacity_gib": ("fileShares", "capacityGb"),
    "deletion_protection": ("deletionProtectionEnabled",),
}


def location_of(share: Object) -> str | None:
    """Its zone or region, under either name that the provider takes."""
    return share.text("location") or share.text("zone")


def share(each: Object, region: str) -> SharedStoragePlan | None:
    """The instance, of a cluster in `region`; None where there is no such tier, which is a rule of its own.

    A location that is not stated is the provider's default, and taken to be right.
    """
    tier = filestore.named(each.string("tier"))
    if tier is None:
        return None
    key = "location" if each.has("location") else "zone"
    name = each.string("fileShares", "name")
    return SharedStoragePlan(
        place=each.place.with_key_names(location=(key,), **_NAMES),
        name=each.name,
        tier=tier.name,
        location=location_of(each) or (region if tier.is_regional else f"{gke.region_of(region)}-a"),
        share=name,
        path=f"/{name}",
        capacity_gib=each.count("fileShares", "capacityGb"),
        claims=(),
        billing_labels={},
        deletion_protection=each.flag("deletionProtectionEnabled") is True,
        is_protected=each.is_protected,
    )


def lustre(each: Object) -> LustrePlan:
    """The instance."""
    return LustrePlan(
        place=each.place.with_key_names(throughput=("perUnitStorageThroughput",), capacity_gib=("capacityGib",)),
        name=each.string("instanceId"),
        location=each.string("location"),
        filesystem=each.string("filesystem"),
        throughput=_number(each, "perUnitStorageThroughput"),
        capacity_gib=_number(each, "capacityGib"),
        handle="",
        claims=(),
        billing_labels={},
        is_protected=each.is_protected,
    )


def _number(each: Object, key: str) -> int:
    """A whole number, which the provider takes as text."""
    stated = each.text(key)
    if stated is not None and not (stated.isascii() and stated.isdigit()):
        raise MalformedError(each.place.at(key), stated, "a whole number")
    return 0 if stated is None else int(stated)


def disk(each: Object) -> DiskPlan | None:
    """The Hyperdisk; None for other kinds of disks."""
    kind = next((kind for kind in hyperdisk.KINDS.values() if kind.type == each.string("type")), None)
    if kind is None:
        return None
    access = {mode: name for name, mode in hyperdisk.MODES.items()}
    return DiskPlan(
        place=each.place,
        name=each.name,
        kind=kind.id,
        zone=each.string("zone"),
        size_gib=each.count("size"),
        access=access.get(each.string("accessMode"), "ReadWriteOnce"),
        throughput=each.whole("provisionedThroughput"),
        iops=each.whole("provisionedIops"),
        snapshot=each.text("snapshot"),
        handle="",
        claims=(),
        billing_labels={},
        is_protected=each.is_protected,
    )
