"""Pools, their sizes, GPUs and upgrades: broken stacks with their findings, and sound ones."""

from __future__ import annotations

from tests.stacks import Stack, Told, a_platform, on_autopilot

_LIMITS = {"cpu": 64, "memory_gb": 256, "nvidia-tesla-t4": 16}
_POOL = {"name": "gpus", "zones": ["us-west4-a"], "autoscaling": {"min": 0, "max": 4}}


def _gpus(machine_type: str, **gpu: object) -> Stack:
    """The small platform with a pool of GPUs."""
    return a_platform().add("node_pools", **_POOL, machine_type=machine_type, gpu=gpu)


def _made(**limits: int) -> Stack:
    """The small platform whose cluster makes nodes as well."""
    return a_platform().set(auto_provisioning={"limits": limits, "zones": ["us-west4-a"]})


BROKEN: dict[str, tuple[Stack, list[Told]]] = {
    "node pools on Autopilot": (
        on_autopilot().set(node_pools=a_platform().platform["node_pools"]),
        [
            Told(
                rule="autopilot-makes-its-nodes",
                place="node_pools[0]",
                says="an Autopilot cluster takes no node pools.",
                remedy="Remove it: flavors say what pods select, and Autopilot makes such nodes. Or set mode: "
                "standard.",
            ),
        ],
    ),
    "slices on Autopilot": (
        on_autopilot().set(tpu_slices=a_platform().platform["tpu_slices"]),
        [
            Told(
                rule="autopilot-makes-its-nodes",
                place="tpu_slices[0]",
                says="an Autopilot cluster takes no node pools.",
                remedy="Remove it: flavors say what pods select, and Autopilot makes such nodes. Or set mode: "
                "standard.",
            ),
        ],
    ),
    "auto-provisioning on Autopilot": (
        on_autopilot().set(auto_provisioning={"limits": _LIMITS, "zones": ["us-west4-a"]}),
        [
            Told(
                rule="autopilot-makes-its-nodes",
                place="auto_provisioning",
                says="an Autopilot cluster provisions nodes by itself.",
                remedy="Remove the key, or set mode: standard.",
            ),
        ],
    ),
    "a pool of no size": (
        a_platform()
        .drop("node_pools", 0, "nodes")
        .add("node_pools", name="more", machine_type="e2-standard-4", nodes=1, zones=["us-west4-a"]),
        [
            Told(
                rule="pool-size-is-stated-once",
                place="node_pools[0]",
                says="neither nodes nor autoscaling is stated.",
                remedy="Add nodes: 1, or autoscaling: {min: 0, max: 3}.",
            ),
        ],
    ),
    "a pool of two sizes": (
        a_platform().set("node_pools", 0, autoscaling={"min": 1, "max": 3}),
        [
            Told(
                rule="pool-size-is-stated-once",
                place="node_pools[0].nodes",
                says="nodes is stated beside autoscaling, which decides how many there are.",
                remedy="Remove one of them.",
            ),
        ],
    ),
    "a least above the most": (
        a_platform().drop("node_pools", 0, "nodes").set("node_pools", 0, autoscaling={"min": 4, "max": 3}),
        [
            Told(
                rule="pool-size-is-stated-once",
                place="node_pools[0].autoscaling.min",
                says="4 is more than max, which is 3.",
                remedy="Set 3 or less.",
            ),
        ],
    ),
    "nothing but GPUs": (
        _gpus("n1-standard-4", type="nvidia-tesla-t4").set("node_pools", 0, nodes=0),
        [
            Told(
                rule="ordinary-pool-exists",
                place="node_pools",
                says="there is no ordinary node, so Kueue, JobSet and the system's own pods would have nowhere to run.",
                remedy="Such as {name: system, machine_type: e2-standard-4, nodes: 1, zones: [us-west4-a]}.",
            ),
        ],
    ),
    "a misspelt GPU": (
        _gpus("n1-standard-4", type="nvidia-tesla-t5"),
        [
            Told(
                rule="gpu-fits-machine",
                place="node_pools[1].gpu.type",
                says="nvidia-tesla-t5 is not a GPU known here.",
                remedy="Did you mean nvidia-tesla-t4? Known: nvidia-tesla-t4, nvidia-l4, nvidia-tesla-a100 and "
                "nvidia-h100-80gb.",
            ),
        ],
    ),
    "a GPU on a machine of another series": (
        _gpus("e2-standard-4", type="nvidia-tesla-t4"),
        [
            Told(
                rule="gpu-fits-machine",
                place="node_pools[1].machine_type",
                says="e2-standard-4 takes no nvidia-tesla-t4.",
                remedy="It is attached to machines of the n1 series, such as n1-standard-4.",
            ),
        ],
    ),
    "a GPU on a machine made around another": (
        _gpus("g2-standard-8", type="nvidia-tesla-a100"),
        [
            Told(
                rule="gpu-fits-machine",
                place="node_pools[1].machine_type",
                says="g2-standard-8 takes no nvidia-tesla-a100.",
                remedy="It comes with a2-highgpu-1g, a2-highgpu-2g, a2-highgpu-4g or a2-highgpu-8g.",
            ),
        ],
    ),
    "three GPUs where there can be one, two or four": (
        _gpus("n1-standard-4", type="nvidia-tesla-t4", count=3),
        [
            Told(
                rule="gpu-fits-machine",
                place="node_pools[1].gpu.count",
                says="3 nvidia-tesla-t4 cannot be attached to a machine.",
                remedy="Set 1, 2 or 4.",
            ),
        ],
    ),
    "more GPUs than the machine comes with": (
        _gpus("g2-standard-8", type="nvidia-l4", count=2),
        [
            Told(
                rule="gpu-fits-machine",
                place="node_pools[1].gpu.count",
                says="g2-standard-8 comes with 1 nvidia-l4, not 2.",
                remedy="Set 1.",
            ),
        ],
    ),
    "a machine made around GPUs that are not declared": (
        a_platform().add("node_pools", **_POOL, machine_type="g2-standard-8"),
        [
            Told(
                rule="gpu-fits-machine",
                place="node_pools[1].machine_type",
                says="g2-standard-8 has GPUs, which are not declared.",
                remedy="Add gpu: {type: nvidia-l4, count: 1}.",
            ),
        ],
    ),
    "an upgrade of too many nodes at once": (
        a_platform().set("node_pools", 0, upgrade={"max_surge": 19, "max_unavailable": 2}),
        [
            Told(
                rule="upgrade-settings-fit",
                place="node_pools[0].upgrade",
                says="max_surge and max_unavailable are 21 nodes together.",
                remedy="Together they are 1 to 20.",
            ),
        ],
    ),
    "an upgrade of no node at all": (
        a_platform().set("tpu_slices", 0, upgrade={"max_surge": 0, "max_unavailable": 0}),
        [
            Told(
                rule="upgrade-settings-fit",
                place="tpu_slices[0].upgrade",
                says="max_surge and max_unavailable are 0 nodes together.",
                remedy="Together they are 1 to 20.",
            ),
        ],
    ),
    "settings of another strategy": (
        a_platform().set("node_pools", 0, upgrade={"strategy": "BLUE_GREEN", "max_surge": 1}),
        [
            Told(
                rule="upgrade-settings-fit",
                place="node_pools[0].upgrade.max_surge",
                says="it belongs to strategy SURGE; this one is BLUE_GREEN.",
                remedy="Remove it, or set strategy: SURGE.",
            ),
        ],
    ),
    "a node label that GKE sets": (
        a_platform().set("tpu_slices", 0, labels={"cloud.google.com/gke-tpu-topology": "4x4"}),
        [
            Told(
                rule="node-labels-are-users",
                place="tpu_slices[0].labels.cloud.google.com/gke-tpu-topology",
                says="labels of cloud.google.com are set by Kubernetes and GKE.",
                remedy="Choose a key of a domain of your own, or one without a domain.",
            ),
        ],
    ),
    "auto-provisioning without a limit of memory": (
        _made(cpu=64),
        [
            Told(
                rule="auto-provisioning-is-bounded",
                place="auto_provisioning.limits",
                says="memory_gb is missing.",
                remedy="State both cpu and memory_gb, over the whole cluster, ordinary pools included.",
            ),
        ],
    ),
    "auto-provisioning of an accelerator that does not exist": (
        a_platform().set(auto_provisioning={"limits": {**_LIMITS, "nvidia-l5": 8}, "zones": ["us-west4-a"]}),
        [
            Told(
                rule="auto-provisioning-is-bounded",
                place="auto_provisioning.limits.nvidia-l5",
                says="nvidia-l5 is not an accelerator known here.",
                remedy="Did you mean nvidia-l4? Besides cpu and memory_gb there are nvidia-tesla-t4, "
                "nvidia-l4, nvidia-tesla-a100, nvidia-h100-80gb, tpu-v3-device, tpu-v3-slice, "
                "tpu-v4-podslice, tpu-v5-lite-device, tpu-v5-lite-podslice, tpu-v5p-slice, "
                "tpu-v6e-slice and tpu7x.",
            ),
        ],
    ),
    "auto-provisioning in another region": (
        a_platform().set(auto_provisioning={"limits": _LIMITS, "zones": ["us-central1-a"]}),
        [
            Told(
                rule="zone-in-region",
                place="auto_provisioning.zones[0]",
                says="us-central1-a is not in us-west4, the region of the cluster.",
                remedy="Name a zone of us-west4 (us-west4-a, us-west4-b and so on), or move the cluster.",
            ),
        ],
    ),
}
SOUND: dict[str, Stack] = {
    "Autopilot": on_autopilot(),
    "an autoscaled pool": a_platform()
    .drop("node_pools", 0, "nodes")
    .set("node_pools", 0, autoscaling={"min": 1, "max": 3}),
    "GPUs that are attached": _gpus("n1-standard-4", type="nvidia-tesla-t4", count=4),
    "GPUs that a machine is made around": _gpus("g2-standard-24", type="nvidia-l4", count=2, driver="latest"),
    "upgrades by surge and by a second set": a_platform()
    .set("tpu_slices", 0, upgrade={"max_unavailable": 1})
    .set("node_pools", 0, upgrade={"strategy": "BLUE_GREEN", "batch_nodes": 2, "soak_seconds": 600}),
    "labels of a team": a_platform().set("node_pools", 0, labels={"team": "ml", "example.com/rack": "a"}),
    "auto-provisioning of GPUs and of slices": a_platform().set(
        auto_provisioning={"limits": {**_LIMITS, "tpu-v5-lite-podslice": 64}, "zones": ["us-west4-a"]}
    ),
}
