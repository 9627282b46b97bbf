"""Flex-start nodes with GPUs: broken stacks with their findings, and sound ones."""

from __future__ import annotations

from tests.stacks import Stack, Told, a_platform

_CHECK = {"name": "gpus", "provisioning": {"managed_resources": ["nvidia.com/gpu"]}}
_LABELS = {"cloud.google.com/gke-accelerator": "nvidia-l4"}


def _pool(**pool: object) -> Stack:
    """The small platform with a pool of flex-start GPUs."""
    made = {
        "name": "l4",
        "machine_type": "g2-standard-4",
        "autoscaling": {"min": 0, "max": 4},
        "zones": ["us-west4-a"],
        "gpu": {"type": "nvidia-l4", "count": 1},
        "flex_start": {"max_run_seconds": 86400},
        **pool,
    }
    return a_platform().add("node_pools", **{key: value for key, value in made.items() if value is not None})


def _queued(**share: object) -> Stack:
    """With queued GPUs, and a queue of them."""
    held = {"name": "l4", "resources": {"nvidia.com/gpu": "4"}, **share}
    return (
        _pool(flex_start={"queued": True})
        .add("flavors", name="l4", labels=_LABELS)
        .set(admission_checks=[_CHECK])
        .add("queues", name="gpus", flavors=[held], local_queues=[{"name": "gpus"}])
    )


BROKEN: dict[str, tuple[Stack, list[Told]]] = {
    "flex-start nodes without GPUs": (
        _pool(machine_type="e2-standard-4", gpu=None),
        [
            Told(
                rule="flex-start-pool-has-gpus",
                place="node_pools[1].flex_start",
                says="nodes of l4 have no GPUs, and flex-start is for accelerators.",
                remedy="Add gpu, or remove the key.",
            ),
        ],
    ),
    "flex-start GPUs that are spot": (
        _pool(spot=True),
        [
            Told(
                rule="flex-start-pool-has-gpus",
                place="node_pools[1].spot",
                says="nodes of l4 are flex-start.",
                remedy="Remove spot or flex_start.",
            ),
        ],
    ),
    "a fixed number of flex-start GPUs": (
        _pool(autoscaling=None, nodes=2),
        [
            Told(
                rule="flex-start-pool-starts-empty",
                place="node_pools[1].nodes",
                says="l4 has a fixed number of nodes, and flex-start nodes come when pods wait.",
                remedy="Write autoscaling with min 0 in its place.",
            ),
        ],
    ),
    "flex-start GPUs that are always there": (
        _pool(autoscaling={"min": 1, "max": 4}),
        [
            Told(
                rule="flex-start-pool-starts-empty",
                place="node_pools[1].autoscaling.min",
                says="1 flex-start nodes cannot always be there.",
                remedy="Set 0.",
            ),
        ],
    ),
    "flex-start GPUs for ten days": (
        _pool(flex_start={"max_run_seconds": 864000}),
        [
            Told(
                rule="flex-start-life-in-bounds",
                place="node_pools[1].flex_start.max_run_seconds",
                says="flex-start nodes cannot be asked to live 864000 seconds.",
                remedy="Set 600 to 604800.",
            ),
        ],
    ),
    "queued GPUs that a queue does not ask for": (
        _queued().set(admission_checks=[]),
        [
            Told(
                rule="queued-gpus-are-asked-for",
                place="queues[1].flavors[0].admission_checks",
                says="nodes of l4 are queued, and gpus asks for none.",
                remedy="Name an admission check for GPUs. Declared: none; {name: gpus, provisioning: "
                "{managed_resources: [nvidia.com/gpu]}} makes one.",
            ),
        ],
    ),
    "queued GPUs that no flavor selects": (
        _pool(flex_start={"queued": True}),
        [
            Told(
                rule="queued-gpus-are-in-a-flavor",
                place="node_pools[1].flex_start.queued",
                says="no flavor selects nodes of l4, so no workload ever gets one.",
                remedy="Declare a flavor with labels: {cloud.google.com/gke-accelerator: nvidia-l4}, or remove the "
                "key.",
            ),
        ],
    ),
}
SOUND: dict[str, Stack] = {
    "GPUs that come when pods wait": _pool(),
    "GPUs that a queue asks for": _queued(admission_checks=["gpus"]),
    "a version with flex-start GPUs": _pool().set("cluster", minimum_version="1.32.2-gke.1652000"),
}
