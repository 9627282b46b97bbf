"""Multi-tier checkpointing: broken stacks by the rules that find them, and sound ones."""

from __future__ import annotations

from tests.stacks import Stack, a_platform

_OTHER = {"name": "other", "machine_type": "ct5lp-hightpu-1t", "topology": "1x1", "slices": 1, "zone": "us-west4-a"}


def with_checkpoints(**settings: object) -> Stack:
    """The small platform with checkpoints in the memory of its hosts."""
    stack = a_platform().set(buckets=[{"name": "checkpoints", "location": "us-west4"}])
    return stack.set("cluster", checkpoints={"bucket": "checkpoints", "local_gib": 50, **settings})


def _with_another_machine(stack: Stack) -> Stack:
    """With slices of a second machine type, which the queue has too."""
    counted = stack.add("tpu_slices", **_OTHER).add(
        "flavors", name="v5e-1x1", machine_type="ct5lp-hightpu-1t", topology="1x1"
    )
    return counted.add("queues", 0, "flavors", name="v5e-1x1")


BROKEN: dict[str, dict[str, Stack]] = {
    "checkpoints-bucket-is-declared": {
        "checkpoints in a bucket that is not declared": with_checkpoints(bucket="checkpoint"),
    },
    "checkpoints-have-hosts": {
        "checkpoints on hosts that are not there": with_checkpoints(machine_type="ct5lp-hightpu-8t"),
        "checkpoints on one of two machine types": _with_another_machine(with_checkpoints()),
    },
    "checkpoints-fit-memory": {
        "checkpoints that take all memory": with_checkpoints(local_gib=192),
    },
    "version-floor": {
        "a version from before checkpoints": with_checkpoints().set("cluster", minimum_version="1.32.4-gke.1414999"),
    },
}
SOUND: dict[str, Stack] = {
    "checkpoints on all hosts": with_checkpoints(),
    "checkpoints on the hosts of one machine type": _with_another_machine(
        with_checkpoints(machine_type="ct5lp-hightpu-4t")
    ),
    "checkpoints of the version that has them first": with_checkpoints().set(
        "cluster", minimum_version="1.32.4-gke.1415000"
    ),
}
