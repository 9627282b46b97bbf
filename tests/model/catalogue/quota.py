"""The chip ledger: broken stacks by the rules that find them, and sound ones."""

from __future__ import annotations

from tests.stacks import Stack, a_platform, on_autopilot

_SMALL_SLICES = {"machine_type": "ct5lp-hightpu-4t", "topology": "2x2", "zone": "us-west4-a"}


def _promising(first: int | None, second: int | None) -> Stack:
    """Two queues with these quotas of the same 16 chips; None derives one. The workload takes one slice."""
    shares = [
        {"name": "v5e-2x4"} if chips is None else {"name": "v5e-2x4", "chips": chips} for chips in (first, second)
    ]
    return (
        a_platform()
        .set("queues", 0, flavors=[shares[0]])
        .add("queues", name="second", flavors=[shares[1]], local_queues=[{"name": "second"}])
        .set("workloads", 0, slices=1)
    )


_V5E = {"machine_type": "ct5lp-hightpu-4t", "topology": "2x4"}
_RESERVED = {"capacity": "reservation", "reservation": "v5e-2026"}


def _alike(first: int | None, second: int | None) -> Stack:
    """One queue with these quotas of two flavors of the same 16 chips; None derives one."""
    return (
        a_platform()
        .add("flavors", name="spare", **_V5E)
        .set("queues", 0, flavors=[_share("v5e-2x4", first), _share("spare", second)])
        .set("workloads", 0, slices=1)
    )


def _nested(wide: int | None, narrow: int | None) -> Stack:
    """Two queues with these quotas of 32 chips on demand or reserved, and of the 16 that are reserved."""
    return (
        a_platform()
        .add(
            "tpu_slices",
            name="reserved",
            slices=2,
            zone="us-west4-a",
            **_V5E,
            capacity="reservation",
            reservation={"name": "v5e-2026"},
        )
        .add("flavors", name="reserved", **_V5E, **_RESERVED)
        .set("queues", 0, flavors=[_share("v5e-2x4", wide)])
        .add("queues", name="second", flavors=[_share("reserved", narrow)], local_queues=[{"name": "second"}])
        .set("workloads", 0, slices=1)
    )


def _share(name: str, chips: int | None) -> dict[str, str | int]:
    return {"name": name} if chips is None else {"name": name, "chips": chips}


def _made(chips: int, stack: Stack | None = None) -> Stack:
    """The cluster also makes nodes of slices, up to so many chips."""
    limits = {"cpu": 1000, "memory_gb": 4000, "tpu-v5-lite-podslice": chips}
    stack = a_platform() if stack is None else stack
    return stack.set(auto_provisioning={"limits": limits, "zones": ["us-west4-a"]})


BROKEN: dict[str, dict[str, Stack]] = {
    "quota-is-stated": {
        "a quota of nodes that no pool holds": on_autopilot().drop("queues", 0, "flavors", 0, "chips"),
    },
    "flavor-is-served": {
        "a flavor that no pool serves": a_platform().set("flavors", 0, topology="4x4"),
    },
    "flavor-is-one-machine": {
        "one host of 8 chips beside two of 4": a_platform().add(
            "tpu_slices", name="single", machine_type="ct5lp-hightpu-8t", topology="2x4", zone="us-west4-a"
        ),
    },
    "quota-derived-once": {
        "two queues that derive their quota from one flavor": _promising(None, None),
        "a derived quota beside a stated one": _promising(8, None),
        "a derived quota of chips that another flavor counts": _alike(None, 8),
    },
    "quota-is-whole-slices": {
        "a quota with part of a slice": a_platform()
        .set("queues", 0, "flavors", 0, chips=12)
        .set("workloads", 0, slices=1),
        "a quota of nothing": a_platform().set("queues", 0, "flavors", 0, chips=0),
    },
    "quota-within-pools": {
        "a quota above the pools": a_platform().set("queues", 0, "flavors", 0, chips=24),
        "quotas above the pools together": _promising(16, 8),
        "flavors of the same nodes that promise their chips twice": _alike(16, 16),
    },
    "flavor-is-one-capacity, quota-derived-once": {
        "derived quotas of a flavor and of one that selects some of its nodes": _nested(None, None),
    },
    "flavor-is-one-capacity, quota-within-pools": {
        "quotas of a flavor and of one that selects some of its nodes": _nested(24, 16),
        "more than the flavor with fewer nodes has": _nested(16, 24),
    },
    "quota-within-limits": {
        "a quota above what may be made": _made(24).set("queues", 0, "flavors", 0, chips=32),
        "quotas of two queues above what there is, which is more than may be made": _made(8, _promising(16, 8)),
    },
    "chips-are-counted": {
        "chips in no quota": a_platform().set("queues", 0, "flavors", 0, chips=8).set("workloads", 0, slices=1),
        "a flavor that no queue has": a_platform()
        .add("tpu_slices", name="small", slices=3, **_SMALL_SLICES)
        .add("flavors", name="v5e-2x2", machine_type="ct5lp-hightpu-4t", topology="2x2"),
    },
    "chips-are-counted, flavor-is-one-capacity": {
        "chips of shared nodes in no quota": _nested(8, 16),
    },
    "slices-have-a-flavor": {
        "slices that no flavor counts": a_platform().add("tpu_slices", name="small", **_SMALL_SLICES),
    },
    "quota-is-whole-slices, quota-within-pools": {
        "more chips than there are, and no whole number of slices": a_platform().set(
            "queues", 0, "flavors", 0, chips=999999
        ),
    },
}
SOUND: dict[str, Stack] = {
    "a stated quota of all chips": a_platform().set("queues", 0, "flavors", 0, chips=16),
    "two queues that share the chips": _promising(8, 8),
    "two flavors of the same nodes that share the chips": _alike(8, 8),
    "two flavors of the same nodes, where more may be made": _made(64, _alike(16, 16)),
    "a quota of all that may be made": _made(24).set("queues", 0, "flavors", 0, chips=24),
    "a queue without chips of its own": _promising(16, 0)
    .set(cohorts=[{"name": "lab"}])
    .set("queues", 0, cohort="lab")
    .set("queues", 1, cohort="lab"),
    "single-host slices in one pool": a_platform()
    .add("tpu_slices", name="small", slices=3, **_SMALL_SLICES)
    .add("flavors", name="v5e-2x2", machine_type="ct5lp-hightpu-4t", topology="2x2")
    .add("queues", 0, "flavors", name="v5e-2x2", chips=12),
    "slices without any queue": a_platform().set(flavors=[], queues=[], workloads=[]),
}
