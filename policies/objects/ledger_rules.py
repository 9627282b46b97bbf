"""Applies to objects, by way of a rebuilt plan, the rules over a plan that name kinds of objects.

The others are about keys that only a stack file has, or have a reader of objects in `policies/rules/`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from components.model.facts import kinds
from components.model.rule import Family, breaches
from components.model.rules import ALL_RULES
from policies.objects.judging import NotChecked, missing_halves
from policies.objects.rebuilding import rebuild
from policies.objects.references import refers
from policies.objects.world import World

if TYPE_CHECKING:
    from collections.abc import Iterator

    from components.model.facts.kinds import Kind
    from components.model.findings import Finding
    from components.model.rule import PlanRule
    from policies.objects.rebuilding import Rebuilt
    from policies.objects.world import Object

_CLUSTER: Final = kinds.CLUSTER
_POOLS: Final = kinds.NODE_POOL
_WITH_QUEUES: Final = (kinds.COHORT, kinds.ADMISSION_CHECK, kinds.PROVISIONING_CONFIG)
LEDGER_RULES: Final = tuple(rule for rule in ALL_RULES if rule.kinds)
"""The rules over a plan that objects can break: each looks for something to judge among its kinds."""


def look_at_ledger(world: World, rules: tuple[PlanRule, ...] = LEDGER_RULES) -> Iterator[Finding | NotChecked]:
    """What the rules find in the plan that the objects would have come of.

    A plan has one cluster: of several, each is judged for itself, and rules that set it beside other objects are not
    decided.
    """
    rebuilt = rebuild(world)
    yield from rebuilt.malformed
    clusters = world.known(_CLUSTER)
    alone = [World([cluster]) for cluster in clusters] if len(clusters) > 1 else []
    for each in rules:
        if not world.has(*each.kinds):
            continue
        if not alone or _CLUSTER not in _read_by(each):
            yield from _look(each, rebuilt, world)
        elif set(_read_by(each)) == {_CLUSTER}:
            for one in alone:
                yield from _look(each, rebuild(one), one)
        else:
            reason = f"judges objects by their cluster, and there are {len(clusters)} here"
            yield NotChecked(rule=each.id, place=None, reason=reason)


def _read_by(rule: PlanRule) -> tuple[Kind, ...]:
    """Every kind that the rule looks at; what queues share and ask for is read with them."""
    stated = (*rule.kinds, *rule.needs)
    return (*stated, *_WITH_QUEUES) if kinds.CLUSTER_QUEUE in stated else stated


def _look(each: PlanRule, rebuilt: Rebuilt, world: World) -> Iterator[Finding | NotChecked]:
    # An Autopilot cluster has no pools: what pods select is made.
    is_made = rebuilt.plan.cluster.mode == "autopilot"
    missing = world.lacks(kind for kind in each.needs if kind is not _POOLS or not is_made)
    # Where chips have to be in pools or within limits, a pool or a cluster that nobody can read may have them.
    is_of_chips = each.family is Family.QUOTA and not {_CLUSTER, _POOLS}.isdisjoint(each.needs)
    sources = (_CLUSTER, _POOLS) if is_of_chips else ()
    unread = [rebuilt.unread[kind] for kind in dict.fromkeys((*_read_by(each), *sources)) if kind in rebuilt.unread]
    if missing:
        askers = _askers(each.kinds, each.needs, world)
        if askers:
            yield missing_halves(each.id, missing, askers)
    elif unread and each.needs:
        yield NotChecked(rule=each.id, place=unread[0][0], reason=unread[0][1])
    else:
        yield from breaches(each, rebuilt.plan)
        yield from (NotChecked(rule=each.id, place=place, reason=reason) for place, reason in unread)


@lru_cache(maxsize=16)
def _askers(subjects: tuple[Kind, ...], needs: tuple[Kind, ...], world: World) -> tuple[Object, ...]:
    """The objects that refer to all kinds that a rule needs; rules share these kinds, and objects are many."""
    return tuple(one for one in world.known(*subjects) if all(refers(one, kind, world) for kind in needs))
