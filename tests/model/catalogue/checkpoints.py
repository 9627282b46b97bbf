"""Multi-tier checkpointing: broken stacks with their findings, and sound ones."""

from __future__ import annotations

from tests.stacks import Stack, Told, a_platform

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


def _of(rule: str, key: str, says: str, remedy: str) -> list[Told]:
    return [Told(rule=rule, place=f"cluster.checkpoints.{key}", says=says, remedy=remedy)]


BROKEN: dict[str, tuple[Stack, list[Told]]] = {
    "checkpoints in a bucket that is not declared": (
        with_checkpoints(bucket="checkpoint"),
        _of(
            "checkpoints-bucket-is-declared",
            "bucket",
            "no bucket is named checkpoint.",
            "Did you mean checkpoints? Buckets: checkpoints. Without a location, one that exists is meant.",
        ),
    ),
    "checkpoints on hosts that are not there": (
        with_checkpoints(machine_type="ct5lp-hightpu-8t"),
        _of(
            "checkpoints-have-hosts",
            "machine_type",
            "no slices have hosts of ct5lp-hightpu-8t.",
            "Did you mean ct5lp-hightpu-4t? Machine types: ct5lp-hightpu-4t.",
        ),
    ),
    "checkpoints on one of two machine types": (
        _with_another_machine(with_checkpoints()),
        _of(
            "checkpoints-have-hosts",
            "machine_type",
            "slices have hosts of ct5lp-hightpu-1t and ct5lp-hightpu-4t; one of them must hold checkpoints.",
            "Name one of them.",
        ),
    ),
    "checkpoints that take all memory": (
        with_checkpoints(local_gib=192),
        _of(
            "checkpoints-fit-memory",
            "local_gib",
            "a host of ct5lp-hightpu-4t has 192 GiB of memory, and checkpoints would take 192.",
            "Set 96 or less: the pods of the host need the rest.",
        ),
    ),
    "a version from before checkpoints": (
        with_checkpoints().set("cluster", minimum_version="1.32.4-gke.1414999"),
        [
            Told(
                rule="version-floor",
                place="cluster.minimum_version",
                says="1.32.4-gke.1414999 is older than the first version with multi-tier checkpointing.",
                remedy="Set 1.32.4-gke.1415000 or newer, or leave the version to the release channel.",
            ),
        ],
    ),
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
