"""Address ranges: broken stacks with their findings, and sound ones."""

from __future__ import annotations

from tests.stacks import Stack, a_platform

BROKEN: dict[str, tuple[Stack, list[str]]] = {
    "pods in the range of nodes": (
        a_platform().set("network", pods_cidr="10.0.8.0/21"),
        ["ranges-are-disjoint: network.pods_cidr"],
    ),
    "a control plane in the range of services": (
        a_platform().set("cluster", control_plane_cidr="10.8.0.0/28"),
        ["ranges-are-disjoint: cluster.control_plane_cidr"],
    ),
    "a pod range that is too small for the pools": (
        a_platform().set("network", pods_cidr="10.4.0.0/22"),
        ["pods-range-holds-nodes: network.pods_cidr"],
    ),
    "services where containers are": (
        a_platform().set("network", services_cidr="172.17.16.0/20"),
        ["ranges-are-free: network.services_cidr"],
    ),
    "a control plane among the addresses of one link": (
        a_platform().set("cluster", control_plane_cidr="169.254.0.0/28"),
        ["ranges-are-free: cluster.control_plane_cidr"],
    ),
    "a node range that is too small for the pools": (
        a_platform().set("network", nodes_cidr="10.0.0.0/29"),
        ["nodes-range-holds-nodes: network.nodes_cidr"],
    ),
    "a node range of four addresses": (
        a_platform().set("network", nodes_cidr="10.0.0.0/30"),
        ["ranges-have-a-size: network.nodes_cidr"],
    ),
    "services of eight addresses": (
        a_platform().set("network", services_cidr="10.8.0.8/29"),
        ["ranges-have-a-size: network.services_cidr"],
    ),
    "more pods than a cluster has": (
        a_platform().set("network", pods_cidr="11.0.0.0/8"),
        ["ranges-have-a-size: network.pods_cidr"],
    ),
    "more services than a cluster has": (
        a_platform().set("network", services_cidr="10.16.0.0/15"),
        ["ranges-have-a-size: network.services_cidr"],
    ),
    "a range of Google's services that is too small": (
        a_platform().set("network", private_services_cidr="10.9.0.0/26"),
        ["ranges-have-a-size: network.private_services_cidr"],
    ),
}
SOUND: dict[str, Stack] = {
    "a pod range that just holds the pools": a_platform()
    .set("node_pools", 0, nodes=4)
    .set("network", pods_cidr="10.4.0.0/21"),
    "the smallest ranges that hold the pools": a_platform()
    .set("tpu_slices", 0, slices=1)
    .set("workloads", 0, slices=1)
    .set("network", nodes_cidr="10.0.0.0/29", services_cidr="10.8.0.0/28"),
}
