"""Rules about the budgets of chips in an environment's policy settings: for a queue, and for all pools together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import gke, kinds
from components.model.findings import Finding
from components.model.rule import Family
from policies.objects.judging import environment_rule, guard_rule
from policies.objects.rebuilding.pool_hosts import is_tpu_pool
from policies.objects.rebuilding.pools import slice_pool

if TYPE_CHECKING:
    from collections.abc import Iterator

    from policies.objects.judging import Settings
    from policies.objects.world import Object, World

_BUDGETS: Final = "budgets in the environment's policy settings"


@guard_rule(
    "queue-keeps-its-budget",
    setting="chips_of_queue",
    summary="the chips of a queue, over all of its flavors, stay within its budget",
    why="The queue would promise its teams more chips than its budget allows.",
    source=_BUDGETS,
    kinds=(kinds.CLUSTER_QUEUE,),
    family=Family.QUOTA,
)
def _queue_keeps_its_budget(queue: Object, settings: Settings) -> Iterator[Finding]:
    budget = settings.chips_of_queue.get(queue.name)
    if budget is None:
        return
    before = 0
    for group in queue.parts("spec", "resourceGroups"):
        for flavor in group.parts("flavors"):
            for resource in flavor.parts("resources"):
                amount = resource.quantity("nominalQuota") if resource.text("name") == gke.RESOURCE_TPU else None
                chips = 0 if amount is None else amount.milli // 1000
                if chips and before + chips > budget:
                    others = f" beside {before} of other flavors" if before else ""
                    yield Finding(
                        place=resource.place.at("nominalQuota"),
                        says=f"{chips} chips{others}, but the budget of {queue.name} is {budget}.",
                        remedy=f"Set {max(budget - before, 0)} or less, or raise the budget.",
                    )
                before += chips


@environment_rule(
    "pools-keep-their-budget",
    setting="chips",
    summary="the chips of all pools, each at its largest, stay within the budget of the environment",
    why="The environment would cost more than its budget allows.",
    source=_BUDGETS,
    kinds=(kinds.NODE_POOL,),
    family=Family.QUOTA,
)
def _pools_keep_their_budget(pool: Object, world: World, settings: Settings) -> Iterator[Finding]:
    """All pools at once, at the first of them, each at its largest: found at the pool that exceeds the budget."""
    every = world.of(kinds.NODE_POOL)
    if settings.chips is None or pool is not every[0]:
        return
    cluster = next(iter(world.of(kinds.CLUSTER)), None)
    before = 0
    for each in every:
        chips = slice_pool(each, cluster).chips if is_tpu_pool(each) else 0
        if chips and before + chips > settings.chips:
            others = f" beside {before} of the pools before it" if before else ""
            yield Finding(
                place=each.place,
                says=f"{each.name} has {chips} chips{others}, but the budget of all pools is {settings.chips}.",
                remedy="Declare fewer or smaller slices, or raise the budget.",
            )
        before += chips


BUDGET_RULES: Final = (_queue_keeps_its_budget, _pools_keep_their_budget)
