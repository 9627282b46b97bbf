"""The rules over objects, and the one check of all objects by all rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.rule import Scope, rules_in
from policies.objects.judging import TYPES, ObjectRule, Settings, Verdict, look, verdict
from policies.objects.ledger_rules import LEDGER_RULES, look_at_ledger
from policies.rules import (
    admission_checks,
    api,
    clusters,
    compute_classes,
    containers,
    controllers,
    environment,
    flavors,
    jobsets,
    node_pools,
    pod_network,
    pool_capacity,
    pool_placement,
    queueing,
    queues,
    selectors,
    slices,
    storage,
)

if TYPE_CHECKING:
    from policies.objects.world import World

OBJECT_RULES: Final[tuple[ObjectRule, ...]] = tuple(
    each
    for each in rules_in(
        node_pools,
        pool_placement,
        pool_capacity,
        flavors,
        queues,
        admission_checks,
        queueing,
        slices,
        selectors,
        jobsets,
        pod_network,
        containers,
        compute_classes,
        storage,
        clusters,
        controllers,
        environment,
        api,
    )
    if each.scope is not Scope.PLAN  # modules import the rules over a plan that they read in objects
)
_OF_ONE: Final = tuple(each for each in OBJECT_RULES if each.scope is Scope.OBJECT)
_OF_SEVERAL: Final = tuple(each for each in OBJECT_RULES if each.scope is not Scope.OBJECT)
RULE_IDS: Final = tuple(each.id for each in (TYPES, *OBJECT_RULES, *LEDGER_RULES))
"""The ids of all rules over objects, in the order in which they are checked."""


def judge(world: World, settings: Settings) -> Verdict:
    """Check all objects by every rule."""
    return verdict([*look(OBJECT_RULES, world, settings), *look_at_ledger(world)])


def judge_each(world: World, settings: Settings) -> Verdict:
    """Check each object by the rules over one object."""
    return verdict(look(_OF_ONE, world, settings))


def judge_together(world: World, settings: Settings) -> Verdict:
    """Check the objects by the rules over several objects and over a rebuilt plan."""
    return verdict([*look(_OF_SEVERAL, world, settings), *look_at_ledger(world)])
