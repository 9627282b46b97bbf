"""Pools, their sizes, GPUs and upgrades: broken stacks by the rules that find them, and sound ones."""

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


BROKEN: dict[str, dict[str, Stack]] = {
    "autopilot-makes-its-nodes": {
        "node pools on Autopilot": on_autopilot().set(node_pools=a_platform().platform["node_pools"]),
        "slices on Autopilot": on_autopilot().set(tpu_slices=a_platform().platform["tpu_slices"]),
        "auto-provisioning on Autopilot": on_autopilot().set(
            auto_provisioning={"limits": _LIMITS, "zones": ["us-west4-a"]}
        ),
    },
    "pool-size-is-stated-once": {
        "a pool of no size": a_platform()
        .drop("node_pools", 0, "nodes")
        .add("node_pools", name="more", machine_type="e2-standard-4", nodes=1, zones=["us-west4-a"]),
        "a pool of two sizes": a_platform().set("node_pools", 0, autoscaling={"min": 1, "max": 3}),
        "a least above the most": a_platform()
        .drop("node_pools", 0, "nodes")
        .set("node_pools", 0, autoscaling={"min": 4, "max": 3}),
    },
    "ordinary-pool-exists": {
        "nothing but GPUs": _gpus("n1-standard-4", type="nvidia-tesla-t4").set("node_pools", 0, nodes=0),
    },
    "gpu-fits-machine": {
        "a misspelt GPU": _gpus("n1-standard-4", type="nvidia-tesla-t5"),
        "a GPU on a machine of another series": _gpus("e2-standard-4", type="nvidia-tesla-t4"),
        "a GPU on a machine made around another": _gpus("g2-standard-8", type="nvidia-tesla-a100"),
        "three GPUs where there can be one, two or four": _gpus("n1-standard-4", type="nvidia-tesla-t4", count=3),
        "more GPUs than the machine comes with": _gpus("g2-standard-8", type="nvidia-l4", count=2),
        "a machine made around GPUs that are not declared": a_platform().add(
            "node_pools", **_POOL, machine_type="g2-standard-8"
        ),
    },
    "upgrade-settings-fit": {
        "an upgrade of too many nodes at once": a_platform().set(
            "node_pools", 0, upgrade={"max_surge": 19, "max_unavailable": 2}
        ),
        "an upgrade of no node at all": a_platform().set(
            "tpu_slices", 0, upgrade={"max_surge": 0, "max_unavailable": 0}
        ),
        "settings of another strategy": a_platform().set(
            "node_pools", 0, upgrade={"strategy": "BLUE_GREEN", "max_surge": 1}
        ),
    },
    "node-labels-are-users": {
        "a node label that GKE sets": a_platform().set(
            "tpu_slices", 0, labels={"cloud.google.com/gke-tpu-topology": "4x4"}
        ),
    },
    "auto-provisioning-is-bounded": {
        "auto-provisioning without a limit of memory": _made(cpu=64),
        "auto-provisioning of an accelerator that does not exist": a_platform().set(
            auto_provisioning={"limits": {**_LIMITS, "nvidia-l5": 8}, "zones": ["us-west4-a"]}
        ),
    },
    "zone-in-region": {
        "auto-provisioning in another region": a_platform().set(
            auto_provisioning={"limits": _LIMITS, "zones": ["us-central1-a"]}
        ),
    },
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
