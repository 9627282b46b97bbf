"""Slices of machines, topologies and zones: broken stacks with their findings, and sound ones."""

from __future__ import annotations

from tests.stacks import Stack, Told, a_platform


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


BROKEN: dict[str, tuple[Stack, list[Told]]] = {
    "a quota of slices that cannot be": (
        a_platform().set("flavors", 0, topology="4x5").set("queues", 0, "flavors", 0, chips=8),
        [
            Told(
                rule="topology-exists",
                place="flavors[0].topology",
                says="ct5lp-hightpu-4t makes no 4x5 slices: it is not a shape of TPU v5e.",
                remedy="ct5lp-hightpu-4t makes 2x2, 2x4, 4x4, 4x8, 8x8, 8x16 and 16x16. Nearest: 4x4 (16 chips) and "
                "4x8 (32 chips).",
            ),
        ],
    ),
    "a misspelt machine type": (
        a_platform().set("tpu_slices", 0, machine_type="ct5lp-hightpu-4"),
        [
            Told(
                rule="machine-exists",
                place="tpu_slices[0].machine_type",
                says="ct5lp-hightpu-4 is not a TPU machine type.",
                remedy="Did you mean ct5lp-hightpu-4t? TPU machine types: ct3-hightpu-4t, ct3p-hightpu-4t, "
                "ct4p-hightpu-4t, ct5l-hightpu-1t, ct5l-hightpu-4t, ct5l-hightpu-8t, ct5lp-hightpu-1t, "
                "ct5lp-hightpu-4t, ct5lp-hightpu-8t, ct5p-hightpu-4t, ct6e-standard-1t, "
                "ct6e-standard-4t, ct6e-standard-8t, tpu7x-standard-1t and tpu7x-standard-4t.",
            ),
        ],
    ),
    "an ordinary machine type for slices": (
        a_platform().set("tpu_slices", 0, machine_type="e2-standard-4"),
        [
            Told(
                rule="machine-exists",
                place="tpu_slices[0].machine_type",
                says="e2-standard-4 is not a TPU machine type.",
                remedy="Ordinary nodes belong under node_pools. TPU machine types: ct3-hightpu-4t, "
                "ct3p-hightpu-4t, ct4p-hightpu-4t, ct5l-hightpu-1t, ct5l-hightpu-4t, ct5l-hightpu-8t, "
                "ct5lp-hightpu-1t, ct5lp-hightpu-4t, ct5lp-hightpu-8t, ct5p-hightpu-4t, "
                "ct6e-standard-1t, ct6e-standard-4t, ct6e-standard-8t, tpu7x-standard-1t and "
                "tpu7x-standard-4t.",
            ),
        ],
    ),
    "a topology that the generation does not have": (
        a_platform().set("tpu_slices", 0, topology="3x4"),
        [
            Told(
                rule="topology-exists",
                place="tpu_slices[0].topology",
                says="ct5lp-hightpu-4t makes no 3x4 slices: it is not a shape of TPU v5e.",
                remedy="ct5lp-hightpu-4t makes 2x2, 2x4, 4x4, 4x8, 8x8, 8x16 and 16x16. Nearest: 2x4 (8 chips)"
                " and 4x4 (16 chips).",
            ),
        ],
    ),
    "dimensions in descending order": (
        a_platform().set("tpu_slices", 0, topology="4x2"),
        [
            Told(
                rule="topology-exists",
                place="tpu_slices[0].topology",
                says="ct5lp-hightpu-4t makes no 4x2 slices: dimensions are written in ascending order: 2x4.",
                remedy="ct5lp-hightpu-4t makes 2x2, 2x4, 4x4, 4x8, 8x8, 8x16 and 16x16. Nearest: 2x4 (8 chips)"
                " and 4x4 (16 chips).",
            ),
        ],
    ),
    "a topology that is none": (
        a_platform().set("tpu_slices", 0, topology="large"),
        [
            Told(
                rule="topology-exists",
                place="tpu_slices[0].topology",
                says="ct5lp-hightpu-4t makes no large slices: 'large' is not a topology: two or three "
                "positive whole numbers joined by x, such as 2x4.",
                remedy="ct5lp-hightpu-4t makes 2x2, 2x4, 4x4, 4x8, 8x8, 8x16 and 16x16.",
            ),
        ],
    ),
    "three dimensions for a flat generation": (
        a_platform().set("tpu_slices", 0, topology="2x2x2"),
        [
            Told(
                rule="topology-exists",
                place="tpu_slices[0].topology",
                says="ct5lp-hightpu-4t makes no 2x2x2 slices: a TPU v5e topology has 2 dimensions.",
                remedy="ct5lp-hightpu-4t makes 2x2, 2x4, 4x4, 4x8, 8x8, 8x16 and 16x16. Nearest: 2x4 (8 chips)"
                " and 4x4 (16 chips).",
            ),
        ],
    ),
    "a machine type that is too small for the topology": (
        a_platform().set("tpu_slices", 0, machine_type="ct5lp-hightpu-1t"),
        [
            Told(
                rule="topology-exists",
                place="tpu_slices[0].topology",
                says="ct5lp-hightpu-1t makes no 2x4 slices: it is a single-host machine type and makes 1x1 slices "
                "only.",
                remedy="2x4 is made of ct5lp-hightpu-4t (2 hosts) or ct5lp-hightpu-8t (1 host). "
                "ct5lp-hightpu-1t makes 1x1.",
            ),
        ],
    ),
    "the same impossible shape in a pool and in a flavor": (
        _shaped("ct5p-hightpu-4t", "2x4x8", "us-east5-a"),
        [
            Told(
                rule="topology-exists",
                place="flavors[0].topology",
                says="ct5p-hightpu-4t makes no 2x4x8 slices: above 2x4x4 every dimension is a multiple of 4.",
                remedy="ct5p-hightpu-4t makes 2x2x1, 2x2x2, 2x2x4, 2x4x4, 4x4x4, 4x4x8, 4x8x8, 8x8x8, 8x8x16, "
                "8x16x16, 16x16x16 and 16x16x24. Nearest: 4x4x4 (64 chips) and 4x4x8 (128 chips).",
            ),
            Told(
                rule="topology-exists",
                place="tpu_slices[0].topology",
                says="ct5p-hightpu-4t makes no 2x4x8 slices: above 2x4x4 every dimension is a multiple of 4.",
                remedy="ct5p-hightpu-4t makes 2x2x1, 2x2x2, 2x2x4, 2x4x4, 4x4x4, 4x4x8, 4x8x8, 8x8x8, 8x8x16, "
                "8x16x16, 16x16x16 and 16x16x24. Nearest: 4x4x4 (64 chips) and 4x4x8 (128 chips).",
            ),
        ],
    ),
    "a slice that is larger than the documentation says": (
        _shaped("ct5p-hightpu-4t", "16x20x28", "us-east5-a").set(
            "network", nodes_cidr="10.0.0.0/19", pods_cidr="10.64.0.0/10"
        ),
        [
            Told(
                rule="slice-size-is-documented",
                place="flavors[0].topology",
                says="16x20x28 is 8960 chips; a TPU v5p slice is documented to have 6144 at most.",
                remedy="Choose a slice of 6144 chips or fewer, or several slices.",
                severity="warning",
            ),
            Told(
                rule="slice-size-is-documented",
                place="tpu_slices[0].topology",
                says="16x20x28 is 8960 chips; a TPU v5p slice is documented to have 6144 at most.",
                remedy="Choose a slice of 6144 chips or fewer, or several slices.",
                severity="warning",
            ),
        ],
    ),
    "a zone of another region": (
        a_platform().set("tpu_slices", 0, zone="us-east5-a"),
        [
            Told(
                rule="zone-in-region",
                place="tpu_slices[0].zone",
                says="us-east5-a is not in us-west4, the region of the cluster.",
                remedy="Name a zone of us-west4 (us-west4-a, us-west4-b and so on), or move the cluster.",
            ),
        ],
    ),
    "an ordinary pool in another region": (
        a_platform().set("node_pools", 0, zones=["us-west4-a", "us-east1-b"]),
        [
            Told(
                rule="zone-in-region",
                place="node_pools[0].zones[1]",
                says="us-east1-b is not in us-west4, the region of the cluster.",
                remedy="Name a zone of us-west4 (us-west4-a, us-west4-b and so on), or move the cluster.",
            ),
        ],
    ),
    "a zone that is not listed for the generation": (
        a_platform().set("tpu_slices", 0, zone="us-west4-b"),
        [
            Told(
                rule="zone-offers-machine",
                place="tpu_slices[0].zone",
                says="TPU v5e is not listed for us-west4-b.",
                remedy="Listed: us-central1-a, us-south1-a, us-west1-c and us-west4-a.",
                severity="warning",
            ),
        ],
    ),
    "no ordinary pool": (
        a_platform().set(node_pools=[]),
        [
            Told(
                rule="ordinary-pool-exists",
                place="node_pools",
                says="there is no ordinary node, so Kueue, JobSet and the system's own pods would have nowhere to run.",
                remedy="Such as {name: system, machine_type: e2-standard-4, nodes: 1, zones: [us-west4-a]}.",
            ),
        ],
    ),
    "an ordinary pool without nodes": (
        a_platform().set("node_pools", 0, nodes=0),
        [
            Told(
                rule="ordinary-pool-exists",
                place="node_pools",
                says="there is no ordinary node, so Kueue, JobSet and the system's own pods would have nowhere to run.",
                remedy="Such as {name: system, machine_type: e2-standard-4, nodes: 1, zones: [us-west4-a]}.",
            ),
        ],
    ),
    "a TPU machine type for an ordinary pool": (
        a_platform().set("node_pools", 0, machine_type="ct5lp-hightpu-4t"),
        [
            Told(
                rule="tpus-are-declared-as-slices",
                place="node_pools[0].machine_type",
                says="ct5lp-hightpu-4t is a TPU machine type.",
                remedy="Declare its slices under tpu_slices, with their topology.",
            ),
        ],
    ),
    "an ordinary machine type that is not in the table": (
        a_platform().set("node_pools", 0, machine_type="e2-standrad-4"),
        [
            Told(
                rule="ordinary-machine",
                place="node_pools[0].machine_type",
                says="e2-standrad-4 is not a machine type known here.",
                remedy="Did you mean e2-standard-4? If Google offers it, ignore this warning.",
                severity="warning",
            ),
        ],
    ),
    "a zone twice": (
        a_platform().set("node_pools", 0, zones=["us-west4-a", "us-west4-b", "us-west4-a"]),
        [
            Told(
                rule="zones-differ",
                place="node_pools[0].zones[2]",
                says="us-west4-a appears twice.",
                remedy="Name each zone once.",
            ),
        ],
    ),
    "a zone that Google does not have": (
        a_platform().set("node_pools", 0, zones=["us-west4-q"]),
        [
            Told(
                rule="location-exists",
                place="node_pools[0].zones[0]",
                says="us-west4-q is not in the list of Google's regions and zones.",
                remedy="Did you mean us-west4-c? Known: us-west4-a, us-west4-b and us-west4-c. If Google offers "
                "it, ignore this warning.",
                severity="warning",
            ),
        ],
    ),
    "a region that Google does not have": (
        a_platform()
        .set("cluster", location="us-west44")
        .set("node_pools", 0, zones=["us-west44-a"])
        .set("tpu_slices", 0, zone="us-west44-a"),
        [
            Told(
                rule="location-exists",
                place="cluster.location",
                says="us-west44 is not in the list of Google's regions and zones.",
                remedy="Did you mean us-west4? If Google offers it, ignore this warning.",
                severity="warning",
            ),
            Told(
                rule="zone-offers-machine",
                place="tpu_slices[0].zone",
                says="TPU v5e is not listed for us-west44-a.",
                remedy="Listed: us-central1-a, us-south1-a, us-west1-c and us-west4-a.",
                severity="warning",
            ),
        ],
    ),
    "the zone of an existing cluster that Google does not have": (
        a_platform()
        .drop("network")
        .set(
            cluster={
                "existing": {"name": "ml", "location": "us-west4-q"},
                "mode": "standard",
                "node_service_account": "nodes@tpu-sandbox.iam.gserviceaccount.com",
            }
        ),
        [
            Told(
                rule="location-exists",
                place="cluster.existing.location",
                says="us-west4-q is not in the list of Google's regions and zones.",
                remedy="Did you mean us-west4-c? Known: us-west4-a, us-west4-b and us-west4-c. If Google offers "
                "it, ignore this warning.",
                severity="warning",
            ),
        ],
    ),
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
