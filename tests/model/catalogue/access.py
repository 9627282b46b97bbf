"""Who owns the cluster and reaches it: broken stacks with their findings, and sound ones."""

from __future__ import annotations

from tests.stacks import Stack, Told, a_platform, in_existing_cluster

_OFFICE = {"name": "office", "cidr": "192.0.2.0/24"}


BROKEN: dict[str, tuple[Stack, list[Told]]] = {
    "a cluster in no network": (
        a_platform().drop("network"),
        [
            Told(
                rule="network-is-the-clusters",
                place="network",
                says="the cluster is to be created, but in no network.",
                remedy="Add network: either name, nodes_cidr, pods_cidr and services_cidr, or existing.",
            ),
        ],
    ),
    "a network for a cluster that exists": (
        in_existing_cluster().set(network={"existing": "default"}),
        [
            Told(
                rule="network-is-the-clusters",
                place="network",
                says="the cluster ml exists and is in the network that it is in.",
                remedy="Remove the key: the cluster is asked for its network.",
            ),
        ],
    ),
    "auto-provisioning in a cluster that exists": (
        in_existing_cluster().set(auto_provisioning={"limits": {"cpu": 64, "memory_gb": 256}, "zones": ["us-west4-a"]}),
        [
            Told(
                rule="existing-cluster-is-left-alone",
                place="auto_provisioning",
                says="node auto-provisioning is a setting of the cluster ml, which exists.",
                remedy="Remove the key, and have whoever owns the cluster set it.",
            ),
        ],
    ),
    "pools in an existing cluster whose nodes are nobody": (
        in_existing_cluster().drop("cluster", "node_service_account"),
        [
            Told(
                rule="existing-cluster-is-left-alone",
                place="cluster",
                says="node_service_account is missing, which node_pools and tpu_slices cannot do without.",
                remedy="Add the address of the service account that the cluster's nodes run as.",
            ),
        ],
    ),
    "a private control plane that nobody may reach": (
        a_platform().drop("cluster", "authorized_networks").set("cluster", private_endpoint=True),
        [
            Told(
                rule="private-endpoint-is-reachable",
                place="cluster.private_endpoint",
                says="the control plane has no public address, and no network may reach its private one.",
                remedy="Add authorized_networks: the ranges from which this program and its users come.",
            ),
        ],
    ),
    "a private control plane for public nodes": (
        a_platform().set("cluster", private_endpoint=True, private_nodes=False, authorized_networks=[_OFFICE]),
        [
            Told(
                rule="private-endpoint-is-reachable",
                place="cluster.private_endpoint",
                says="a private control plane needs private nodes.",
                remedy="Set private_nodes: true, or private_endpoint: false.",
            ),
        ],
    ),
    "a control plane that everybody may reach": (
        a_platform().drop("cluster", "authorized_networks"),
        [
            Told(
                rule="control-plane-is-closed",
                place="cluster.authorized_networks",
                says="not stated, so every address of the internet reaches the control plane.",
                remedy="State the ranges from which this program and its users come. private_endpoint: true also takes "
                "the public address away.",
                severity="warning",
            ),
        ],
    ),
    "networks that are every address": (
        a_platform().set("cluster", authorized_networks=[_OFFICE, {"name": "all", "cidr": "0.0.0.0/0"}]),
        [
            Told(
                rule="authorized-networks-restrict",
                place="cluster.authorized_networks[1].cidr",
                says="0.0.0.0/0 is every address.",
                remedy="Name the ranges of your own, or leave authorized_networks out.",
            ),
        ],
    ),
    "an existing cluster on Autopilot that is let in to nobody's nodes": (
        in_existing_cluster()
        .drop("node_pools")
        .drop("tpu_slices")
        .set("queues", 0, "flavors", 0, chips=16)
        .set(
            cluster={
                "existing": {"name": "ml", "location": "us-west4"},
                "mode": "autopilot",
                "control_plane_cidr": "172.16.1.0/28",
            }
        ),
        [
            Told(
                rule="existing-cluster-is-left-alone",
                place="cluster",
                says="node_service_account is missing, which control_plane_cidr cannot do without.",
                remedy="Add the address of the service account that the cluster's nodes run as.",
            ),
        ],
    ),
}
SOUND: dict[str, Stack] = {
    "an existing cluster that gets pools": in_existing_cluster(),
    "an existing cluster whose control plane is let in": in_existing_cluster().set(
        "cluster", control_plane_cidr="172.16.1.0/28"
    ),
    "an existing network that makes its subnetworks itself": a_platform().set(network={"existing": "default"}),
    "a private control plane that an office reaches": a_platform().set(
        "cluster", private_endpoint=True, authorized_networks=[_OFFICE]
    ),
}
