"""Workloads that can never be admitted, placed or named: broken stacks, all that is told of them, and sound ones."""

from __future__ import annotations

from tests.stacks import Stack, a_platform


def _with_a_second_queue() -> Stack:
    """The small platform with a queue of its own for 2x2 slices, and a workload of one slice."""
    small = {"machine_type": "ct5lp-hightpu-4t", "topology": "2x2"}
    return (
        a_platform()
        .add("tpu_slices", name="small", slices=3, zone="us-west4-a", **small)
        .add("flavors", name="v5e-2x2", **small)
        .add("queues", name="small", flavors=[{"name": "v5e-2x2"}], local_queues=[{"name": "small"}])
        .set("workloads", 0, slices=1)
    )


def _shaped(machine_type: str, topology: str) -> Stack:
    """The small platform, whose workload takes two slices, with slices of another shape."""
    return (
        a_platform()
        .set("cluster", location="us-central1")
        .set("node_pools", 0, zones=["us-central1-a"])
        .set("tpu_slices", 0, machine_type=machine_type, topology=topology, zone="us-central1-a")
        .set("flavors", 0, machine_type=machine_type, topology=topology)
    )


BROKEN: dict[str, dict[str, Stack]] = {
    "workload-queue-exists": {
        "a queue that does not exist": a_platform().set("workloads", 0, queue="reserch"),
        "a queue of another namespace": a_platform().set(
            "queues", 0, local_queues=[{"name": "research", "namespace": "team-a"}]
        ),
    },
    "workload-priority-exists": {
        "a priority that does not exist": a_platform().set("workloads", 0, priority="nromal"),
    },
    "workload-flavor-in-queue": {
        "a flavor that does not exist": a_platform().set("workloads", 0, flavor="v5e-4x4"),
        "a flavor of another queue": _with_a_second_queue().set("workloads", 0, flavor="v5e-2x2"),
    },
    "workload-can-ever-fit": {
        "more slices than the quota": a_platform().set("workloads", 0, slices=3),
        "more slices than a stated quota": a_platform()
        .set("queues", 0, "flavors", 0, chips=16)
        .set("workloads", 0, slices=3),
        "more slices than the quota of a strict queue": a_platform()
        .set("workloads", 0, slices=3)
        .set("queues", 0, strategy="StrictFIFO"),
    },
    "workload-pod-names": {
        "a name that begins with a digit": a_platform().set("workloads", 0, name="7b"),
        "a name that is too long for its pods": a_platform().set("workloads", 0, name="w" * 48),
    },
    "multislice-is-multi-host": {
        "several slices of single hosts": _shaped("ct5lp-hightpu-8t", "2x4"),
        "several slices of a generation without multislice": _shaped("ct3p-hightpu-4t", "4x4"),
    },
    "image-is-pinned": {
        "an image of the latest build": a_platform().set("workloads", 0, image="registry.example:5000/train:latest"),
        "an image without a tag": a_platform().set("workloads", 0, image="registry.example:5000/train"),
    },
    "registry-exists": {
        "an image of a registry that is renamed with the environment": a_platform().set(
            "workloads", 0, image="us-docker.pkg.staging/lab/train:1.0"
        ),
    },
}
SOUND: dict[str, Stack] = {
    "workloads in any order": a_platform().set(workload_order="any"),
    "the whole quota": a_platform().set("workloads", 0, slices=2),
    "an image of a mirror inside": a_platform().set("workloads", 0, image="gcr.internal:5000/train:1.0"),
    "an image of a host that ends as a registry begins": a_platform().set(
        "workloads", 0, image="us-docker.pkg.example.com/train:1.0"
    ),
    "an image without a host": a_platform().set("workloads", 0, image="ghcr.x:1.0"),
    "work in each of two queues": _with_a_second_queue().add(
        "workloads",
        **{**a_platform().platform["workloads"][0], "name": "tiny", "queue": "small", "flavor": "v5e-2x2", "slices": 1},
    ),
    "a pod name of 63 characters": a_platform().set("workloads", 0, name="w" * 47),
    "an image at an address of IPv6": a_platform().set("workloads", 0, image="[2001:db8::1]:5000/team/train:1.0"),
    "an image by digest": a_platform().set("workloads", 0, image="registry.example/train@sha256:" + "0" * 64),
}
