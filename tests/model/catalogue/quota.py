"""The chip ledger: broken stacks with their findings, and sound ones."""

from __future__ import annotations

from tests.stacks import Stack, Told, a_platform, on_autopilot

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


_OTHER_CAPACITY = Told(
    rule="flavor-is-one-capacity",
    place="flavors[0].name",
    says="the nodes of reserved1 and reserved2, whose capacity is reservation, carry the labels of v5e-2x4 too.",
    remedy="No label tells on-demand nodes from reserved ones: use only one of both for a shape.",
)


def _share(name: str, chips: int | None) -> dict[str, str | int]:
    return {"name": name} if chips is None else {"name": name, "chips": chips}


def _made(chips: int, stack: Stack | None = None) -> Stack:
    """The cluster also makes nodes of slices, up to so many chips."""
    limits = {"cpu": 1000, "memory_gb": 4000, "tpu-v5-lite-podslice": chips}
    stack = a_platform() if stack is None else stack
    return stack.set(auto_provisioning={"limits": limits, "zones": ["us-west4-a"]})


BROKEN: dict[str, tuple[Stack, list[Told]]] = {
    "a quota of nodes that no pool holds": (
        on_autopilot().drop("queues", 0, "flavors", 0, "chips"),
        [
            Told(
                rule="quota-is-stated",
                place="queues[0].flavors[0].name",
                says="no pool holds 2x4 slices: their nodes are made when work selects them.",
                remedy="State chips, such as 8 (1 slice).",
            ),
        ],
    ),
    "a flavor that no pool serves": (
        a_platform().set("flavors", 0, topology="4x4"),
        [
            Told(
                rule="flavor-is-served",
                place="flavors[0].name",
                says="no pool has 4x4 slices of ct5lp-hightpu-4t, which v5e-2x4 counts.",
                remedy="Declare them under tpu_slices. Declared there: 2x4 slices of ct5lp-hightpu-4t.",
            ),
        ],
    ),
    "one host of 8 chips beside two of 4": (
        a_platform().add(
            "tpu_slices", name="single", machine_type="ct5lp-hightpu-8t", topology="2x4", zone="us-west4-a"
        ),
        [
            Told(
                rule="flavor-is-one-machine",
                place="flavors[0].machine_type",
                says="the nodes of single, which are ct5lp-hightpu-8t, carry the labels of v5e-2x4 too.",
                remedy="Keep 2x4 slices of one machine type in the cluster.",
            ),
        ],
    ),
    "two queues that derive their quota from one flavor": (
        _promising(None, None),
        [
            Told(
                rule="quota-derived-once",
                place="queues[0].flavors[0].name",
                says="second also holds v5e-2x4, so this quota cannot be taken from the pools.",
                remedy="State chips for each; together they may hold 16.",
            ),
            Told(
                rule="quota-derived-once",
                place="queues[1].flavors[0].name",
                says="research also holds v5e-2x4, so this quota cannot be taken from the pools.",
                remedy="State chips for each; together they may hold 16.",
            ),
        ],
    ),
    "a derived quota beside a stated one": (
        _promising(8, None),
        [
            Told(
                rule="quota-derived-once",
                place="queues[1].flavors[0].name",
                says="research also holds v5e-2x4, so this quota cannot be taken from the pools.",
                remedy="State chips for each; together they may hold 16.",
            ),
        ],
    ),
    "a quota with part of a slice": (
        a_platform().set("queues", 0, "flavors", 0, chips=12).set("workloads", 0, slices=1),
        [
            Told(
                rule="quota-is-whole-slices",
                place="queues[0].flavors[0].chips",
                says="12 chips are not a whole number of 2x4 slices of 8 chips, at least one.",
                remedy="Set 8 (1 slice) or 16 (2 slices).",
            ),
        ],
    ),
    "a quota of nothing": (
        a_platform().set("queues", 0, "flavors", 0, chips=0),
        [
            Told(
                rule="quota-is-whole-slices",
                place="queues[0].flavors[0].chips",
                says="0 chips are not a whole number of 2x4 slices of 8 chips, at least one.",
                remedy="Set 8 (1 slice).",
            ),
        ],
    ),
    "a quota above the pools": (
        a_platform().set("queues", 0, "flavors", 0, chips=24),
        [
            Told(
                rule="quota-within-pools",
                place="queues[0].flavors[0].chips",
                says="24 chips are promised, but v5e-2x4 has 16.",
                remedy="Set 16 (2 slices), or declare more slices.",
            ),
        ],
    ),
    "quotas above the pools together": (
        _promising(16, 8),
        [
            Told(
                rule="quota-within-pools",
                place="queues[1].flavors[0].chips",
                says="8 chips are promised, but v5e-2x4 has 16. Queues before this one hold 16.",
                remedy="Declare more slices.",
            ),
        ],
    ),
    "flavors of the same nodes that promise their chips twice": (
        _alike(16, 16),
        [
            Told(
                rule="quota-within-pools",
                place="queues[0].flavors[1].chips",
                says="16 chips are promised, but v5e-2x4 and spare share nodes that have 16 chips. "
                "Quotas before this one hold 16.",
                remedy="Declare more slices.",
            ),
        ],
    ),
    "a derived quota of chips that another flavor counts": (
        _alike(None, 8),
        [
            Told(
                rule="quota-derived-once",
                place="queues[0].flavors[0].name",
                says="v5e-2x4 shares nodes with spare, so this quota cannot be taken from the pools.",
                remedy="State chips for each; together they may hold 16.",
            ),
        ],
    ),
    "derived quotas of a flavor and of one that selects some of its nodes": (
        _nested(None, None),
        [
            _OTHER_CAPACITY,
            Told(
                rule="quota-derived-once",
                place="queues[0].flavors[0].name",
                says="v5e-2x4 shares nodes with reserved, so this quota cannot be taken from the pools.",
                remedy="State chips for each; together they may hold 32.",
            ),
            Told(
                rule="quota-derived-once",
                place="queues[1].flavors[0].name",
                says="reserved shares nodes with v5e-2x4, so this quota cannot be taken from the pools.",
                remedy="State chips for each; together they may hold 32.",
            ),
        ],
    ),
    "quotas of a flavor and of one that selects some of its nodes": (
        _nested(24, 16),
        [
            _OTHER_CAPACITY,
            Told(
                rule="quota-within-pools",
                place="queues[1].flavors[0].chips",
                says="16 chips are promised, but v5e-2x4 and reserved share nodes that have 32 chips. "
                "Quotas before this one hold 24.",
                remedy="Set 8 (1 slice), or declare more slices.",
            ),
        ],
    ),
    "more than the flavor with fewer nodes has": (
        _nested(16, 24),
        [
            _OTHER_CAPACITY,
            Told(
                rule="quota-within-pools",
                place="queues[1].flavors[0].chips",
                says="24 chips are promised, but reserved has 16.",
                remedy="Set 16 (2 slices), or declare more slices.",
            ),
        ],
    ),
    "a quota above what may be made": (
        _made(24).set("queues", 0, "flavors", 0, chips=32),
        [
            Told(
                rule="quota-within-limits",
                place="queues[0].flavors[0].chips",
                says="with these, queues promise 32 chips of tpu-v5-lite-podslice, and there can be 24.",
                remedy="Set 24 or less, or raise the limit of auto-provisioning to 32.",
            ),
        ],
    ),
    "quotas of two queues above what there is, which is more than may be made": (
        _made(8, _promising(16, 8)),
        [
            Told(
                rule="quota-within-limits",
                place="queues[1].flavors[0].chips",
                says="with these, queues promise 24 chips of tpu-v5-lite-podslice, and there can be 16.",
                remedy="Raise the limit of auto-provisioning to 24.",
            ),
        ],
    ),
    "chips in no quota": (
        a_platform().set("queues", 0, "flavors", 0, chips=8).set("workloads", 0, slices=1),
        [
            Told(
                rule="chips-are-counted",
                place="flavors[0].name",
                says="8 of the 16 chips of v5e-2x4 are in no quota.",
                remedy="Raise the quota of research.",
                severity="warning",
            ),
        ],
    ),
    "chips of shared nodes in no quota": (
        _nested(8, 16),
        [
            Told(
                rule="chips-are-counted",
                place="flavors[0].name",
                says="8 of the 32 chips of v5e-2x4 and reserved are in no quota.",
                remedy="Raise the quota of research or second.",
                severity="warning",
            ),
            _OTHER_CAPACITY,
        ],
    ),
    "a flavor that no queue has": (
        a_platform()
        .add("tpu_slices", name="small", slices=3, **_SMALL_SLICES)
        .add("flavors", name="v5e-2x2", machine_type="ct5lp-hightpu-4t", topology="2x2"),
        [
            Told(
                rule="chips-are-counted",
                place="flavors[1].name",
                says="12 of the 12 chips of v5e-2x2 are in no quota.",
                remedy="Give a queue this flavor.",
                severity="warning",
            ),
        ],
    ),
    "slices that no flavor counts": (
        a_platform().add("tpu_slices", name="small", **_SMALL_SLICES),
        [
            Told(
                rule="slices-have-a-flavor",
                place="tpu_slices[1].name",
                says="no flavor counts 2x2 slices of ct5lp-hightpu-4t.",
                remedy="Declare a flavor of this machine type and topology.",
                severity="warning",
            ),
        ],
    ),
    "more chips than there are, and no whole number of slices": (
        a_platform().set("queues", 0, "flavors", 0, chips=999999),
        [
            Told(
                rule="quota-is-whole-slices",
                place="queues[0].flavors[0].chips",
                says="999999 chips are not a whole number of 2x4 slices of 8 chips, at least one.",
                remedy="Set 16 (2 slices).",
            ),
            Told(
                rule="quota-within-pools",
                place="queues[0].flavors[0].chips",
                says="999999 chips are promised, but v5e-2x4 has 16.",
                remedy="Set 16 (2 slices), or declare more slices.",
            ),
        ],
    ),
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
