"""Rules about storage: what a Filestore tier takes, where it lies, and what only one of its kind can do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import filestore, gke, kinds
from components.model.findings import Finding, Severity, listing
from components.model.rule import Family, rule
from components.model.rules.attached import ATTACHED_RULES
from components.model.rules.bucket import BUCKET_RULES
from components.model.rules.checkpoints import CHECKPOINT_RULES
from components.model.rules.disk import DISK_RULES
from components.model.rules.lustre import LUSTRE_RULES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from components.model.plan import Plan

_FILESTORE: Final = "components/model/facts/filestore.py"


@rule(
    "share-fits-tier",
    summary="a share has a capacity that its tier has",
    why="The API refuses others.",
    source=_FILESTORE,
    family=Family.GUARDRAILS,
    kinds=(kinds.FILESTORE,),
)
def _share_fits_tier(plan: Plan) -> Iterator[Finding]:
    for storage in plan.shared_storage:
        tier = filestore.tier(storage.tier)
        if tier.has(storage.capacity_gib):
            continue
        step = tier.step_at(storage.capacity_gib)
        steps = "" if step == 1 else f" in steps of {step}"
        near = [str(capacity) for capacity in tier.nearest(storage.capacity_gib)]
        yield Finding(
            place=storage.place.at("capacity_gib"),
            says=f"{tier.name} has no share of {storage.capacity_gib} GiB: it has {tier.least} to {tier.most}{steps}.",
            remedy=f"Set {listing(near, 'or')}.",
        )


@rule(
    "share-is-where-its-tier-is",
    summary="zonal tiers are in a zone, regional ones in a region, both in the region of the cluster",
    why="The API refuses the other form of location; from another region every read would cross the continent.",
    source=_FILESTORE,
    family=Family.GUARDRAILS,
    also_warns=True,
    kinds=(kinds.FILESTORE,),
    needs=(kinds.CLUSTER,),
)
def _share_is_where_its_tier_is(plan: Plan) -> Iterator[Finding]:
    region = plan.cluster.region
    for storage in plan.shared_storage:
        tier = filestore.tier(storage.tier)
        wanted = f"a region, such as {region}" if tier.is_regional else f"a zone, such as {region}-a"
        if gke.is_zone(storage.location) == tier.is_regional:
            yield Finding(
                place=storage.place.at("location"),
                says=f"{storage.location} is a {'zone' if tier.is_regional else 'region'}; {tier.name} lies in "
                f"{'a region' if tier.is_regional else 'a zone'}.",
                remedy=f"Name {wanted}.",
            )
        elif gke.region_of(storage.location) != region:
            yield Finding(
                place=storage.place.at("location"),
                says=f"{storage.location} is not in {region}, the region of the cluster.",
                remedy=f"Name {wanted}.",
                severity=Severity.WARNING,
            )


@rule(
    "share-protection-exists",
    summary="deletion protection is stated for tiers that have it",
    why="The API refuses it on the basic tiers.",
    source=_FILESTORE,
    family=Family.GUARDRAILS,
    kinds=(kinds.FILESTORE,),
)
def _share_protection_exists(plan: Plan) -> Iterator[Finding]:
    for storage in plan.shared_storage:
        if storage.deletion_protection and not filestore.tier(storage.tier).has_deletion_protection:
            able = [tier.name for tier in filestore.TIERS if tier.has_deletion_protection]
            yield Finding(
                place=storage.place.at("deletion_protection"),
                says=f"{storage.tier} has no deletion protection.",
                remedy=f"Use protect: true, by which the engine refuses to delete it, or one of {listing(able)}.",
            )


STORAGE_RULES: Final = (
    _share_fits_tier,
    _share_is_where_its_tier_is,
    _share_protection_exists,
    *LUSTRE_RULES,
    *DISK_RULES,
    *CHECKPOINT_RULES,
    *BUCKET_RULES,
    *ATTACHED_RULES,
)
