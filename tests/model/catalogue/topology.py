"""Slices of machines, topologies and zones: broken stacks by the rules that find them, and sound ones."""

from __future__ import annotations

from tests.stacks import Stack, a_platform


def _shaped(machine_type: str, topology: str, zone: str) -> Stack:
    """The small platform with slices of another shape, in the region of `zone`; its workload takes one slice."""
    return (
        a_platform()
        .set("cluster", location=zone.rpartition("-")[0])
        .set("node_pools", 0, zones=[zone])
        .set("tpu_slices", 0, machine_type=machine_type, topology=topology, zone=zone)
        .set("flavors", 0, machine_type=machine_type, topology=topology)
        .set("workloads", 0, slices=1)
    )


BROKEN: dict[str, dict[str, Stack]] = {
    "topology-exists": {
        "a quota of slices that cannot be": a_platform()
        .set("flavors", 0, topology="4x5")
        .set("queues", 0, "flavors", 0, chips=8),
        "a topology that the generation does not have": a_platform().set("tpu_slices", 0, topology="3x4"),
        "dimensions in descending order": a_platform().set("tpu_slices", 0, topology="4x2"),
        "a topology that is none": a_platform().set("tpu_slices", 0, topology="large"),
        "three dimensions for a flat generation": a_platform().set("tpu_slices", 0, topology="2x2x2"),
        "a machine type that is too small for the topology": a_platform().set(
            "tpu_slices", 0, machine_type="ct5lp-hightpu-1t"
        ),
        "the same impossible shape in a pool and in a flavor": _shaped("ct5p-hightpu-4t", "2x4x8", "us-east5-a"),
    },
    "machine-exists": {
        "a misspelt machine type": a_platform().set("tpu_slices", 0, machine_type="ct5lp-hightpu-4"),
        "an ordinary machine type for slices": a_platform().set("tpu_slices", 0, machine_type="e2-standard-4"),
    },
    "slice-size-is-documented": {
        "a slice that is larger than the documentation says": _shaped("ct5p-hightpu-4t", "16x20x28", "us-east5-a").set(
            "network", nodes_cidr="10.0.0.0/19", pods_cidr="10.64.0.0/10"
        ),
    },
    "zone-in-region": {
        "a zone of another region": a_platform().set("tpu_slices", 0, zone="us-east5-a"),
        "an ordinary pool in another region": a_platform().set("node_pools", 0, zones=["us-west4-a", "us-east1-b"]),
    },
    "zone-offers-machine": {
        "a zone that is not listed for the generation": a_platform().set("tpu_slices", 0, zone="us-west4-b"),
    },
    "ordinary-pool-exists": {
        "no ordinary pool": a_platform().set(node_pools=[]),
        "an ordinary pool without nodes": a_platform().set("node_pools", 0, nodes=0),
    },
    "tpus-are-declared-as-slices": {
        "a TPU machine type for an ordinary pool": a_platform().set("node_pools", 0, machine_type="ct5lp-hightpu-4t"),
    },
    "ordinary-machine": {
        "an ordinary machine type that is not in the table": a_platform().set(
            "node_pools", 0, machine_type="e2-standrad-4"
        ),
    },
    "zones-differ": {
        "a zone twice": a_platform().set("node_pools", 0, zones=["us-west4-a", "us-west4-b", "us-west4-a"]),
    },
    "location-exists": {
        "a zone that Google does not have": a_platform().set("node_pools", 0, zones=["us-west4-q"]),
        "the zone of an existing cluster that Google does not have": a_platform()
        .drop("network")
        .set(
            cluster={
                "existing": {"name": "ml", "location": "us-west4-q"},
                "mode": "standard",
                "node_service_account": "nodes@tpu-sandbox.iam.gserviceaccount.com",
            }
        ),
    },
    "location-exists, zone-offers-machine": {
        "a region that Google does not have": a_platform()
        .set("cluster", location="us-west44")
        .set("node_pools", 0, zones=["us-west44-a"])
        .set("tpu_slices", 0, zone="us-west44-a"),
    },
}
SOUND: dict[str, Stack] = {
    "the small platform": a_platform(),
    "a zonal cluster": a_platform().set("cluster", location="us-west4-a"),
    "a single-host slice of a generation whose multi-host slices need a policy": _shaped(
        "tpu7x-standard-4t", "2x2x1", "us-central1-c"
    ),
    "a cuboid of cubes that no document lists": _shaped("ct5p-hightpu-4t", "4x12x16", "us-east5-a").set(
        "network", pods_cidr="10.64.0.0/10"
    ),
    "the largest slice that is documented": _shaped("ct5p-hightpu-4t", "16x16x24", "us-east5-a").set(
        "network", pods_cidr="10.64.0.0/10"
    ),
    "the largest v6e slice": _shaped("ct6e-standard-4t", "16x16", "us-east5-a"),
    "an ordinary pool over two zones": a_platform().set("node_pools", 0, zones=["us-west4-a", "us-west4-b"]),
}
