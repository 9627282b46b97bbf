"""Rules about the project's quota in the cloud: whether it is enough for all pools at their largest."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

from components.model.facts import gpu, tpu
from components.model.findings import Finding, Severity, did_you_mean, listing
from components.model.rule import Family, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from components.model.plan import Plan
    from components.model.plan.nodes import QuotaPlan

    Usage = dict[tuple[str, str, str], int]
    "Chips or GPUs by region, family or model, and class."

FAMILY: Final = Family.QUOTA

_QUOTAS: Final = "Cloud TPU and Compute Engine documentation of quotas, read 2026-11"
_CLASSES: Final = {"on-demand": "on-demand", "spot": "preemptible", "flex-start": "preemptible"}
"""Which quota a capacity takes from; reserved capacity takes none."""


def _usage(plan: Plan) -> Usage:
    """The chips and GPUs of all pools at their largest."""
    usage: Usage = defaultdict(int)
    region = plan.cluster.region
    for pool in plan.slice_pools:
        if pool.chips and pool.capacity in _CLASSES:
            usage[region, tpu.generation_of(pool.machine_type).id, _CLASSES[pool.capacity]] += pool.chips
    for pool in plan.node_pools:
        if pool.gpu is not None:
            class_ = "preemptible" if pool.is_spot or pool.flex_start is not None else "on-demand"
            usage[region, pool.gpu.type, class_] += pool.nodes * pool.gpu.count
    return usage


@rule(
    summary="declared quota is of a TPU generation or a GPU that exists, once for each region and class",
    why="Quota of anything else is compared with nothing.",
    source=_QUOTAS,
)
def _quota_is_of_something(plan: Plan) -> Iterator[Finding]:
    seen: dict[tuple[str, str, str], QuotaPlan] = {}
    families = [generation.id for generation in tpu.GENERATIONS if generation.is_offered]
    models = [each.name for each in gpu.GPUS]
    for quota in plan.quota:
        key, known = ("family", families) if quota.is_tpu else ("gpu", models)
        if quota.accelerator not in known:
            yield Finding(
                place=quota.place.at(key),
                says=f"{quota.accelerator} is not known here.",
                remedy=f"{did_you_mean(quota.accelerator, known)}Known: {listing(known)}.",
            )
        first = seen.setdefault((quota.region, quota.accelerator, quota.class_), quota)
        if first is not quota:
            yield Finding(
                place=quota.place,
                says=f"{quota.class_} quota of {quota.accelerator} in {quota.region} is declared by {first.place} too.",
                remedy="Declare it once.",
            )


@rule(
    summary="declared quota is for the region of the pools",
    why="Quota for another region is not compared with any pool, so a misspelt region hides missing quota.",
    source=_QUOTAS,
    severity=Severity.WARNING,
)
def _quota_is_of_the_region(plan: Plan) -> Iterator[Finding]:
    for quota in plan.quota:
        if quota.region != plan.cluster.region:
            yield Finding(
                place=quota.place.at("region"),
                says=f"no pool is in {quota.region}: the cluster is in {plan.cluster.region}.",
                remedy=f"Write {plan.cluster.region}, or remove the entry.",
            )


@rule(
    summary="pools at their largest keep within the quota that is declared",
    why="A slice that quota does not cover whole never starts, and nothing of it does.",
    source=_QUOTAS,
)
def _quota_covers_pools(plan: Plan) -> Iterator[Finding]:
    declared = {(quota.region, quota.accelerator, quota.class_): quota for quota in plan.quota}
    of_family = {(quota.region, quota.accelerator): quota for quota in reversed(plan.quota)}
    for (region, accelerator, class_), used in _usage(plan).items():
        quota = declared.get((region, accelerator, class_))
        beside = of_family.get((region, accelerator))
        if quota is None and beside is not None:
            yield Finding(
                place=beside.place.at("class"),
                says=f"the pools take up to {used} of {class_} {accelerator} in {region}, and no such quota is "
                f"declared; this is {beside.class_}.",
                remedy=f"Declare quota of class {class_} too, or choose another capacity.",
            )
        elif quota is not None and used > quota.amount:
            yield Finding(
                place=quota.place.at("chips" if quota.is_tpu else "count"),
                says=f"the pools take up to {used} of {class_} {accelerator} in {region}, but the quota is "
                f"{quota.amount}.",
                remedy=f"Declare smaller pools, or ask Google for a quota of {used}.",
            )
