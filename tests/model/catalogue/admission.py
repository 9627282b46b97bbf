"""Admissions that do not hold: broken stacks with their findings, and sound ones."""

from __future__ import annotations

from tests.stacks import Stack, Told, a_platform

_SHAPE = {"machine_type": "ct6e-standard-4t", "topology": "2x4"}
_ZONE = "us-east5-b"
_V6E = {**_SHAPE, "zone": _ZONE}
_FLEX_VERSION = "1.33.0-gke.1712000"
_PATIENT = {"timeout_seconds": 1800}
_REFUSED = Told(
    rule="queued-may-be-refused",
    place="tpu_slices[1].queued",
    says="the API may refuse queued provisioning of TPUs; where it does not, only a ProvisioningRequest of "
    "Kueue starts nodes.",
    remedy="Without the key, nodes start when pods wait for them.",
    severity="warning",
)
_MAY_WAIT = (
    "nodes of v6e-flex and v6e-spot may take 900 seconds to come and flex-start requests wait in a queue before that."
)


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


BROKEN: dict[str, tuple[Stack, list[Told]]] = {
    "less time than nodes take": (
        _chain(is_queued=False, pods_ready={"timeout_seconds": 300, "recovery_timeout_seconds": 60}),
        [
            Told(
                rule="pods-ready-leaves-time",
                place="controllers.kueue.pods_ready.recovery_timeout_seconds",
                says=f"a workload that lost a slice starts again on new nodes, and {_MAY_WAIT}",
                remedy="Set 900 or more, or 0 for no limit.",
                severity="warning",
            ),
            Told(
                rule="pods-ready-leaves-time",
                place="controllers.kueue.pods_ready.timeout_seconds",
                says=_MAY_WAIT,
                remedy="Set 900 or more, as long as quota may idle.",
                severity="warning",
            ),
        ],
    ),
    "a longest wait that is shorter than the first": (
        _waiting(requeue={"base_seconds": 120, "max_seconds": 60}),
        [
            Told(
                rule="requeue-waits-grow",
                place="controllers.kueue.pods_ready.requeue.max_seconds",
                says="60 seconds are fewer than the first wait of 120.",
                remedy="Set 120 or more, or a smaller base_seconds.",
            ),
        ],
    ),
    "a few tries without a wait": (
        _waiting(requeue={"base_seconds": 0, "limit": 3}),
        [
            Told(
                rule="requeue-limit-outlasts-shortage",
                place="controllers.kueue.pods_ready.requeue.base_seconds",
                says="a workload is queued again 3 times at once, and then deactivated.",
                remedy="Set 60 or more, or remove limit.",
                severity="warning",
            ),
        ],
    ),
    "queues that wait for each other": (
        _waiting(block_admission=True)
        .set("queues", 0, flavors=[{"name": "v5e-2x4", "chips": 8}])
        .set("workloads", 0, slices=1)
        .add("queues", name="applied", flavors=[{"name": "v5e-2x4", "chips": 8}]),
        [
            Told(
                rule="one-admission-blocks-all",
                place="controllers.kueue.pods_ready.block_admission",
                says="a workload that waits for nodes blocks all queues: research and applied.",
                remedy="Remove the key.",
                severity="warning",
            ),
        ],
    ),
    "a queue that waits for flex-start": (
        _chain(is_queued=False, pods_ready={**_PATIENT, "block_admission": True}),
        [
            Told(
                rule="one-admission-blocks-all",
                place="controllers.kueue.pods_ready.block_admission",
                says="a workload that waits for flex-start nodes of v6e-flex blocks all others.",
                remedy="Remove the key.",
                severity="warning",
            ),
        ],
    ),
    "all flavors at once with an older Kueue": (
        _concurrent(_chain(version="0.17.0")),
        [
            Told(
                rule="concurrent-admission-release",
                place="queues[0].concurrent_admission",
                says="Kueue 0.17.0 has no concurrent admission.",
                remedy="Set controllers.kueue.version to 0.19.2, or another from 0.18 on.",
            ),
            _REFUSED,
        ],
    ),
    "all flavors at once in a strict order": (
        _concurrent(_chain()).set("queues", 0, strategy="StrictFIFO"),
        [
            Told(
                rule="concurrent-admission-fits-queue",
                place="queues[0].strategy",
                says="a queue that tries all flavors at once cannot be StrictFIFO.",
                remedy="Set BestEffortFIFO.",
            ),
            _REFUSED,
        ],
    ),
    "all flavors at once of chips and processors": (
        _concurrent(_chain())
        .add("flavors", name="any")
        .add("queues", 0, "flavors", name="any", resources={"cpu": "8"}),
        [
            Told(
                rule="concurrent-admission-fits-queue",
                place="queues[0].concurrent_admission",
                says="research has quota of 2 sets of resources, and all flavors at once need one set.",
                remedy="Remove the key, or give the other resources a queue of their own.",
            ),
            _REFUSED,
        ],
    ),
    "more flavors at once than Kueue tries": (
        (
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
        [
            Told(
                rule="concurrent-admission-fits-queue",
                place="queues[1].concurrent_admission",
                says="cpus has 17 flavors, and at most 16 are tried at once.",
                remedy="Remove flavors, or the key.",
            ),
        ],
    ),
    "a last flavor that the queue does not have": (
        _concurrent(_chain(), last_acceptable_flavor="v6e-reservd"),
        [
            Told(
                rule="last-acceptable-flavor",
                place="queues[0].concurrent_admission.last_acceptable_flavor",
                says="research has no flavor v6e-reservd.",
                remedy="Did you mean v6e-reserved? Flavors: v6e-reserved, v6e-flex and v6e-spot.",
            ),
            _REFUSED,
        ],
    ),
    "a last flavor where nothing moves": (
        _concurrent(_chain(), mode="RetainFirstAdmission", last_acceptable_flavor="v6e-reserved"),
        [
            Told(
                rule="last-acceptable-flavor",
                place="queues[0].concurrent_admission.last_acceptable_flavor",
                says="with RetainFirstAdmission no workload moves.",
                remedy="Remove the key, or set mode: TryPreferredFlavors.",
            ),
            _REFUSED,
        ],
    ),
    "all flavors at once, one of them blind to its stock": (
        _concurrent(_chain(is_queued=False)),
        [
            Told(
                rule="concurrent-admission-sees-stock",
                place="queues[0].flavors[1].name",
                says="when nodes of v6e-flex are out of stock, its workloads wait for them and never take the flavors "
                "after it.",
                remedy="Give v6e-flex queued nodes and an admission check, or move it to the end.",
                severity="warning",
            ),
        ],
    ),
    "a JobSet that moves away from flex-start": (
        _chain(is_queued=False, pods_ready=_PATIENT).set("workloads", 0, flavors=["v6e-flex", "v6e-spot"]),
        [
            Told(
                rule="moved-jobsets-can-run",
                place="workloads[0].flavors",
                says="when Kueue moves train from v6e-flex to v6e-spot, its Jobs keep the node selector of v6e-flex, "
                "and their pods find no node.",
                remedy="Delete its Jobs after such a move: JobSet makes them anew. Or name flavors without v6e-flex.",
                severity="warning",
            ),
        ],
    ),
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
