"""Address ranges: broken stacks by the rules that find them, and sound ones."""

from __future__ import annotations

from tests.stacks import Stack, a_platform

BROKEN: dict[str, dict[str, Stack]] = {
    "ranges-are-disjoint": {
        "pods in the range of nodes": a_platform().set("network", pods_cidr="10.0.8.0/21"),
        "a control plane in the range of services": a_platform().set("cluster", control_plane_cidr="10.8.0.0/28"),
    },
    "pods-range-holds-nodes": {
        "a pod range that is too small for the pools": a_platform().set("network", pods_cidr="10.4.0.0/22"),
    },
    "ranges-are-free": {
        "services where containers are": a_platform().set("network", services_cidr="172.17.16.0/20"),
        "a control plane among the addresses of one link": a_platform().set(
            "cluster", control_plane_cidr="169.254.0.0/28"
        ),
    },
    "nodes-range-holds-nodes": {
        "a node range that is too small for the pools": a_platform().set("network", nodes_cidr="10.0.0.0/29"),
    },
    "ranges-have-a-size": {
        "a node range of four addresses": a_platform().set("network", nodes_cidr="10.0.0.0/30"),
        "services of eight addresses": a_platform().set("network", services_cidr="10.8.0.8/29"),
        "more pods than a cluster has": a_platform().set("network", pods_cidr="11.0.0.0/8"),
        "more services than a cluster has": a_platform().set("network", services_cidr="10.16.0.0/15"),
        "a range of Google's services that is too small": a_platform().set(
            "network", private_services_cidr="10.9.0.0/26"
        ),
    },
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
