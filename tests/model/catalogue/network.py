"""Address ranges: broken stacks with their findings, and sound ones."""

from __future__ import annotations

from tests.stacks import Stack, Told, a_platform

BROKEN: dict[str, tuple[Stack, list[Told]]] = {
    "pods in the range of nodes": (
        a_platform().set("network", pods_cidr="10.0.8.0/21"),
        [
            Told(
                rule="ranges-are-disjoint",
                place="network.pods_cidr",
                says="10.0.8.0/21 overlaps nodes_cidr, which is 10.0.0.0/20.",
                remedy="Choose a range outside of 10.0.0.0/20.",
            ),
        ],
    ),
    "a control plane in the range of services": (
        a_platform().set("cluster", control_plane_cidr="10.8.0.0/28"),
        [
            Told(
                rule="ranges-are-disjoint",
                place="cluster.control_plane_cidr",
                says="10.8.0.0/28 overlaps services_cidr, which is 10.8.0.0/20.",
                remedy="Choose a range outside of 10.8.0.0/20.",
            ),
        ],
    ),
    "a pod range that is too small for the pools": (
        a_platform().set("network", pods_cidr="10.4.0.0/22"),
        [
            Told(
                rule="pods-range-holds-nodes",
                place="network.pods_cidr",
                says="10.4.0.0/22 has room for 4 nodes of 256 pod addresses each; the pools have 5.",
                remedy="Choose a /21 or larger.",
            ),
        ],
    ),
    "services where containers are": (
        a_platform().set("network", services_cidr="172.17.16.0/20"),
        [
            Told(
                rule="ranges-are-free",
                place="network.services_cidr",
                says="172.17.16.0/20 overlaps 172.17.0.0/16, the range of Docker's bridge.",
                remedy="Choose a range outside of 172.17.0.0/16.",
            ),
        ],
    ),
    "a control plane among the addresses of one link": (
        a_platform().set("cluster", control_plane_cidr="169.254.0.0/28"),
        [
            Told(
                rule="ranges-are-free",
                place="cluster.control_plane_cidr",
                says="169.254.0.0/28 overlaps 169.254.0.0/16, the link-local range, where nodes reach "
                "their metadata server.",
                remedy="Choose a range outside of 169.254.0.0/16.",
            ),
        ],
    ),
    "a node range that is too small for the pools": (
        a_platform().set("network", nodes_cidr="10.0.0.0/29"),
        [
            Told(
                rule="nodes-range-holds-nodes",
                place="network.nodes_cidr",
                says="10.0.0.0/29 has room for 4 nodes; the pools have 5.",
                remedy="Choose a /28 or larger.",
            ),
        ],
    ),
    "a node range of four addresses": (
        a_platform().set("network", nodes_cidr="10.0.0.0/30"),
        [
            Told(
                rule="ranges-have-a-size",
                place="network.nodes_cidr",
                says="10.0.0.0/30 is too small: the smallest nodes_cidr is a /29.",
                remedy="Such as 10.0.0.0/29.",
            ),
        ],
    ),
    "services of eight addresses": (
        a_platform().set("network", services_cidr="10.8.0.8/29"),
        [
            Told(
                rule="ranges-have-a-size",
                place="network.services_cidr",
                says="10.8.0.8/29 is too small: the smallest services_cidr is a /28.",
                remedy="Such as 10.8.0.0/28.",
            ),
        ],
    ),
    "more pods than a cluster has": (
        a_platform().set("network", pods_cidr="11.0.0.0/8"),
        [
            Told(
                rule="ranges-have-a-size",
                place="network.pods_cidr",
                says="11.0.0.0/8 is too large: the largest pods_cidr is a /9.",
                remedy="Such as 11.0.0.0/9.",
            ),
        ],
    ),
    "more services than a cluster has": (
        a_platform().set("network", services_cidr="10.16.0.0/15"),
        [
            Told(
                rule="ranges-have-a-size",
                place="network.services_cidr",
                says="10.16.0.0/15 is too large: the largest services_cidr is a /16.",
                remedy="Such as 10.16.0.0/16.",
            ),
        ],
    ),
    "a range of Google's services that is too small": (
        a_platform().set("network", private_services_cidr="10.9.0.0/26"),
        [
            Told(
                rule="ranges-have-a-size",
                place="network.private_services_cidr",
                says="10.9.0.0/26 is too small: the smallest private_services_cidr is a /24.",
                remedy="Such as 10.9.0.0/24.",
            ),
        ],
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
