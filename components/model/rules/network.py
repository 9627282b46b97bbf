"""Rules about the cluster's network: its address ranges, and who reaches the control plane."""

from __future__ import annotations

from ipaddress import IPv4Network
from itertools import combinations
from typing import TYPE_CHECKING, Final

from components.model.facts import gke, kinds, ranges
from components.model.findings import Finding, Severity, about_key, listing
from components.model.plan.cloud import ClustersNetworkPlan, CreatedNetworkPlan
from components.model.rule import Family, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from components.model.places import Place
    from components.model.plan import Plan

FAMILY: Final = Family.GUARDRAILS

_VPC_NATIVE: Final = 'GKE documentation "VPC-native clusters", read 2026-11'
_BITS: Final = 32
_RESERVED: Final = tuple((IPv4Network(reserved), owner) for reserved, owner in ranges.RESERVED.items())
_PRIVATE: Final = 'GKE documentation "Customize your network isolation", read 2026-11'


def _of_network(plan: Plan) -> Iterator[tuple[str, Place, IPv4Network]]:
    """The ranges of a network that the stack creates: what each is for, where it is stated, the range."""
    network = plan.network
    if isinstance(network, CreatedNetworkPlan):
        for key, value in (
            ("nodes_cidr", network.nodes_cidr),
            ("pods_cidr", network.pods_cidr),
            ("services_cidr", network.services_cidr),
        ):
            yield key, network.place.at(key), IPv4Network(value)
        services = network.private_services
        if services is not None and services.cidr is not None:
            yield "private_services_cidr", network.place.at("private_services_cidr"), IPv4Network(services.cidr)


def _ranges(plan: Plan) -> Iterator[tuple[str, Place, IPv4Network]]:
    """Every address range of the plan, as those of the network."""
    yield from _of_network(plan)
    if plan.cluster.control_plane_cidr is not None:
        place = plan.cluster.place.at("control_plane_cidr")
        yield "control_plane_cidr", place, IPv4Network(plan.cluster.control_plane_cidr)


@rule(
    summary="address ranges do not overlap",
    why="The API refuses overlapping ranges, partly after minutes.",
    source=_VPC_NATIVE,
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
    summary="address ranges keep clear of the ranges that Google Cloud reserves",
    why="VPC refuses its prohibited ranges, and GKE refuses 172.17.0.0/16 for each range of a cluster.",
    source='VPC documentation "Subnets" and GKE documentation "Create a private cluster", read 2026-11',
)
def _ranges_are_free(plan: Plan) -> Iterator[Finding]:
    for _, place, address_range in _ranges(plan):
        for reserved, owner in _RESERVED:
            if address_range.overlaps(reserved):
                yield Finding(
                    place=place,
                    says=f"{address_range} overlaps {reserved}, {owner}.",
                    remedy=f"Choose a range outside of {reserved}.",
                )
                break


@rule(
    summary="the pod range has room for every node",
    why="A node takes a /24 out of the pod range when it is created; without one, its pool fails.",
    source=_VPC_NATIVE,
)
def _pods_range_holds_nodes(plan: Plan) -> Iterator[Finding]:
    if not isinstance(plan.network, CreatedNetworkPlan):
        return
    pods = IPv4Network(plan.network.pods_cidr)
    room = pods.num_addresses // gke.NODE_ADDRESSES
    nodes = _nodes(plan)
    if nodes <= room:
        return
    needed = (nodes * gke.NODE_ADDRESSES - 1).bit_length()
    yield Finding(
        place=plan.network.place.at("pods_cidr"),
        says=f"{pods} has room for {room} nodes of {gke.NODE_ADDRESSES} pod addresses each; the pools have {nodes}.",
        remedy=f"Choose a /{_BITS - needed} or larger.",
    )


def _nodes(plan: Plan) -> int:
    """Nodes of all pools at their largest."""
    return sum(pool.nodes for pool in plan.node_pools) + sum(pool.nodes for pool in plan.slice_pools)


@rule(
    summary="the node range has an address for every node",
    why="A node takes an address when it is created; without one, its pool fails.",
    source='VPC documentation "Subnets", four unusable addresses, read 2026-11',
)
def _nodes_range_holds_nodes(plan: Plan) -> Iterator[Finding]:
    if not isinstance(plan.network, CreatedNetworkPlan):
        return
    addresses, nodes = IPv4Network(plan.network.nodes_cidr), _nodes(plan)
    room = max(addresses.num_addresses - ranges.SUBNET_OWN_ADDRESSES, 0)
    if nodes > room and addresses.prefixlen <= ranges.PREFIXES["nodes_cidr"][1]:
        needed = (nodes + ranges.SUBNET_OWN_ADDRESSES - 1).bit_length()
        yield Finding(
            place=plan.network.place.at("nodes_cidr"),
            says=f"{addresses} has room for {room} nodes; the pools have {nodes}.",
            remedy=f"Choose a /{_BITS - needed} or larger.",
        )


@rule(
    summary="address ranges have a size that GKE accepts",
    why="The API refuses others.",
    source=_VPC_NATIVE,
)
def _ranges_have_a_size(plan: Plan) -> Iterator[Finding]:
    for key, place, address_range in _of_network(plan):
        largest, smallest = ranges.PREFIXES[key]
        is_small = address_range.prefixlen > smallest
        if is_small or address_range.prefixlen < largest:
            bound, size = (smallest, "small: the smallest") if is_small else (largest, "large: the largest")
            yield Finding(
                place=place,
                says=f"{address_range} is too {size} {key} is a /{bound}.",
                remedy=f"Such as {IPv4Network((address_range.network_address, bound), strict=False)}.",
            )


@rule(
    summary="a created cluster is in a stated network, an existing one in its own",
    why="A cluster cannot change its network, and without one Google's default would be taken unasked.",
    source="GKE API, Cluster.network",
)
def _network_is_the_clusters(plan: Plan) -> Iterator[Finding]:
    has_network = not isinstance(plan.network, ClustersNetworkPlan)
    if plan.cluster.is_existing and has_network:
        yield about_key(
            place=plan.network.place,
            says=f"the cluster {plan.cluster.name} exists and is in the network that it is in.",
            remedy="Remove the key: the cluster is asked for its network.",
        )
    elif not plan.cluster.is_existing and not has_network:
        yield about_key(
            place=plan.network.place,
            says="the cluster is to be created, but in no network.",
            remedy="Add network: either name, nodes_cidr, pods_cidr and services_cidr, or existing.",
        )


@rule(
    summary="nothing is declared that only the owner of an existing cluster can do",
    why="The stack does not change a cluster that it did not make.",
    source="components/cluster.py",
)
def _existing_cluster_is_left_alone(plan: Plan) -> Iterator[Finding]:
    cluster = plan.cluster
    if not cluster.is_existing:
        return
    if cluster.auto_provisioning is not None:
        yield about_key(
            place=cluster.auto_provisioning.place,
            says=f"node auto-provisioning is a setting of the cluster {cluster.name}, which exists.",
            remedy="Remove the key, and have whoever owns the cluster set it.",
        )
    pools = {"node_pools": plan.node_pools, "tpu_slices": plan.slice_pools} if cluster.mode == "standard" else {}
    needs = [key for key, value in pools.items() if value]
    needs += ["control_plane_cidr"] if cluster.control_plane_cidr is not None else []
    if needs and cluster.identity is None:
        yield Finding(
            place=cluster.place,
            says=f"node_service_account is missing, which {listing(needs)} cannot do without.",
            remedy="Add the address of the service account that the cluster's nodes run as.",
        )


@rule(
    summary="a private control plane has private nodes and networks from which it may be reached",
    why="The API refuses it with public nodes; without a network nobody, this program included, could reach it.",
    source=_PRIVATE,
    kinds=(kinds.CLUSTER,),
)
def _private_endpoint_is_reachable(plan: Plan) -> Iterator[Finding]:
    cluster = plan.cluster
    if not cluster.private_endpoint:
        return
    if not cluster.private_nodes:
        nodes, endpoint = cluster.place.display_name("private_nodes"), cluster.place.display_name("private_endpoint")
        yield Finding(
            place=cluster.place.at("private_endpoint"),
            says="a private control plane needs private nodes.",
            remedy=f"Set {nodes}: true, or {endpoint}: false.",
        )
    if not cluster.authorized_networks:
        yield Finding(
            place=cluster.place.at("private_endpoint"),
            says="the control plane has no public address, and no network may reach its private one.",
            remedy=f"Add {cluster.place.display_name('authorized_networks')}: the ranges from which this program and "
            "its users come.",
        )


@rule(
    summary="authorized networks are not every address",
    why="A list that contains every address looks like protection, but protects nothing.",
    source=_PRIVATE,
    kinds=(kinds.CLUSTER,),
)
def _authorized_networks_restrict(plan: Plan) -> Iterator[Finding]:
    for each in plan.cluster.authorized_networks:
        if IPv4Network(each.cidr).prefixlen == 0:
            yield Finding(
                place=each.place.at("cidr"),
                says=f"{each.cidr} is every address.",
                remedy="Name the ranges of your own, or "
                f"{plan.cluster.place.display_name('leave authorized_networks out')}.",
            )


@rule(
    summary="the control plane has no public address, or states the networks that may reach it",
    why="Otherwise everybody reaches it: a stolen credential, or a flaw in the API server, is enough to get in.",
    source=_PRIVATE,
    severity=Severity.WARNING,
)
def _control_plane_is_closed(plan: Plan) -> Iterator[Finding]:
    cluster = plan.cluster
    if not (cluster.is_existing or cluster.private_endpoint or cluster.authorized_networks):
        yield Finding(
            place=cluster.place.at("authorized_networks"),
            says="not stated, so every address of the internet reaches the control plane.",
            remedy="State the ranges from which this program and its users come. private_endpoint: true also takes the "
            "public address away.",
        )
