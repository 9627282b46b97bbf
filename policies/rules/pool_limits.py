"""Rules about how many nodes a pool has and may have, and how they are upgraded, whatever its machines.

Rules about multi-host slices alone are in `pool_shape.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import kinds
from components.model.findings import Finding, Severity, counted, listing
from components.model.rule import Family
from policies.objects.judging import object_rule
from policies.objects.rebuilding.pool_hosts import multi_host

if TYPE_CHECKING:
    from collections.abc import Iterator

    from policies.objects.values import Part
    from policies.objects.world import Object

_PER_ZONE: Final = ("minNodeCount", "maxNodeCount")
_TOTAL: Final = ("totalMinNodeCount", "totalMaxNodeCount")
_STRATEGIES: Final = ("SURGE", "BLUE_GREEN")


def _limits(pool: Object) -> Part | None:
    """The limits of an autoscaled pool; None for multi-host slices, to which rules of their own apply."""
    return None if multi_host(pool) is not None else pool.part("autoscaling")


@object_rule(
    "limits-are-of-one-kind",
    summary="a pool is autoscaled by limits per zone or by totals, not by both",
    why="The API takes one of the two.",
    source="documentation of the google provider, container_node_pool, autoscaling",
    family=Family.TOPOLOGY,
    kinds=(kinds.NODE_POOL,),
)
def _limits_are_of_one_kind(pool: Object) -> Iterator[Finding]:
    limits = _limits(pool)
    if limits is None or not any(limits.whole(key) for key in _PER_ZONE):
        return
    for key in _TOTAL:
        if limits.whole(key):
            yield Finding(
                place=limits.place.at(key),
                says="it limits the nodes of all zones together, and limits per zone are stated too.",
                remedy="Remove it, or remove minNodeCount and maxNodeCount.",
                is_about_key=True,
            )


@object_rule(
    "autoscaling-has-a-maximum",
    summary="an autoscaled pool may have at least one node",
    why="The API refuses limits whose maxima are both zero.",
    source="terraform-google-modules/terraform-google-kubernetes-engine issue 1554",
    family=Family.TOPOLOGY,
    kinds=(kinds.NODE_POOL,),
)
def _autoscaling_has_a_maximum(pool: Object) -> Iterator[Finding]:
    limits = _limits(pool)
    if limits is not None and not any(limits.whole(key) for key in (_PER_ZONE[1], _TOTAL[1])):
        yield Finding(
            place=limits.place,
            says="neither maxNodeCount nor totalMaxNodeCount is above 0.",
            remedy="Set maxNodeCount, the most nodes in each zone, to 1 or more; or remove autoscaling.",
        )


@object_rule(
    "limits-are-in-order",
    summary="the minimum number of nodes is not above the maximum",
    why="Nothing checks it before the API, which refuses it.",
    source="hashicorp/terraform-provider-google issue 5441",
    family=Family.TOPOLOGY,
    kinds=(kinds.NODE_POOL,),
)
def _limits_are_in_order(pool: Object) -> Iterator[Finding]:
    limits = _limits(pool)
    if limits is None:
        return
    for low, high in (_PER_ZONE, _TOTAL):
        least, most = limits.count(low), limits.whole(high)
        if most and least > most:
            yield Finding(
                place=limits.place.at(low),
                says=f"{counted(least, 'node')} at least; {high} is {most}.",
                remedy=f"Set {most} or less, or raise {high}.",
            )


@object_rule(
    "node-count-is-stated-once",
    summary="a pool states nodeCount or initialNodeCount, not both",
    why="The provider refuses both together.",
    source="google provider, container node pool, expandNodePool",
    family=Family.TOPOLOGY,
    kinds=(kinds.NODE_POOL,),
)
def _node_count_is_stated_once(pool: Object) -> Iterator[Finding]:
    first, count = pool.whole("initialNodeCount"), pool.whole("nodeCount")
    if first and count:
        yield Finding(
            place=pool.place.at("initialNodeCount"),
            says=f"{counted(first, 'node')} at first, but nodeCount is {count}.",
            remedy="Keep nodeCount; for an autoscaled pool keep initialNodeCount.",
            is_about_key=True,
        )


@object_rule(
    "autoscaler-owns-the-count",
    summary="an autoscaled pool states no fixed number of nodes",
    why="Every update would undo what the autoscaler did, unless changes of the number are ignored.",
    source="hashicorp/terraform-provider-google issue 9570",
    family=Family.TOPOLOGY,
    kinds=(kinds.NODE_POOL,),
    severity=Severity.WARNING,
)
def _autoscaler_owns_the_count(pool: Object) -> Iterator[Finding]:
    if pool.part("autoscaling") is None or pool.flag("ignoreNodeCountChanges"):
        return
    count = pool.whole("nodeCount")
    is_told_elsewhere = pool.flag("nodeConfig", "flexStart") and count
    if count is not None and not is_told_elsewhere:
        yield Finding(
            place=pool.place.at("nodeCount"),
            says=f"{counted(count, 'node')}, but the autoscaler changes their number.",
            remedy=f"Set initialNodeCount: {count} instead, and ignore its changes.",
            is_about_key=True,
        )


@object_rule(
    "upgrade-strategy-is-known",
    summary="nodes are upgraded by a strategy that exists",
    why="The provider refuses others.",
    source="documentation of the google provider, container_node_pool, upgrade_settings",
    family=Family.TOPOLOGY,
    kinds=(kinds.NODE_POOL,),
)
def _upgrade_strategy_is_known(pool: Object) -> Iterator[Finding]:
    strategy = pool.text("upgradeSettings", "strategy")
    if strategy is not None and strategy not in _STRATEGIES:
        yield Finding(
            place=pool.place.at("upgradeSettings", "strategy"),
            says=f"{strategy} is not an upgrade strategy.",
            remedy=f"Set {listing(_STRATEGIES, 'or')}.",
        )


POOL_LIMIT_RULES: Final = (
    _limits_are_of_one_kind,
    _autoscaling_has_a_maximum,
    _limits_are_in_order,
    _node_count_is_stated_once,
    _autoscaler_owns_the_count,
    _upgrade_strategy_is_known,
)
