"""Rules about the address ranges of clusters as they are registered; the program's own rules are about its stack file.

A node takes a range out of the pods' range that holds twice the pods that it may have, rounded up to a power of two.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Final

from components.model.facts import kinds
from components.model.findings import Finding, Severity
from components.model.rule import Family
from policies.objects.belonging import cluster_of
from policies.objects.judging import world_rule
from policies.objects.ranges import pod_range, ranges_of
from policies.objects.rebuilding.pool_hosts import most_nodes, zones_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from policies.objects.world import Object, World

_VPC_NATIVE: Final = 'GKE documentation "VPC-native clusters", read 2026-11'
_DEFAULT_PODS: Final = 110
_ZONES_OF_A_REGION: Final = 3
"""Zones that GKE takes where a regional cluster names none."""


@world_rule(
    "ranges-do-not-overlap",
    summary="nodes, pods, services and control plane have separate ranges of addresses",
    why="The API refuses ranges that overlap, sometimes only after minutes.",
    source=_VPC_NATIVE,
    family=Family.GUARDRAILS,
    kinds=(kinds.CLUSTER,),
)
def _ranges_do_not_overlap(cluster: Object, world: World) -> Iterator[Finding]:
    for one, other in combinations(ranges_of(cluster, world), 2):
        if one.addresses.overlaps(other.addresses):
            yield Finding(
                place=other.place,
                says=f"{other.addresses}, for {other.what}, overlaps {one.addresses}, which is for {one.what}.",
                remedy=f"Choose a range outside of {one.addresses}.",
            )


@world_rule(
    "pod-range-holds-pools",
    summary="the pods' range has room for every node of the cluster's pools",
    why="A node takes its pods' addresses when it is created; without them its pool fails.",
    source=_VPC_NATIVE,
    family=Family.GUARDRAILS,
    kinds=(kinds.CLUSTER,),
    needs=(kinds.NODE_POOL,),
    severity=Severity.WARNING,
)
def _pod_range_holds_pools(cluster: Object, world: World) -> Iterator[Finding]:
    pods = pod_range(cluster, world)
    if pods is None:
        return
    own = [pool for pool in world.of(kinds.NODE_POOL) if _draws_on(pool, cluster, world)]
    needed = sum(_addresses(pool, cluster) for pool in own)
    if needed > pods.addresses.num_addresses:
        prefix = 32 - (needed - 1).bit_length()
        yield Finding(
            place=pods.place,
            says=f"{pods.addresses} has {pods.addresses.num_addresses} addresses; the nodes of the pools at their "
            f"largest take {needed}.",
            remedy=f"Choose a /{prefix} or larger, or allow fewer pods per node.",
        )


def _draws_on(pool: Object, cluster: Object, world: World) -> bool:
    """Whether the pool's pods are in the cluster's range rather than in one of the pool's own."""
    has_own = any(pool.has("networkConfig", key) for key in ("podRange", "createPodRange", "podIpv4CidrBlock"))
    return not has_own and cluster_of(pool, world) is cluster


def _addresses(pool: Object, cluster: Object) -> int:
    stated = pool.whole("maxPodsPerNode")
    of_cluster = cluster.whole("defaultMaxPodsPerNode") if stated is None else stated
    pods = _DEFAULT_PODS if of_cluster is None else of_cluster
    zones = zones_of(pool, cluster)
    nodes = most_nodes(pool, len(zones) if zones else _ZONES_OF_A_REGION)
    return nodes * (2 << (pods - 1).bit_length())


RANGE_RULES: Final = (_ranges_do_not_overlap, _pod_range_holds_pools)
