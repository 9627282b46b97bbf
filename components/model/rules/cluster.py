"""Rules about the cluster, its address ranges and the releases on it."""

from __future__ import annotations

from ipaddress import IPv4Network
from itertools import combinations
from typing import TYPE_CHECKING, Final

from components.model.facts import gke, kinds, versions
from components.model.facts.apis.fields import minor
from components.model.findings import Finding, Severity
from components.model.plan.cloud import CreatedNetworkPlan
from components.model.rule import Family, rule
from components.model.rules.access import ACCESS_RULES
from components.model.rules.version import VERSION_RULES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from components.model.places import Place
    from components.model.plan import Plan

_VPC_NATIVE: Final = 'GKE documentation "VPC-native clusters", read 2026-11'


def _ranges(plan: Plan) -> Iterator[tuple[str, Place, IPv4Network]]:
    """Every address range of the plan: what it is for, where it is stated, the range."""
    network = plan.network
    if isinstance(network, CreatedNetworkPlan):
        for key, value in (
            ("nodes_cidr", network.nodes_cidr),
            ("pods_cidr", network.pods_cidr),
            ("services_cidr", network.services_cidr),
        ):
            yield key, network.place.at(key), IPv4Network(value)
    if plan.cluster.control_plane_cidr is not None:
        place = plan.cluster.place.at("control_plane_cidr")
        yield "control_plane_cidr", place, IPv4Network(plan.cluster.control_plane_cidr)


@rule(
    "ranges-are-disjoint",
    summary="address ranges do not overlap",
    why="The API refuses overlapping ranges, partly after minutes.",
    source=_VPC_NATIVE,
    family=Family.GUARDRAILS,
)
def _ranges_are_disjoint(plan: Plan) -> Iterator[Finding]:
    for (other, _, other_range), (_, place, address_range) in combinations(_ranges(plan), 2):
        if address_range.overlaps(other_range):
            yield Finding(
                place=place,
                says=f"{address_range} overlaps {other}, which is {other_range}.",
                remedy=f"Choose a range outside of {other_range}.",
            )


@rule(
    "control-plane-range",
    summary="the control plane's range is a /28, and stated for private nodes only",
    why="The API refuses every other size, and public nodes reach the control plane by its public address.",
    source="GKE API, PrivateClusterConfig.masterIpv4CidrBlock",
    family=Family.GUARDRAILS,
    kinds=(kinds.CLUSTER,),
)
def _control_plane_range(plan: Plan) -> Iterator[Finding]:
    cluster = plan.cluster
    if cluster.control_plane_cidr is None:
        return
    place = cluster.place.at("control_plane_cidr")
    if not cluster.private_nodes:
        yield Finding(
            place=place,
            says=f"it has no effect where {cluster.place.word('private_nodes')} is false.",
            remedy=f"Remove it, or set {cluster.place.word('private_nodes')}: true.",
            is_about_key=True,
        )
    elif IPv4Network(cluster.control_plane_cidr).prefixlen != gke.CONTROL_PLANE_PREFIX:
        address = cluster.control_plane_cidr.partition("/")[0]
        yield Finding(
            place=place,
            says=f"{cluster.control_plane_cidr} is not a /{gke.CONTROL_PLANE_PREFIX}, as a control plane takes.",
            remedy=f"Such as {address}/{gke.CONTROL_PLANE_PREFIX}.",
        )


@rule(
    "pods-range-holds-nodes",
    summary="the pod range has room for every node",
    why="A node takes a /24 out of the pod range when it is created; without one, its pool fails.",
    source=_VPC_NATIVE,
    family=Family.GUARDRAILS,
)
def _pods_range_holds_nodes(plan: Plan) -> Iterator[Finding]:
    if not isinstance(plan.network, CreatedNetworkPlan):
        return
    pods = IPv4Network(plan.network.pods_cidr)
    room = pods.num_addresses // gke.NODE_ADDRESSES
    nodes = sum(pool.nodes for pool in plan.node_pools) + sum(pool.nodes for pool in plan.slice_pools)
    if nodes <= room:
        return
    needed = (nodes * gke.NODE_ADDRESSES - 1).bit_length()
    yield Finding(
        place=plan.network.place.at("pods_cidr"),
        says=f"{pods} has room for {room} nodes of {gke.NODE_ADDRESSES} pod addresses each; the pools have {nodes}.",
        remedy=f"Choose a /{32 - needed} or larger.",
    )


@rule(
    "controller-release",
    summary="controllers are of a release that is supported",
    why="Another release may not understand what is written here, or understand it differently.",
    source="components/model/facts/versions.py",
    family=Family.GUARDRAILS,
    also_warns=True,
    kinds=(kinds.RELEASE,),
)
def _controller_release(plan: Plan) -> Iterator[Finding]:
    for controller, release in ((versions.JOBSET, plan.controllers.jobset), (versions.KUEUE, plan.controllers.kueue)):
        if release is None:
            continue
        number = versions.parse_release(release.version)
        minimum = controller.minimum_version
        is_too_old = minimum is not None and number < versions.parse_release(minimum)
        if is_too_old:
            says, severity = f"{release.version} is too old: {controller.why_minimum}.", Severity.ERROR
        elif not controller.supports(release.version):
            supported = f"{controller.oldest} to {minor(controller.version)}"
            says, severity = f"{release.version} is not one of the supported releases, {supported}.", Severity.WARNING
        else:
            continue
        yield Finding(
            place=release.place.at("version"),
            says=says,
            remedy=f"Use {controller.version}, which is tested.",
            severity=severity,
        )


CLUSTER_RULES: Final = (
    _ranges_are_disjoint,
    _control_plane_range,
    _pods_range_holds_nodes,
    *ACCESS_RULES,
    *VERSION_RULES,
    _controller_release,
)
