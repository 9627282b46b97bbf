"""Rules about address ranges: that they are apart, large enough, and nobody else's."""

from __future__ import annotations

from ipaddress import IPv4Network
from itertools import combinations
from typing import TYPE_CHECKING, Final

from components.model.facts import gke, ranges
from components.model.findings import Finding
from components.model.plan.cloud import CreatedNetworkPlan
from components.model.rule import Family, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from components.model.places import Place
    from components.model.plan import Plan

_VPC_NATIVE: Final = 'GKE documentation "VPC-native clusters", read 2026-11'
_BITS: Final = 32
_RESERVED: Final = tuple((IPv4Network(reserved), owner) for reserved, owner in ranges.RESERVED.items())


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
    "ranges-are-free",
    summary="address ranges keep clear of the ranges that Google Cloud reserves",
    why="VPC refuses its prohibited ranges, and GKE refuses 172.17.0.0/16 for each range of a cluster.",
    source='VPC documentation "Subnets" and GKE documentation "Create a private cluster", read 2026-11',
    family=Family.GUARDRAILS,
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
    "nodes-range-holds-nodes",
    summary="the node range has an address for every node",
    why="A node takes an address when it is created; without one, its pool fails.",
    source='VPC documentation "Subnets", four unusable addresses, read 2026-11',
    family=Family.GUARDRAILS,
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
    "ranges-have-a-size",
    summary="address ranges have a size that GKE accepts",
    why="The API refuses others.",
    source=_VPC_NATIVE,
    family=Family.GUARDRAILS,
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


NETWORK_RULES: Final = (
    _ranges_are_disjoint,
    _ranges_are_free,
    _ranges_have_a_size,
    _nodes_range_holds_nodes,
    _pods_range_holds_nodes,
)
