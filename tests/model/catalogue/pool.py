"""Pools, their sizes, GPUs and upgrades: broken stacks with their findings, and sound ones."""

from __future__ import annotations

from tests.stacks import Stack, a_platform, on_autopilot

_LIMITS = {"cpu": 64, "memory_gb": 256, "nvidia-tesla-t4": 16}
_POOL = {"name": "gpus", "zones": ["us-west4-a"], "autoscaling": {"min": 0, "max": 4}}


def _gpus(machine_type: str, **gpu: object) -> Stack:
    """The small platform with a pool of GPUs."""
    return a_platform().add("node_pools", **_POOL, machine_type=machine_type, gpu=gpu)


def _made(**limits: int) -> Stack:
    """The small platform whose cluster makes nodes as well."""
    return a_platform().set(auto_provisioning={"limits": limits, "zones": ["us-west4-a"]})


BROKEN: dict[str, tuple[Stack, list[str]]] = {
    "node pools on Autopilot": (
        on_autopilot().set(node_pools=a_platform().platform["node_pools"]),
        ["autopilot-makes-its-nodes: node_pools[0]"],
    ),
    "slices on Autopilot": (
        on_autopilot().set(tpu_slices=a_platform().platform["tpu_slices"]),
        ["autopilot-makes-its-nodes: tpu_slices[0]"],
    ),
    "auto-provisioning on Autopilot": (
        on_autopilot().set(auto_provisioning={"limits": _LIMITS, "zones": ["us-west4-a"]}),
        ["autopilot-makes-its-nodes: auto_provisioning"],
    ),
    "a pool of no size": (
        a_platform()
        .drop("node_pools", 0, "nodes")
        .add("node_pools", name="more", machine_type="e2-standard-4", nodes=1, zones=["us-west4-a"]),
        ["pool-size-is-stated-once: node_pools[0]"],
    ),
    "a pool of two sizes": (
        a_platform().set("node_pools", 0, autoscaling={"min": 1, "max": 3}),
        ["pool-size-is-stated-once: node_pools[0].nodes"],
    ),
    "a least above the most": (
        a_platform().drop("node_pools", 0, "nodes").set("node_pools", 0, autoscaling={"min": 4, "max": 3}),
        ["pool-size-is-stated-once: node_pools[0].autoscaling.min"],
    ),
    "nothing but GPUs": (
        _gpus("n1-standard-4", type="nvidia-tesla-t4").set("node_pools", 0, nodes=0),
        ["ordinary-pool-exists: node_pools"],
    ),
    "a misspelt GPU": (_gpus("n1-standard-4", type="nvidia-tesla-t5"), ["gpu-fits-machine: node_pools[1].gpu.type"]),
    "a GPU on a machine of another series": (
        _gpus("e2-standard-4", type="nvidia-tesla-t4"),
        ["gpu-fits-machine: node_pools[1].machine_type"],
    ),
    "a GPU on a machine made around another": (
        _gpus("g2-standard-8", type="nvidia-tesla-a100"),
        ["gpu-fits-machine: node_pools[1].machine_type"],
    ),
    "three GPUs where there can be one, two or four": (
        _gpus("n1-standard-4", type="nvidia-tesla-t4", count=3),
        ["gpu-fits-machine: node_pools[1].gpu.count"],
    ),
    "more GPUs than the machine comes with": (
        _gpus("g2-standard-8", type="nvidia-l4", count=2),
        ["gpu-fits-machine: node_pools[1].gpu.count"],
    ),
    "a machine made around GPUs that are not declared": (
        a_platform().add("node_pools", **_POOL, machine_type="g2-standard-8"),
        ["gpu-fits-machine: node_pools[1].machine_type"],
    ),
    "an upgrade of too many nodes at once": (
        a_platform().set("node_pools", 0, upgrade={"max_surge": 19, "max_unavailable": 2}),
        ["upgrade-settings-fit: node_pools[0].upgrade"],
    ),
    "an upgrade of no node at all": (
        a_platform().set("tpu_slices", 0, upgrade={"max_surge": 0, "max_unavailable": 0}),
        ["upgrade-settings-fit: tpu_slices[0].upgrade"],
    ),
    "settings of another strategy": (
        a_platform().set("node_pools", 0, upgrade={"strategy": "BLUE_GREEN", "max_surge": 1}),
        ["upgrade-settings-fit: node_pools[0].upgrade.max_surge"],
    ),
    "a node label that GKE sets": (
        a_platform().set("tpu_slices", 0, labels={"cloud.google.com/gke-tpu-topology": "4x4"}),
        ["node-labels-are-users: tpu_slices[0].labels.cloud.google.com/gke-tpu-topology"],
    ),
    "auto-provisioning without a limit of memory": (
        _made(cpu=64),
        ["auto-provisioning-is-bounded: auto_provisioning.limits"],
    ),
    "auto-provisioning of an accelerator that does not exist": (
        a_platform().set(auto_provisioning={"limits": {**_LIMITS, "nvidia-l5": 8}, "zones": ["us-west4-a"]}),
        ["auto-provisioning-is-bounded: auto_provisioning.limits.nvidia-l5"],
    ),
    "auto-provisioning in another region": (
        a_platform().set(auto_provisioning={"limits": _LIMITS, "zones": ["us-central1-a"]}),
        ["zone-in-region: auto_provisioning.zones[0]"],
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
