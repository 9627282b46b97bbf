"""Who owns the cluster and reaches it: broken stacks by the rules that find them, and sound ones."""

from __future__ import annotations

from tests.stacks import Stack, a_platform, in_existing_cluster

_OFFICE = {"name": "office", "cidr": "192.0.2.0/24"}


BROKEN: dict[str, dict[str, Stack]] = {
    "network-is-the-clusters": {
        "a cluster in no network": a_platform().drop("network"),
        "a network for a cluster that exists": in_existing_cluster().set(network={"existing": "default"}),
    },
    "existing-cluster-is-left-alone": {
        "auto-provisioning in a cluster that exists": in_existing_cluster().set(
            auto_provisioning={"limits": {"cpu": 64, "memory_gb": 256}, "zones": ["us-west4-a"]}
        ),
        "pools in an existing cluster whose nodes are nobody": in_existing_cluster().drop(
            "cluster", "node_service_account"
        ),
        "an existing cluster on Autopilot that is let in to nobody's nodes": in_existing_cluster()
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
    },
    "private-endpoint-is-reachable": {
        "a private control plane that nobody may reach": a_platform()
        .drop("cluster", "authorized_networks")
        .set("cluster", private_endpoint=True),
        "a private control plane for public nodes": a_platform().set(
            "cluster", private_endpoint=True, private_nodes=False, authorized_networks=[_OFFICE]
        ),
    },
    "control-plane-is-closed": {
        "a control plane that everybody may reach": a_platform().drop("cluster", "authorized_networks"),
    },
    "authorized-networks-restrict": {
        "networks that are every address": a_platform().set(
            "cluster", authorized_networks=[_OFFICE, {"name": "all", "cidr": "0.0.0.0/0"}]
        ),
    },
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
