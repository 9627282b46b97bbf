"""Flex-start nodes with GPUs: broken stacks by the rules that find them, and sound ones."""

from __future__ import annotations

from tests.stacks import Stack, a_platform

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


BROKEN: dict[str, dict[str, Stack]] = {
    "flex-start-pool-has-gpus": {
        "flex-start nodes without GPUs": _pool(machine_type="e2-standard-4", gpu=None),
        "flex-start GPUs that are spot": _pool(spot=True),
    },
    "flex-start-pool-starts-empty": {
        "a fixed number of flex-start GPUs": _pool(autoscaling=None, nodes=2),
        "flex-start GPUs that are always there": _pool(autoscaling={"min": 1, "max": 4}),
    },
    "flex-start-life-in-bounds": {
        "flex-start GPUs for ten days": _pool(flex_start={"max_run_seconds": 864000}),
    },
    "queued-gpus-are-asked-for": {
        "queued GPUs that a queue does not ask for": _queued().set(admission_checks=[]),
    },
    "queued-gpus-are-in-a-flavor": {
        "queued GPUs that no flavor selects": _pool(flex_start={"queued": True}),
    },
}
SOUND: dict[str, Stack] = {
    "GPUs that come when pods wait": _pool(),
    "GPUs that a queue asks for": _queued(admission_checks=["gpus"]),
    "a version with flex-start GPUs": _pool().set("cluster", minimum_version="1.32.2-gke.1652000"),
}
