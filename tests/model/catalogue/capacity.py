"""Capacity of slices, on-demand to flex-start: broken stacks by the rules that find them, and sound ones."""

from __future__ import annotations

from tests.stacks import Stack, a_platform, asking, reserved, with_capacity

_V5E = {"machine_type": "ct5lp-hightpu-4t", "topology": "2x4"}
_MORE = {"name": "more", "slices": 1, "zone": "us-west4-a", **_V5E}


def _single_host(capacity: str, **settings: object) -> Stack:
    """The small platform on slices of one host each."""
    stack = with_capacity(capacity, topology="2x2", **settings)
    return stack.set("flavors", 0, topology="2x2").set("workloads", 0, slices=1)


def _two_flavors(capacity: str, **more: object) -> Stack:
    """The small platform with a slice more of the same shape, come by in another way and counted by its own flavor."""
    return (
        a_platform()
        .add("tpu_slices", **_MORE, capacity=capacity, **more)
        .add("flavors", name="other", **_V5E, capacity=capacity)
        .add("queues", 0, "flavors", name="other")
    )


def _generation(machine_type: str, zone: str, **settings: object) -> Stack:
    """Flex-start slices of another generation, in the region of `zone`."""
    return (
        with_capacity("flex-start", machine_type=machine_type, topology="2x2x2", zone=zone, **settings)
        .set("cluster", location=zone.rpartition("-")[0])
        .set("node_pools", 0, zones=[zone])
        .set("flavors", 0, machine_type=machine_type, topology="2x2x2")
    )


BROKEN: dict[str, dict[str, Stack]] = {
    "slices-have-a-zone": {
        "slices in no zone": a_platform().drop("tpu_slices", 0, "zone"),
    },
    "zone-is-stated-once": {
        "a zone and a list of zones": _single_host("on-demand", zones=["us-west4-a"]),
    },
    "slices-have-a-zone, zone-offers-machine": {
        "multi-host slices over two zones": a_platform()
        .drop("tpu_slices", 0, "zone")
        .set("tpu_slices", 0, zones=["us-west4-a", "us-west4-b"]),
    },
    "flavor-is-served, reservation-is-named": {
        "reserved slices of no reservation": with_capacity("reservation").set("flavors", 0, reservation="mine"),
    },
    "reservation-is-named": {
        "a reserved flavor of no reservation": reserved().drop("flavors", 0, "reservation"),
        "spot slices of a reservation": with_capacity("spot", reservation={"name": "mine"}),
        "flex-start slices of a reservation": with_capacity("flex-start", reservation={"name": "mine"}),
    },
    "block-has-a-project": {
        "a block of nobody's reservation": reserved(block="block-1"),
    },
    "autoscaled-has-a-choice": {
        "reserved slices that come and go": reserved().set("tpu_slices", 0, autoscaled=True),
        "flex-start slices that are asked to come and go": with_capacity("flex-start", autoscaled=True),
    },
    "flex-start-generation": {
        "flex-start of a generation without it": _generation("ct4p-hightpu-4t", "us-central2-b"),
    },
    "run-time-in-bounds": {
        "a flex-start run of more than a week": with_capacity("flex-start", max_run_seconds=604801),
        "a spot run of seconds": with_capacity("spot", max_run_seconds=29),
    },
    "queued-is-flex-start": {
        "queued slices on demand": with_capacity("on-demand", queued=True),
    },
    "queued-may-be-refused": {
        "queued flex-start slices": asking(with_capacity("flex-start", queued=True)),
    },
    "queued-may-be-refused, queued-run-is-one-pool": {
        "two slices that one request would have to bring": asking(with_capacity("flex-start", queued=True)).set(
            "workloads", 0, slices=2
        ),
    },
    "blue-green-needs-room": {
        "a second set of nodes for a multi-host slice": a_platform().set(
            "tpu_slices", 0, upgrade={"strategy": "BLUE_GREEN"}
        ),
    },
    "maintenance-interval-is-reserved": {
        "periodic maintenance of slices on demand": a_platform().set("tpu_slices", 0, host_maintenance="PERIODIC"),
    },
    "flavor-is-one-capacity": {
        "reserved slices beside slices on demand": _two_flavors("reservation", reservation={"name": "mine"})
        .set("flavors", 1, reservation="mine")
        .set("queues", 0, "flavors", 0, chips=16)
        .set("queues", 0, "flavors", 1, chips=8),
    },
    "zone-offers-machine": {
        "a zone without flex-start": _single_host("flex-start", zone="us-west4-b"),
    },
}
SOUND: dict[str, Stack] = {
    "spot slices that come and go": with_capacity("spot", autoscaled=True),
    "flex-start slices": with_capacity("flex-start", max_run_seconds=604800),
    "single hosts in a list of zones": _single_host("spot", autoscaled=True)
    .drop("tpu_slices", 0, "zone")
    .set("tpu_slices", 0, zones=["us-west4-a"], upgrade={"strategy": "BLUE_GREEN", "batch_nodes": 1}),
    "slices of a reservation": reserved().set("tpu_slices", 0, host_maintenance="PERIODIC"),
    "slices of a block of another project's reservation": reserved(project="hardware", block="block-1"),
    "flex-start slices beside slices on demand": _two_flavors("flex-start"),
    "spot slices beside slices on demand": _two_flavors("spot"),
    "flex-start slices that need a policy": _generation("tpu7x-standard-4t", "us-central1-c"),
}
