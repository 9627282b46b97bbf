"""Rules about clusters: their fields, their control plane, the identity of their nodes, their address ranges.

A node takes a range out of the pods' range that holds twice the pods that it may have, rounded up to a power of two.
"""

from __future__ import annotations

import re
from itertools import combinations
from typing import TYPE_CHECKING, Final

from components.model.facts import gke, kinds
from components.model.findings import Finding, Severity, about_key
from components.model.rule import Family
from policies.objects.judging import Settings, guard_rule, object_rule, world_rule
from policies.objects.ownership import cluster_of, is_autopilot
from policies.objects.ranges import pod_range, ranges_of
from policies.objects.rebuilding.pools import most_nodes, zones_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from components.model.places import Key
    from policies.objects.world import Object, World

FAMILY: Final = Family.GUARDRAILS

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
"""The fields that the provider refuses beside enableAutopilot."""
_NODE_NETWORKS: Final = ("additionalNodeNetworkConfigs", "additionalPodNetworkConfigs", "acceleratorNetworkProfile")
_ROUTES: Final = "ROUTES"
_DATAPLANE_V2: Final = "ADVANCED_DATAPATH"
_ISOLATION: Final = 'GKE documentation "Customize your network isolation", read 2026-11'
_IDENTITY: Final = 'GKE documentation "Authenticate to Google Cloud APIs from GKE workloads", read 2026-11'
_POOL_SUFFIX: Final = ".svc.id.goog"
_PROJECT: Final = re.compile(r"([a-z][a-z0-9.-]*:)?[a-z][a-z0-9-]*[a-z0-9]")
"""A project's id, with its domain where it is of one."""
_HARDENING: Final = 'GKE documentation "Harden your cluster\'s security", read 2026-11'
_SCOPES: Final = ("oauthScopes",)
_MADE_NODES: Final[tuple[Key, ...]] = ("clusterAutoscaling", "autoProvisioningDefaults")
_WHOLE_SCOPES: Final = (gke.SCOPE_CLOUD_PLATFORM, "cloud-platform")
"""Its name, and the alias that the provider takes for it."""
_DEFAULT_ACCOUNT: Final = "default"
_DEFAULT_DOMAIN: Final = "-compute@developer.gserviceaccount.com"
_METADATA_MODE: Final[tuple[Key, ...]] = ("workloadMetadataConfig", "mode")
_VPC_NATIVE: Final = 'GKE documentation "VPC-native clusters", read 2026-11'
_DEFAULT_PODS_PER_NODE: Final = 110
_ZONES_OF_A_REGION: Final = 3
"""Zones that GKE takes where a regional cluster names none."""


@object_rule(
    summary="an Autopilot cluster states nothing that Autopilot decides",
    why="The provider refuses the cluster before it is made.",
    source=_PROVIDER,
    kinds=(kinds.CLUSTER,),
)
def _autopilot_decides_its_own(cluster: Object) -> Iterator[Finding]:
    for path in _AUTOPILOT_DECIDES if is_autopilot(cluster) else ():
        if cluster.has(*path):
            yield about_key(
                place=cluster.place.at(*path),
                says="it cannot be stated together with enableAutopilot.",
                remedy="Remove it, or set enableAutopilot: false.",
            )


@object_rule(
    summary="a default node pool that is removed has a node first",
    why="The API creates no cluster without a node, even if its pool is removed at once.",
    source=_PROVIDER,
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
    summary="slices come from node pools, not from the cluster's TPU setting",
    why="enableTpu and tpuConfig belong to legacy Cloud TPU nodes, which are not node pools; they provide no chips.",
    source='GKE documentation "About TPUs in GKE", read 2026-11',
    kinds=(kinds.CLUSTER,),
    severity=Severity.WARNING,
)
def _tpu_switch_is_retired(cluster: Object) -> Iterator[Finding]:
    for key, is_on in (("enableTpu", cluster.flag("enableTpu") is True), ("tpuConfig", cluster.has("tpuConfig"))):
        if is_on:
            yield about_key(
                place=cluster.place.at(key),
                says="it has nothing to do with slices of a node pool.",
                remedy="Remove it, and declare a node pool with a TPU machine type.",
            )


@world_rule(
    summary="pools with additional networks are in a cluster that has multi-networking",
    why="The API refuses the pool; multi-networking can only be switched on when the cluster is made.",
    source='GKE documentation "Set up multi-network support for Pods", read 2026-11',
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
        yield about_key(
            place=pool.place.at("networkConfig", key),
            says=f"{cluster} has no multi-networking.",
            remedy="Set enableMultiNetworking: true in the cluster, or remove it.",
        )


@object_rule(
    summary="a cluster with multi-networking uses Dataplane V2",
    why="Networks of accelerators are documented for Dataplane V2 only; the API may accept others.",
    source='GKE documentation "Allocate network resources by using GKE managed DRANET", read 2026-11',
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
    summary="the number of pods per node is stated only in VPC-native clusters",
    why="Elsewhere a node's range has one size, and the API refuses the number.",
    source='GKE documentation "Configure maximum Pods per node", read 2026-11',
    kinds=(kinds.CLUSTER, kinds.NODE_POOL),
    needs=(kinds.CLUSTER,),
)
def _pods_per_node_are_vpc_native(each: Object, world: World) -> Iterator[Finding]:
    key = "maxPodsPerNode" if each.kind is kinds.NODE_POOL else "defaultMaxPodsPerNode"
    if each.whole(key) is None:
        return
    cluster = cluster_of(each, world) if each.kind is kinds.NODE_POOL else each
    if cluster is not None and cluster.text("networkingMode") == _ROUTES:
        yield about_key(
            place=each.place.at(key),
            says=f"{cluster} has networkingMode {_ROUTES}.",
            remedy="Set networkingMode: VPC_NATIVE in the cluster, or remove it.",
        )


@guard_rule(
    setting="has_public_access",
    summary="control planes have no public address where the environment allows none",
    why="A public control plane is one stolen credential away from everybody.",
    source=_ISOLATION,
    kinds=(kinds.CLUSTER,),
)
def _control_plane_is_private(cluster: Object, settings: Settings) -> Iterator[Finding]:
    if settings.has_public_access:
        return
    is_private = cluster.flag("privateClusterConfig", "enablePrivateEndpoint") is True
    has_no_address = cluster.flag("controlPlaneEndpointsConfig", "ipEndpointsConfig", "enabled") is False
    if not is_private and not has_no_address:
        yield Finding(
            place=cluster.place.at("privateClusterConfig", "enablePrivateEndpoint"),
            says="the control plane has a public address, and this environment allows none.",
            remedy="Set enablePrivateEndpoint: true and the networks that may reach it, or keep its DNS name only: "
            "controlPlaneEndpointsConfig.ipEndpointsConfig.enabled: false.",
        )


@guard_rule(
    setting="has_public_access",
    summary="nodes have no public addresses where the environment allows none",
    why="Each public address is a way in, and a quota to run out of.",
    source=_ISOLATION,
    kinds=(kinds.CLUSTER, kinds.NODE_POOL),
)
def _nodes_are_private(each: Object, settings: Settings) -> Iterator[Finding]:
    if settings.has_public_access:
        return
    if each.kind is kinds.NODE_POOL:
        path, is_public = ("networkConfig",), each.flag("networkConfig", "enablePrivateNodes") is False
    else:
        path = ("privateClusterConfig",)
        is_public = each.flag("privateClusterConfig", "enablePrivateNodes") is not True
    if is_public:
        yield Finding(
            place=each.place.at(*path, "enablePrivateNodes"),
            says="nodes get public addresses, and this environment allows none.",
            remedy="Set true.",
        )


@guard_rule(
    setting="has_public_access",
    summary="the control plane is closed to Google Cloud's public addresses where no public access is allowed",
    why="Anybody's virtual machine has such an address.",
    source=_ISOLATION,
    kinds=(kinds.CLUSTER,),
)
def _google_addresses_are_kept_out(cluster: Object, settings: Settings) -> Iterator[Finding]:
    path = ("masterAuthorizedNetworksConfig", "gcpPublicCidrsAccessEnabled")
    if not settings.has_public_access and cluster.flag(*path) is True:
        yield Finding(
            place=cluster.place.at(*path),
            says="every virtual machine of Google Cloud may reach the control plane, whoever owns it.",
            remedy="Set false.",
        )


@guard_rule(
    setting="has_default_identity",
    summary="clusters have Workload Identity where pods may not act as their node",
    why="Without it every pod has the rights of the node's service account.",
    source=_IDENTITY,
    kinds=(kinds.CLUSTER,),
)
def _workload_identity_is_on(cluster: Object, settings: Settings) -> Iterator[Finding]:
    if settings.has_default_identity or is_autopilot(cluster):
        return
    if not cluster.has("workloadIdentityConfig", "workloadPool"):
        project = cluster.text("project")
        yield about_key(
            place=cluster.place.at("workloadIdentityConfig"),
            says="the cluster has no Workload Identity, so pods act as their node.",
            remedy=f"Set workloadPool: {'<project>' if project is None else project}{_POOL_SUFFIX}.",
        )


@object_rule(
    summary="the workload pool is that of the cluster's project",
    why="A project has one pool, and the API refuses every other name.",
    source=_IDENTITY,
    kinds=(kinds.CLUSTER,),
)
def _workload_pool_is_the_projects(cluster: Object) -> Iterator[Finding]:
    path = ("workloadIdentityConfig", "workloadPool")
    stated, project = cluster.text(*path), cluster.text("project")
    if stated is None:
        return
    of = stated.removesuffix(_POOL_SUFFIX)
    if of != stated and (of == project or (project is None and _PROJECT.fullmatch(of) is not None)):
        return
    yield Finding(
        place=cluster.place.at(*path),
        says=f"{stated} is not the workload pool of {'a project' if project is None else project}.",
        remedy=f"Set {'<project>' if project is None else project}{_POOL_SUFFIX}.",
    )


def _stated_settings(each: Object) -> Iterator[tuple[Key, ...]]:
    """Where an object may configure its nodes."""
    yield ("nodeConfig",)
    if each.kind is kinds.CLUSTER:
        yield _MADE_NODES
        for index in range(len(each.parts("nodePools"))):
            yield ("nodePools", index, "nodeConfig")


def _nodes(each: Object) -> Iterator[tuple[Key, ...]]:
    """Where an object should configure its nodes: for every way in which it creates some."""
    if each.kind is kinds.NODE_POOL:
        yield ("nodeConfig",)
        return
    inline = range(len(each.parts("nodePools")))
    if is_autopilot(each):
        yield _MADE_NODES
    elif inline:
        yield from (("nodePools", index, "nodeConfig") for index in inline)
    else:
        yield ("nodeConfig",)
    if each.flag("clusterAutoscaling", "enabled") is True:
        yield _MADE_NODES


@object_rule(
    summary="nodes have the access scope cloud-platform, if any is stated",
    why="Scopes limit what IAM grants: a job's write to Cloud Storage fails with 403, and scopes of a living pool "
    "cannot be changed.",
    source='Compute Engine documentation "Service accounts", read 2026-11',
    kinds=(kinds.NODE_POOL, kinds.CLUSTER),
)
def _node_scopes_are_whole(each: Object) -> Iterator[Finding]:
    for path in _stated_settings(each):
        scopes = each.texts(*path, *_SCOPES)
        if scopes and not any(scope in _WHOLE_SCOPES for scope in scopes):
            yield Finding(
                place=each.place.at(*path, *_SCOPES),
                says="whatever the node's account may do, these scopes allow no more than they name.",
                remedy=f"Set {gke.SCOPE_CLOUD_PLATFORM}, and grant the account by IAM what it needs.",
            )


@object_rule(
    summary="nodes do not run as the project's default service account",
    why="That account can often edit the whole project, and so can every pod that gets hold of it.",
    source=_HARDENING,
    kinds=(kinds.NODE_POOL, kinds.CLUSTER),
    severity=Severity.WARNING,
)
def _node_account_is_not_the_default(each: Object) -> Iterator[Finding]:
    for path in _stated_settings(each):
        account = each.text(*path, "serviceAccount")
        if account is not None and (account == _DEFAULT_ACCOUNT or account.endswith(_DEFAULT_DOMAIN)):
            yield Finding(
                place=each.place.at(*path, "serviceAccount"),
                says=f"{account} is the project's default account.",
                remedy="Name an account of the nodes' own, with the role roles/container.defaultNodeServiceAccount.",
            )


@guard_rule(
    setting="has_default_identity",
    summary="nodes name a service account where the environment does not allow the default one",
    why="Without one they run as the project's default account, which can often edit the whole project.",
    source=_HARDENING,
    kinds=(kinds.NODE_POOL, kinds.CLUSTER),
)
def _nodes_have_their_own_account(each: Object, settings: Settings) -> Iterator[Finding]:
    for path in () if settings.has_default_identity else dict.fromkeys(_nodes(each)):
        if not each.has(*path, "serviceAccount"):
            yield Finding(
                place=each.place.at(*path, "serviceAccount"),
                says="none is named, so nodes run as the project's default account.",
                remedy="Name an account of the nodes' own, with the role roles/container.defaultNodeServiceAccount.",
            )


@object_rule(
    summary="pods reach the GKE metadata server, not that of their node",
    why="The node's own metadata server gives every pod the token of the node's account.",
    source=_IDENTITY,
    kinds=(kinds.NODE_POOL, kinds.CLUSTER),
    severity=Severity.WARNING,
)
def _pods_do_not_act_as_their_node(each: Object) -> Iterator[Finding]:
    for path in _stated_settings(each):
        if each.text(*path, *_METADATA_MODE) == "GCE_METADATA":
            yield Finding(
                place=each.place.at(*path, *_METADATA_MODE),
                says="GCE_METADATA shows pods the token of their node.",
                remedy="Set GKE_METADATA.",
            )


@world_rule(
    summary="nodes with the GKE metadata server are in a cluster with Workload Identity",
    why="The mode needs a workload pool of the cluster; without one the API refuses the node pool.",
    source="hashicorp/terraform-provider-google-beta @93c65b2d, workload_metadata_config",
    kinds=(kinds.NODE_POOL,),
    needs=(kinds.CLUSTER,),
)
def _metadata_server_has_identities(pool: Object, world: World) -> Iterator[Finding]:
    if pool.text("nodeConfig", *_METADATA_MODE) != "GKE_METADATA":
        return
    cluster = cluster_of(pool, world)
    if cluster is None or is_autopilot(cluster) or cluster.has("workloadIdentityConfig", "workloadPool"):
        return
    yield Finding(
        place=pool.place.at("nodeConfig", *_METADATA_MODE),
        says=f"{cluster} has no Workload Identity.",
        remedy="Set workloadIdentityConfig.workloadPool in the cluster.",
    )


@world_rule(
    summary="nodes, pods, services and control plane have separate ranges of addresses",
    why="The API refuses ranges that overlap, sometimes only after minutes.",
    source=_VPC_NATIVE,
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
    summary="the pods' range has room for every node of the cluster's pools",
    why="A node takes its pods' addresses when it is created; without them its pool fails.",
    source=_VPC_NATIVE,
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
    pods = _DEFAULT_PODS_PER_NODE if of_cluster is None else of_cluster
    zones = zones_of(pool, cluster)
    nodes = most_nodes(pool, len(zones) if zones else _ZONES_OF_A_REGION)
    return nodes * (2 << (pods - 1).bit_length())
