"""Admissions that do not hold: broken stacks by the rules that find them, and sound ones."""

from __future__ import annotations

from tests.stacks import Stack, a_platform

_SHAPE = {"machine_type": "ct6e-standard-4t", "topology": "2x4"}
_ZONE = "us-east5-b"
_V6E = {**_SHAPE, "zone": _ZONE}
_FLEX_VERSION = "1.33.0-gke.1712000"
_PATIENT = {"timeout_seconds": 1800}


def _waiting(**keys: object) -> Stack:
    """The small platform with `pods_ready`."""
    return a_platform().set(controllers={"kueue": {"pods_ready": {**_PATIENT, **keys}}})


def _chain(*, is_queued: bool = True, **kueue: object) -> Stack:
    """A queue of reserved, flex-start and spot slices, and a workload that may run on each of them."""
    flavors = [
        {"name": "v6e-reserved", **_SHAPE, "capacity": "reservation", "reservation": "v6e"},
        {"name": "v6e-flex", **_SHAPE, "capacity": "flex-start"},
        {"name": "v6e-spot", **_SHAPE, "capacity": "spot"},
    ]
    checks = {"admission_checks": ["nodes"]} if is_queued else {}
    held = [{"name": "v6e-reserved"}, {"name": "v6e-flex", **checks}, {"name": "v6e-spot"}]
    stack = (
        a_platform()
        .set("cluster", minimum_version=_FLEX_VERSION, location="us-east5")
        .set("node_pools", 0, zones=[_ZONE])
        .set(
            controllers={"kueue": kueue},
            flavors=flavors,
            tpu_slices=[
                {"name": "reserved", **_V6E, "capacity": "reservation", "reservation": {"name": "v6e"}},
                {"name": "flex", **_V6E, "capacity": "flex-start", **({"queued": True} if is_queued else {})},
                {"name": "spot", **_V6E, "capacity": "spot", "autoscaled": True},
            ],
        )
        .set("queues", 0, flavors=held)
        .drop("workloads", 0, "flavor")
        .set("workloads", 0, flavors=["v6e-reserved", "v6e-spot"], slices=1)
    )
    return stack.set(admission_checks=[{"name": "nodes"}]) if is_queued else stack


def _two_flavors() -> Stack:
    """The chain without flex-start slices."""
    return (
        _chain(is_queued=False)
        .set("queues", 0, flavors=[{"name": "v6e-reserved"}, {"name": "v6e-spot"}])
        .drop("tpu_slices", 1)
        .drop("flavors", 1)
    )


def _concurrent(stack: Stack, **policy: object) -> Stack:
    return stack.set("queues", 0, concurrent_admission=policy)


BROKEN: dict[str, dict[str, Stack]] = {
    "pods-ready-leaves-time": {
        "less time than nodes take": _chain(
            is_queued=False, pods_ready={"timeout_seconds": 300, "recovery_timeout_seconds": 60}
        ),
    },
    "requeue-waits-grow": {
        "a longest wait that is shorter than the first": _waiting(requeue={"base_seconds": 120, "max_seconds": 60}),
    },
    "requeue-limit-outlasts-shortage": {
        "a few tries without a wait": _waiting(requeue={"base_seconds": 0, "limit": 3}),
    },
    "one-admission-blocks-all": {
        "queues that wait for each other": _waiting(block_admission=True)
        .set("queues", 0, flavors=[{"name": "v5e-2x4", "chips": 8}])
        .set("workloads", 0, slices=1)
        .add("queues", name="applied", flavors=[{"name": "v5e-2x4", "chips": 8}]),
        "a queue that waits for flex-start": _chain(is_queued=False, pods_ready={**_PATIENT, "block_admission": True}),
    },
    "concurrent-admission-release, queued-may-be-refused": {
        "all flavors at once with an older Kueue": _concurrent(_chain(version="0.17.0")),
    },
    "concurrent-admission-fits-queue, queued-may-be-refused": {
        "all flavors at once in a strict order": _concurrent(_chain()).set("queues", 0, strategy="StrictFIFO"),
        "all flavors at once of chips and processors": _concurrent(_chain())
        .add("flavors", name="any")
        .add("queues", 0, "flavors", name="any", resources={"cpu": "8"}),
    },
    "concurrent-admission-fits-queue": {
        "more flavors at once than Kueue tries": (
            a_platform().set(
                flavors=[
                    *a_platform().platform["flavors"],
                    *({"name": f"cpu-{number}", "labels": {"pool": f"cpu-{number}"}} for number in range(17)),
                ],
                queues=[
                    *a_platform().platform["queues"],
                    {
                        "name": "cpus",
                        "flavors": [{"name": f"cpu-{number}", "resources": {"cpu": "8"}} for number in range(17)],
                    },
                ],
            )
        ).set("queues", 1, concurrent_admission={}),
    },
    "last-acceptable-flavor, queued-may-be-refused": {
        "a last flavor that the queue does not have": _concurrent(_chain(), last_acceptable_flavor="v6e-reservd"),
        "a last flavor where nothing moves": _concurrent(
            _chain(), mode="RetainFirstAdmission", last_acceptable_flavor="v6e-reserved"
        ),
    },
    "concurrent-admission-sees-stock": {
        "all flavors at once, one of them blind to its stock": _concurrent(_chain(is_queued=False)),
    },
    "moved-jobsets-can-run": {
        "a JobSet that moves away from flex-start": _chain(is_queued=False, pods_ready=_PATIENT).set(
            "workloads", 0, flavors=["v6e-flex", "v6e-spot"]
        ),
    },
}
SOUND: dict[str, Stack] = {
    "time enough for nodes": _chain(is_queued=False, pods_ready=_PATIENT),
    "a recovery without a limit": _chain(is_queued=False, pods_ready={**_PATIENT, "recovery_timeout_seconds": 0}),
    "little time for nodes that are there": _waiting(timeout_seconds=60),
    "one queue that blocks": _waiting(block_admission=True),
    "waits that grow": _waiting(requeue={"base_seconds": 60, "max_seconds": 600, "limit": 10, "timestamp": "Creation"}),
    "flavors that keep the first admission": _concurrent(_two_flavors(), mode="RetainFirstAdmission"),
    "flavors that move a workload up to one": _concurrent(_two_flavors(), last_acceptable_flavor="v6e-reserved"),
}
