"""The plan of ordinary pools, and the parts that they share with pools of slices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import structs

from components.model import config
from components.model.plan.nodes import (
    AutoscalingPlan,
    FlexStartPlan,
    GpuPlan,
    OrdinaryPoolPlan,
    QuotaPlan,
    UpgradePlan,
)
from components.model.planning.sections import plan_from

if TYPE_CHECKING:
    from collections.abc import Mapping

    from components.model.places import Place

_DRIVERS: Final = {"default": "DEFAULT", "latest": "LATEST", "disabled": "INSTALLATION_DISABLED"}


def class_of_entry(platform: config.Platform) -> dict[str, str]:
    """The ComputeClass of each entry of `node_pools` and `tpu_slices` that one names; the first that does."""
    classes: dict[str, str] = {}
    for each in platform.compute_classes:
        for priority in each.priorities:
            if isinstance(priority, config.PoolsPriority):
                for entry in priority.node_pools:
                    classes.setdefault(entry, each.name)
    return classes


def ordinary_pool_plans(platform: config.Platform, root: Place) -> tuple[OrdinaryPoolPlan, ...]:
    """The pools without TPUs."""
    classes = class_of_entry(platform)
    pools = (
        _ordinary_pool(pool, platform.labels, root.at("node_pools", index))
        for index, pool in enumerate(platform.node_pools)
    )
    return tuple(structs.replace(pool, compute_class=classes.get(pool.name)) for pool in pools)


def _ordinary_pool(pool: config.OrdinaryPool, billing_labels: Mapping[str, str], place: Place) -> OrdinaryPoolPlan:
    """A pool without TPUs; its nodes are those that there can be at most."""
    limits = pool.autoscaling
    per_zone = pool.nodes if limits is None else limits.max
    return plan_from(
        OrdinaryPoolPlan,
        pool,
        place=place,
        nodes_per_zone=pool.nodes,
        autoscaling=None
        if limits is None
        else AutoscalingPlan(
            minimum=limits.min, maximum=limits.max, location_policy=None if pool.flex_start is None else "ANY"
        ),
        nodes=0 if per_zone is None else per_zone * len(pool.zones),
        is_spot=pool.spot,
        gpu=None
        if pool.gpu is None
        else plan_from(GpuPlan, pool.gpu, place=place.at("gpu"), driver=_DRIVERS[pool.gpu.driver]),
        added_labels=pool.labels,
        billing_labels=billing_labels,
        upgrade=upgrade_plan(pool.upgrade, place),
        flex_start=None
        if pool.flex_start is None
        else plan_from(FlexStartPlan, pool.flex_start, place=place.at("flex_start"), is_queued=pool.flex_start.queued),
    )


def upgrade_plan(upgrade: config.Upgrade | None, place: Place) -> UpgradePlan | None:
    """How nodes of the pool at `place` are upgraded."""
    return None if upgrade is None else plan_from(UpgradePlan, upgrade, place=place.at("upgrade"))


def quota_plans(platform: config.Platform, root: Place) -> tuple[QuotaPlan, ...]:
    """The quotas of the project."""
    return tuple(_quota(quota, root.at("quota", index)) for index, quota in enumerate(platform.quota))


def _quota(quota: config.Quota, place: Place) -> QuotaPlan:
    is_tpu = isinstance(quota, config.TpuQuota)
    return plan_from(
        QuotaPlan,
        quota,
        place=place,
        accelerator=quota.family if is_tpu else quota.gpu,
        is_tpu=is_tpu,
        amount=quota.chips if is_tpu else quota.count,
    )
