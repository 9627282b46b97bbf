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


BROKEN: dict[str, tuple[Stack, list[str]]] = {
    "a queue that does not exist": (
        a_platform().set("workloads", 0, queue="reserch"),
        ["workload-queue-exists: workloads[0].queue"],
    ),
    "a queue of another namespace": (
        a_platform().set("queues", 0, local_queues=[{"name": "research", "namespace": "team-a"}]),
        ["workload-queue-exists: workloads[0].queue"],
    ),
    "a priority that does not exist": (
        a_platform().set("workloads", 0, priority="nromal"),
        ["workload-priority-exists: workloads[0].priority"],
    ),
    "a flavor that does not exist": (
        a_platform().set("workloads", 0, flavor="v5e-4x4"),
        ["workload-flavor-in-queue: workloads[0].flavor"],
    ),
    "a flavor of another queue": (
        _with_a_second_queue().set("workloads", 0, flavor="v5e-2x2"),
        ["workload-flavor-in-queue: workloads[0].flavor"],
    ),
    "more slices than the quota": (
        a_platform().set("workloads", 0, slices=3),
        ["workload-can-ever-fit: workloads[0].slices"],
    ),
    "more slices than a stated quota": (
        a_platform().set("queues", 0, "flavors", 0, chips=16).set("workloads", 0, slices=3),
        ["workload-can-ever-fit: workloads[0].slices"],
    ),
    "more slices than the quota of a strict queue": (
        a_platform().set("workloads", 0, slices=3).set("queues", 0, strategy="StrictFIFO"),
        ["workload-can-ever-fit: workloads[0].slices"],
    ),
    "a name that begins with a digit": (
        a_platform().set("workloads", 0, name="7b"),
        ["workload-pod-names: workloads[0].name"],
    ),
    "a name that is too long for its pods": (
        a_platform().set("workloads", 0, name="w" * 48),
        ["workload-pod-names: workloads[0].name"],
    ),
    "several slices of single hosts": (
        _shaped("ct5lp-hightpu-8t", "2x4"),
        ["multislice-is-multi-host: workloads[0].slices"],
    ),
    "several slices of a generation without multislice": (
        _shaped("ct3p-hightpu-4t", "4x4"),
        ["multislice-is-multi-host: workloads[0].slices"],
    ),
    "an image of the latest build": (
        a_platform().set("workloads", 0, image="registry.example:5000/train:latest"),
        ["image-is-pinned: workloads[0].image"],
    ),
    "an image without a tag": (
        a_platform().set("workloads", 0, image="registry.example:5000/train"),
        ["image-is-pinned: workloads[0].image"],
    ),
    "an image of a registry that is renamed with the environment": (
        a_platform().set("workloads", 0, image="us-docker.pkg.staging/lab/train:1.0"),
        ["registry-exists: workloads[0].image"],
    ),
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
