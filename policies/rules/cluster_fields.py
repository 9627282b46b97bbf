"""Rules about fields of a cluster that exclude each other, and what its node pools need of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import kinds
from components.model.findings import Finding, Severity
from components.model.rule import Family
from policies.objects.belonging import cluster_of, is_autopilot
from policies.objects.judging import object_rule, world_rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from components.model.places import Key
    from policies.objects.world import Object, World

_PROVIDER: Final = "hashicorp/terraform-provider-google-beta @93c65b2d, container_cluster"
_AUTOPILOT_DECIDES: Final[tuple[tuple[Key, ...], ...]] = (
    ("nodePools",),
    ("removeDefaultNodePool",),
    ("defaultMaxPodsPerNode",),
    ("networkPolicy",),
    ("enableShieldedNodes",),
    ("enableIntranodeVisibility",),
    ("binaryAuthorization", "enabled"),
    ("clusterAutoscaling", "resourceLimits"),
    ("addonsConfig", "networkPolicyConfig"),
    ("addonsConfig", "dnsCacheConfig"),
    ("addonsConfig", "statefulHaConfig"),
)
"""What the provider refuses beside enableAutopilot."""
_NODE_NETWORKS: Final = ("additionalNodeNetworkConfigs", "additionalPodNetworkConfigs", "acceleratorNetworkProfile")
_ROUTES: Final = "ROUTES"
_DATAPLANE_V2: Final = "ADVANCED_DATAPATH"


@object_rule(
    "autopilot-decides-its-own",
    summary="an Autopilot cluster states nothing that Autopilot decides",
    why="The provider refuses the cluster before it is made.",
    source=_PROVIDER,
    family=Family.GUARDRAILS,
    kinds=(kinds.CLUSTER,),
)
def _autopilot_decides_its_own(cluster: Object) -> Iterator[Finding]:
    for path in _AUTOPILOT_DECIDES if is_autopilot(cluster) else ():
        if cluster.has(*path):
            yield Finding(
                place=cluster.place.at(*path),
                says="it cannot be stated together with enableAutopilot.",
                remedy="Remove it, or set enableAutopilot: false.",
                is_about_key=True,
            )


@object_rule(
    "removed-pool-has-a-node",
    summary="a default node pool that is removed has a node first",
    why="The API creates no cluster without a node, even if its pool is removed at once.",
    source=_PROVIDER,
    family=Family.GUARDRAILS,
    kinds=(kinds.CLUSTER,),
)
def _removed_pool_has_a_node(cluster: Object) -> Iterator[Finding]:
    if is_autopilot(cluster) or cluster.flag("removeDefaultNodePool") is not True:
        return
    count = cluster.whole("initialNodeCount")
    if count is None or count < 1:
        yield Finding(
            place=cluster.place.at("initialNodeCount"),
            says=f"{'no' if count is None else count} nodes; the default pool needs one until it is removed.",
            remedy="Set 1.",
        )


@object_rule(
    "tpu-switch-is-retired",
    summary="slices come from node pools, not from the cluster's TPU setting",
    why="enableTpu and tpuConfig belong to legacy Cloud TPU nodes, which are not node pools; they provide no chips.",
    source='GKE documentation "About TPUs in GKE", read 2026-11',
    family=Family.GUARDRAILS,
    kinds=(kinds.CLUSTER,),
    severity=Severity.WARNING,
)
def _tpu_switch_is_retired(cluster: Object) -> Iterator[Finding]:
    for key, is_on in (("enableTpu", cluster.flag("enableTpu") is True), ("tpuConfig", cluster.has("tpuConfig"))):
        if is_on:
            yield Finding(
                place=cluster.place.at(key),
                says="it has nothing to do with slices of a node pool.",
                remedy="Remove it, and declare a node pool with a TPU machine type.",
                is_about_key=True,
            )


@world_rule(
    "node-networks-need-multi-networking",
    summary="pools with additional networks are in a cluster that has multi-networking",
    why="The API refuses the pool; multi-networking can only be switched on when the cluster is made.",
    source='GKE documentation "Set up multi-network support for Pods", read 2026-11',
    family=Family.GUARDRAILS,
    kinds=(kinds.NODE_POOL,),
    needs=(kinds.CLUSTER,),
)
def _node_networks_need_multi_networking(pool: Object, world: World) -> Iterator[Finding]:
    stated = [key for key in _NODE_NETWORKS if pool.has("networkConfig", key)]
    if not stated:
        return
    cluster = cluster_of(pool, world)
    if cluster is None or cluster.flag("enableMultiNetworking") is True:
        return
    for key in stated:
        yield Finding(
            place=pool.place.at("networkConfig", key),
            says=f"{cluster} has no multi-networking.",
            remedy="Set enableMultiNetworking: true in the cluster, or remove it.",
            is_about_key=True,
        )


@object_rule(
    "multi-networking-is-dataplane-v2",
    summary="a cluster with multi-networking uses Dataplane V2",
    why="Networks of accelerators are documented for Dataplane V2 only; the API may accept others.",
    source='GKE documentation "Allocate network resources by using GKE managed DRANET", read 2026-11',
    family=Family.GUARDRAILS,
    kinds=(kinds.CLUSTER,),
    severity=Severity.WARNING,
)
def _multi_networking_is_dataplane_v2(cluster: Object) -> Iterator[Finding]:
    provider = cluster.text("datapathProvider")
    is_standard = not is_autopilot(cluster)
    if is_standard and cluster.flag("enableMultiNetworking") is True and provider != _DATAPLANE_V2:
        yield Finding(
            place=cluster.place.at("datapathProvider"),
            says=f"{'it is not stated' if provider is None else provider}, beside enableMultiNetworking.",
            remedy=f"Set {_DATAPLANE_V2}.",
        )


@world_rule(
    "pods-per-node-are-vpc-native",
    summary="the number of pods per node is stated only in VPC-native clusters",
    why="Elsewhere a node's range has one size, and the API refuses the number.",
    source='GKE documentation "Configure maximum Pods per node", read 2026-11',
    family=Family.GUARDRAILS,
    kinds=(kinds.CLUSTER, kinds.NODE_POOL),
    needs=(kinds.CLUSTER,),
)
def _pods_per_node_are_vpc_native(each: Object, world: World) -> Iterator[Finding]:
    key = "maxPodsPerNode" if each.kind is kinds.NODE_POOL else "defaultMaxPodsPerNode"
    if each.whole(key) is None:
        return
    cluster = cluster_of(each, world) if each.kind is kinds.NODE_POOL else each
    if cluster is not None and cluster.text("networkingMode") == _ROUTES:
        yield Finding(
            place=each.place.at(key),
            says=f"{cluster} has networkingMode {_ROUTES}.",
            remedy="Set networkingMode: VPC_NATIVE in the cluster, or remove it.",
            is_about_key=True,
        )


CLUSTER_FIELD_RULES: Final = (
    _autopilot_decides_its_own,
    _removed_pool_has_a_node,
    _tpu_switch_is_retired,
    _node_networks_need_multi_networking,
    _multi_networking_is_dataplane_v2,
    _pods_per_node_are_vpc_native,
)
