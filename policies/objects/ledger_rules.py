"""Applies to objects, by way of a rebuilt plan, the rules over a plan that name kinds of objects.

The others are about keys that only a stack file has, or have a reader of objects in `policies/rules/`. A rule is not
decided for an object that refers to a kind without objects. Rules over objects show by their queries which kinds they
need. Rules over a plan do not, so `_REFERENCES` lists references, generously: what it does not list is one.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from components.model.facts import gke, kinds
from components.model.rule import Family, PlanRule, breaches
from components.model.rules import ALL_RULES
from policies.objects.judging import NotChecked, missing_kinds
from policies.objects.ownership import labels_of
from policies.objects.pods import tpu_groups
from policies.objects.rebuilding import Rebuilt, rebuild
from policies.objects.values import MalformedError, UndecidedError
from policies.objects.world import Object, World

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from components.model.facts.kinds import Kind
    from components.model.findings import Finding

_CLUSTER: Final = kinds.CLUSTER
_POOLS: Final = kinds.NODE_POOL
_WITH_QUEUES: Final = (kinds.COHORT, kinds.ADMISSION_CHECK, kinds.PROVISIONING_CONFIG)
LEDGER_RULES: Final = tuple(rule for rule in ALL_RULES if rule.kinds)
"""The rules over a plan that objects can break: each looks for something to judge among its kinds."""


def _refers(each: Object, needed: Kind, world: World) -> bool:
    """Whether an object refers to objects of a kind; also where the reference cannot be read."""
    tells = _REFERENCES.get((each.kind, needed))
    try:
        return tells is None or tells(each, world)
    except (UndecidedError, MalformedError):
        return True


def _is_queued(run: Object, _world: World) -> bool:
    return run.has(*labels_of(run), gke.LABEL_QUEUE_NAME)


def _has_priority(run: Object, _world: World) -> bool:
    return run.has(*labels_of(run), gke.LABEL_WORKLOAD_PRIORITY)


@lru_cache(maxsize=1)
def _has_priorities(world: World) -> bool:
    """Every queue asks for it."""
    return any(_has_priority(run, world) for run in world.known(*kinds.QUEUED_KINDS))


def _holds_chips(queue: Object, _world: World) -> bool:
    return any(gke.RESOURCE_TPU in group.texts("coveredResources") for group in queue.parts("spec", "resourceGroups"))


_OF_RUNS: Final[Mapping[Kind, Callable[[Object, World], bool]]] = {
    kinds.LOCAL_QUEUE: _is_queued,
    kinds.CLUSTER_QUEUE: _is_queued,
    kinds.RESOURCE_FLAVOR: _is_queued,
    kinds.WORKLOAD_PRIORITY: _has_priority,
    kinds.NODE_POOL: lambda run, _world: any(tpu_groups(run)),
}
_OF_QUOTA: Final[Mapping[Kind, Callable[[Object, World], bool]]] = {
    kinds.RESOURCE_FLAVOR: lambda queue, _world: any(
        group.parts("flavors") for group in queue.parts("spec", "resourceGroups")
    ),
    kinds.NODE_POOL: _holds_chips,
    kinds.CLUSTER: _holds_chips,
    # As either version of the API states them.
    kinds.ADMISSION_CHECK: lambda queue, _world: (
        queue.has("spec", "admissionChecksStrategy", "admissionChecks") or queue.has("spec", "admissionChecks")
    ),
    kinds.WORKLOAD_PRIORITY: lambda _queue, world: _has_priorities(world),
}
_OF_FLAVORS: Final[Mapping[Kind, Callable[[Object, World], bool]]] = {
    kinds.NODE_POOL: lambda flavor, _world: flavor.has("spec", "nodeLabels"),
    kinds.CLUSTER: lambda _flavor, _world: False,
}
# Node pools do not refer to Kueue; objects with chips in queues do.
_OF_POOLS: Final[Mapping[Kind, Callable[[Object, World], bool]]] = {
    kinds.RESOURCE_FLAVOR: lambda _pool, world: world.has(kinds.CLUSTER_QUEUE),
    kinds.CLUSTER_QUEUE: lambda _pool, world: world.has(kinds.RESOURCE_FLAVOR),
}
_REFERENCES: Final = {
    (subject, needed): tells
    for subject, references in (
        *((kind, _OF_RUNS) for kind in kinds.QUEUED_KINDS),
        (kinds.CLUSTER_QUEUE, _OF_QUOTA),
        (kinds.COHORT, _OF_QUOTA),
        (kinds.RESOURCE_FLAVOR, _OF_FLAVORS),
        (kinds.NODE_POOL, _OF_POOLS),
    )
    for needed, tells in references.items()
}


def look_at_ledger(world: World, rules: tuple[PlanRule, ...] = LEDGER_RULES) -> Iterator[Finding | NotChecked]:
    """The findings of the rules in the plan that is rebuilt from the objects.

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
        referrers = _referrers(each.kinds, each.needs, world)
        if referrers:
            yield missing_kinds(each.id, missing, referrers)
    elif unread and each.needs:
        yield NotChecked(rule=each.id, place=unread[0][0], reason=unread[0][1])
    else:
        yield from breaches(each, rebuilt.plan)
        yield from (NotChecked(rule=each.id, place=place, reason=reason) for place, reason in unread)


@lru_cache(maxsize=16)
def _referrers(subjects: tuple[Kind, ...], needs: tuple[Kind, ...], world: World) -> tuple[Object, ...]:
    """The objects that refer to all kinds that a rule needs; rules share these kinds, and objects are many."""
    return tuple(one for one in world.known(*subjects) if all(_refers(one, kind, world) for kind in needs))
