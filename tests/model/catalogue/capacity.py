"""Capacity of slices, on-demand to flex-start: broken stacks with their findings, and sound ones."""

from __future__ import annotations

from tests.stacks import Stack, Told, a_platform, asking, reserved, with_capacity

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


BROKEN: dict[str, tuple[Stack, list[Told]]] = {
    "slices in no zone": (
        a_platform().drop("tpu_slices", 0, "zone"),
        [
            Told(
                rule="slices-have-a-zone",
                place="tpu_slices[0]",
                says="neither zone nor zones is stated.",
                remedy="Add a zone of us-west4.",
            ),
        ],
    ),
    "a zone and a list of zones": (
        _single_host("on-demand", zones=["us-west4-a"]),
        [
            Told(
                rule="zone-is-stated-once",
                place="tpu_slices[0].zone",
                says="zone is stated beside zones.",
                remedy="Remove one of them.",
            ),
        ],
    ),
    "multi-host slices over two zones": (
        a_platform().drop("tpu_slices", 0, "zone").set("tpu_slices", 0, zones=["us-west4-a", "us-west4-b"]),
        [
            Told(
                rule="slices-have-a-zone",
                place="tpu_slices[0].zones",
                says="a 2x4 slice of ct5lp-hightpu-4t has several hosts, which are in one zone.",
                remedy="Write zone: us-west4-a; another entry can have slices in another zone.",
            ),
            Told(
                rule="zone-offers-machine",
                place="tpu_slices[0].zones[1]",
                says="TPU v5e is not listed for us-west4-b.",
                remedy="Listed: us-central1-a, us-south1-a, us-west1-c and us-west4-a.",
                severity="warning",
            ),
        ],
    ),
    "reserved slices of no reservation": (
        with_capacity("reservation").set("flavors", 0, reservation="mine"),
        [
            Told(
                rule="flavor-is-served",
                place="flavors[0].name",
                says="no pool has reservation 2x4 slices of ct5lp-hightpu-4t, which v5e-2x4 counts.",
                remedy="Declare them under tpu_slices. Declared there: reservation 2x4 slices of ct5lp-hightpu-4t.",
            ),
            Told(
                rule="reservation-is-named",
                place="tpu_slices[0].capacity",
                says="the capacity is reserved, but no reservation is named.",
                remedy="Add reservation with its name.",
            ),
        ],
    ),
    "a reserved flavor of no reservation": (
        reserved().drop("flavors", 0, "reservation"),
        [
            Told(
                rule="reservation-is-named",
                place="flavors[0].capacity",
                says="the capacity is reserved, but no reservation is named.",
                remedy="Add reservation with its name.",
            ),
        ],
    ),
    "spot slices of a reservation": (
        with_capacity("spot", reservation={"name": "mine"}),
        [
            Told(
                rule="reservation-is-named",
                place="tpu_slices[0].reservation",
                says="spot capacity takes no reservation.",
                remedy="Remove it, or set capacity: reservation.",
            ),
        ],
    ),
    "flex-start slices of a reservation": (
        with_capacity("flex-start", reservation={"name": "mine"}),
        [
            Told(
                rule="reservation-is-named",
                place="tpu_slices[0].reservation",
                says="flex-start capacity takes no reservation.",
                remedy="Remove it, or set capacity: reservation.",
            ),
        ],
    ),
    "a block of nobody's reservation": (
        reserved(block="block-1"),
        [
            Told(
                rule="block-has-a-project",
                place="tpu_slices[0].reservation.block",
                says="a block is named, but not the project of its reservation.",
                remedy="Add project: tpu-sandbox, or the one that shares the reservation.",
            ),
        ],
    ),
    "reserved slices that come and go": (
        reserved().set("tpu_slices", 0, autoscaled=True),
        [
            Told(
                rule="autoscaled-has-a-choice",
                place="tpu_slices[0].autoscaled",
                says="the reservation is paid for whether its slices exist or not.",
                remedy="Remove the key.",
            ),
        ],
    ),
    "flex-start slices that are asked to come and go": (
        with_capacity("flex-start", autoscaled=True),
        [
            Told(
                rule="autoscaled-has-a-choice",
                place="tpu_slices[0].autoscaled",
                says="flex-start slices always come and go with the work.",
                remedy="Remove the key.",
                severity="warning",
            ),
        ],
    ),
    "flex-start of a generation without it": (
        _generation("ct4p-hightpu-4t", "us-central2-b"),
        [
            Told(
                rule="flex-start-generation",
                place="flavors[0].capacity",
                says="TPU v4 has no flex-start.",
                remedy="Choose another capacity, or one of TPU v5e, TPU v5p, TPU v6e and TPU7x.",
            ),
            Told(
                rule="flex-start-generation",
                place="tpu_slices[0].capacity",
                says="TPU v4 has no flex-start.",
                remedy="Choose another capacity, or one of TPU v5e, TPU v5p, TPU v6e and TPU7x.",
            ),
        ],
    ),
    "a flex-start run of more than a week": (
        with_capacity("flex-start", max_run_seconds=604801),
        [
            Told(
                rule="run-time-in-bounds",
                place="tpu_slices[0].max_run_seconds",
                says="nodes of flex-start capacity cannot be asked to live 604801 seconds.",
                remedy="Set 600 to 604800.",
            ),
        ],
    ),
    "a spot run of seconds": (
        with_capacity("spot", max_run_seconds=29),
        [
            Told(
                rule="run-time-in-bounds",
                place="tpu_slices[0].max_run_seconds",
                says="nodes of spot capacity cannot be asked to live 29 seconds.",
                remedy="Set 30 to 10368000.",
            ),
        ],
    ),
    "queued slices on demand": (
        with_capacity("on-demand", queued=True),
        [
            Told(
                rule="queued-is-flex-start",
                place="tpu_slices[0].queued",
                says="on-demand capacity cannot be queued for.",
                remedy="Remove the key, or set capacity: flex-start.",
            ),
        ],
    ),
    "queued flex-start slices": (
        asking(with_capacity("flex-start", queued=True)),
        [
            Told(
                rule="queued-may-be-refused",
                place="tpu_slices[0].queued",
                says="the API refuses queued provisioning of TPU v5e.",
                remedy="Remove the key, or use TPU v6e or TPU7x, which Google's examples queue for.",
            ),
        ],
    ),
    "two slices that one request would have to bring": (
        asking(with_capacity("flex-start", queued=True)).set("workloads", 0, slices=2),
        [
            Told(
                rule="queued-may-be-refused",
                place="tpu_slices[0].queued",
                says="the API refuses queued provisioning of TPU v5e.",
                remedy="Remove the key, or use TPU v6e or TPU7x, which Google's examples queue for.",
            ),
            Told(
                rule="queued-run-is-one-pool",
                place="workloads[0].slices",
                says="nodes of v5e-2x4 are queued, and no request brings 2 slices at once.",
                remedy="Ask for 1 slice, or take queued away from the slices: they then come one by one.",
            ),
        ],
    ),
    "a second set of nodes for a multi-host slice": (
        a_platform().set("tpu_slices", 0, upgrade={"strategy": "BLUE_GREEN"}),
        [
            Told(
                rule="blue-green-needs-room",
                place="tpu_slices[0].upgrade.strategy",
                says="the hosts of a slice are placed together once, so BLUE_GREEN is refused.",
                remedy="Set SURGE, or remove upgrade.",
            ),
        ],
    ),
    "periodic maintenance of slices on demand": (
        a_platform().set("tpu_slices", 0, host_maintenance="PERIODIC"),
        [
            Told(
                rule="maintenance-interval-is-reserved",
                place="tpu_slices[0].host_maintenance",
                says="PERIODIC belongs to reservations; this capacity is on-demand.",
                remedy="Remove the key.",
                severity="warning",
            ),
        ],
    ),
    "reserved slices beside slices on demand": (
        _two_flavors("reservation", reservation={"name": "mine"})
        .set("flavors", 1, reservation="mine")
        .set("queues", 0, "flavors", 0, chips=16)
        .set("queues", 0, "flavors", 1, chips=8),
        [
            Told(
                rule="flavor-is-one-capacity",
                place="flavors[0].name",
                says="the nodes of more1, whose capacity is reservation, carry the labels of v5e-2x4 too.",
                remedy="No label tells on-demand nodes from reserved ones: use only one of both for a shape.",
            ),
        ],
    ),
    "a zone without flex-start": (
        _single_host("flex-start", zone="us-west4-b"),
        [
            Told(
                rule="zone-offers-machine",
                place="tpu_slices[0].zone",
                says="TPU v5e with flex-start is not listed for us-west4-b.",
                remedy="Listed: us-west4-a.",
                severity="warning",
            ),
        ],
    ),
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
