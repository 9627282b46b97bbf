"""Filestore instances as the chip ledger has them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import filestore, gke
from components.model.plan.storage import SharedStoragePlan

if TYPE_CHECKING:
    from collections.abc import Mapping

    from components.model.places import Key
    from policies.objects.world import Object

_NAMES: Final[Mapping[str, tuple[Key, ...]]] = {
    "capacity_gib": ("fileShares", "capacityGb"),
    "deletion_protection": ("deletionProtectionEnabled",),
}


def location_of(share: Object) -> str | None:
    """Its zone or region, under either name that the provider takes.

    Raises:
        UndecidedError, MalformedError: it cannot be read.
    """
    return share.text("location") or share.text("zone")


def share(each: Object, region: str) -> SharedStoragePlan | None:
    """The instance, of a cluster in `region`; None where there is no such tier, which is a rule of its own.

    A location that is not stated is the provider's default, and taken to be right.

    Raises:
        UndecidedError, MalformedError: a property that it takes cannot be read.
    """
    tier = filestore.named(each.string("tier"))
    if tier is None:
        return None
    key = "location" if each.has("location") else "zone"
    name = each.string("fileShares", "name")
    return SharedStoragePlan(
        place=each.place.called(location=(key,), **_NAMES),
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
