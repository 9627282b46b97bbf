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
    return OrdinaryPoolPlan(
        place=place,
        name=pool.name,
        machine_type=pool.machine_type,
        nodes_per_zone=pool.nodes,
        autoscaling=None
        if limits is None
        else AutoscalingPlan(
            minimum=limits.min, maximum=limits.max, location_policy=None if pool.flex_start is None else "ANY"
        ),
        nodes=0 if per_zone is None else per_zone * len(pool.zones),
        zones=pool.zones,
        is_spot=pool.spot,
        gpu=None if pool.gpu is None else _gpu_plan(pool.gpu, place.at("gpu")),
        added_labels=pool.labels,
        billing_labels=billing_labels,
        upgrade=upgrade_plan(pool.upgrade, place),
        flex_start=None if pool.flex_start is None else _flex_start_plan(pool.flex_start, place.at("flex_start")),
    )


def _flex_start_plan(flex_start: config.FlexStart, place: Place) -> FlexStartPlan:
    return FlexStartPlan(place=place, is_queued=flex_start.queued, max_run_seconds=flex_start.max_run_seconds)


def _gpu_plan(gpu: config.Gpu, place: Place) -> GpuPlan:
    return GpuPlan(place=place, type=gpu.type, count=gpu.count, driver=_DRIVERS[gpu.driver])


def upgrade_plan(upgrade: config.Upgrade | None, place: Place) -> UpgradePlan | None:
    """How nodes of the pool at `place` are upgraded."""
    if upgrade is None:
        return None
    return UpgradePlan(
        place=place.at("upgrade"),
        strategy=upgrade.strategy,
        max_surge=upgrade.max_surge,
        max_unavailable=upgrade.max_unavailable,
        batch_nodes=upgrade.batch_nodes,
        soak_seconds=upgrade.soak_seconds,
    )


def quota_plans(platform: config.Platform, root: Place) -> tuple[QuotaPlan, ...]:
    """The quotas of the project."""
    return tuple(_quota(quota, root.at("quota", index)) for index, quota in enumerate(platform.quota))


def _quota(quota: config.Quota, place: Place) -> QuotaPlan:
    is_tpu = isinstance(quota, config.TpuQuota)
    return QuotaPlan(
        place=place,
        region=quota.region,
        accelerator=quota.family if is_tpu else quota.gpu,
        is_tpu=is_tpu,
        class_=quota.class_,
        amount=quota.chips if is_tpu else quota.count,
    )
