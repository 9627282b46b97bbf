"""Minimum versions and what is in use: broken stacks by the rules that find them, and sound ones."""

from __future__ import annotations

from tests.stacks import Stack, a_platform, asking, on_autopilot, with_capacity


def _of(stack: Stack, minimum_version: str) -> Stack:
    return stack.set("cluster", minimum_version=minimum_version)


def _shaped(stack: Stack, machine_type: str, zone: str) -> Stack:
    """The same with slices of another machine type, in the region of `zone`."""
    return (
        stack.set("cluster", location=zone.rpartition("-")[0])
        .set("node_pools", 0, zones=[zone])
        .set("tpu_slices", 0, machine_type=machine_type, zone=zone)
        .set("flavors", 0, machine_type=machine_type)
    )


def _privileged() -> Stack:
    return a_platform().set("workloads", 0, privileged=True)


def _ironwood_on_autopilot() -> Stack:
    stack = on_autopilot().set("cluster", location="us-central1")
    return stack.set("flavors", 0, machine_type="tpu7x-standard-4t", topology="2x2x2")


BROKEN: dict[str, dict[str, Stack]] = {
    "version-floor": {
        "a version from before the generation": _of(
            _shaped(a_platform(), "ct6e-standard-4t", "us-central1-b"), "1.31.2-gke.1114999"
        ),
        "a version from before flex-start": _of(with_capacity("flex-start"), "1.33.0-gke.1711999"),
        "a version from before TPUs without privilege": _of(a_platform(), "1.28.7-gke.1019999"),
        "a version from before multislice": _of(_privileged(), "1.27.4-gke.899"),
        "a version from before the generation on Autopilot": _of(_ironwood_on_autopilot(), "1.34.0-gke.2201000"),
    },
    "autopilot-tpu-version, version-floor": {
        "a version from before multislice on Autopilot": _of(on_autopilot(), "1.29.2-gke.1520999"),
    },
    "autopilot-tpu-version": {
        "a version that is not advised for Autopilot any more": _of(on_autopilot(), "1.29.2-gke.1521000"),
    },
    "version-floor, queued-may-be-refused": {
        "a version from before queued provisioning, and before flex-start": _of(
            asking(with_capacity("flex-start", queued=True)), "1.28.3-gke.1097999"
        ),
    },
}
SOUND: dict[str, Stack] = {
    "the first version with the generation": _of(
        _shaped(a_platform(), "ct6e-standard-4t", "us-central1-b"), "1.31.2-gke.1115000"
    ),
    "the first version with flex-start": _of(with_capacity("flex-start"), "1.33.0-gke.1712000"),
    "the first version with multislice": _of(_privileged(), "1.27.4-gke.900"),
    "the first version with TPUs without privilege": _of(a_platform(), "1.28.7-gke.1020000"),
    "the version that is advised for Autopilot": _of(on_autopilot(), "1.32.3-gke.1927000"),
    "the first version with TPU7x on Autopilot": _of(_ironwood_on_autopilot(), "1.34.1-gke.3084001"),
    "an old version on Autopilot without TPUs": _of(on_autopilot(), "1.27.4-gke.900").set(
        flavors=[], queues=[], workloads=[]
    ),
}
