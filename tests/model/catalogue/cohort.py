"""Cohorts, borrowing and shares: broken stacks with their findings, and sound ones."""

from __future__ import annotations

from tests.stacks import Stack, Told, a_platform


def _shared(**limits: int) -> Stack:
    """Two queues of one cohort with a slice each; the first with these limits. The workload takes one slice."""
    return (
        a_platform()
        .set(cohorts=[{"name": "tpu"}])
        .set("queues", 0, cohort="tpu", flavors=[{"name": "v5e-2x4", "chips": 8, **limits}])
        .add("queues", name="applied", cohort="tpu", flavors=[{"name": "v5e-2x4", "chips": 8}])
        .set("workloads", 0, slices=1)
    )


def _fair(stack: Stack) -> Stack:
    return stack.set(controllers={"kueue": {"fair_sharing": True}})


BROKEN: dict[str, tuple[Stack, list[Told]]] = {
    "a cohort that is not declared": (
        _shared().set("queues", 1, cohort="tup"),
        [
            Told(
                rule="cohort-exists",
                place="queues[1].cohort",
                says="no cohort is named tup.",
                remedy="Cohorts: tpu.",
            ),
        ],
    ),
    "a parent that is not declared": (
        _shared().set("cohorts", 0, parent="all"),
        [
            Told(
                rule="cohort-exists",
                place="cohorts[0].parent",
                says="no cohort is named all.",
                remedy="Cohorts: tpu.",
            ),
        ],
    ),
    "two cohorts that are above each other": (
        _shared().set(cohorts=[{"name": "tpu", "parent": "all"}, {"name": "all", "parent": "tpu"}]),
        [
            Told(
                rule="cohorts-are-trees",
                place="cohorts[0].parent",
                says="tpu is above itself: tpu in all in tpu.",
                remedy="Leave out the parent of one of them, which is then the root.",
            ),
            Told(
                rule="cohorts-are-trees",
                place="cohorts[1].parent",
                says="all is above itself: all in tpu in all.",
                remedy="Leave out the parent of one of them, which is then the root.",
            ),
        ],
    ),
    "limits without a cohort": (
        a_platform().set("queues", 0, "flavors", 0, chips=16, borrow=8, lend=0),
        [
            Told(
                rule="limits-need-a-cohort",
                place="queues[0].flavors[0].borrow",
                says="research is in no cohort, so there is nobody to borrow from.",
                remedy="Name its cohort, or remove the key.",
            ),
            Told(
                rule="limits-need-a-cohort",
                place="queues[0].flavors[0].lend",
                says="research is in no cohort, so there is nobody to lend to.",
                remedy="Name its cohort, or remove the key.",
            ),
        ],
    ),
    "lending more than there is": (
        _shared(lend=16),
        [
            Told(
                rule="lend-within-quota",
                place="queues[0].flavors[0].lend",
                says="16 chips are more than the 8 that research has of v5e-2x4.",
                remedy="Set 8 or less, or remove the key: then it lends all that is idle.",
            ),
        ],
    ),
    "borrowing part of a slice": (
        _shared(borrow=4),
        [
            Told(
                rule="limits-are-whole-slices",
                place="queues[0].flavors[0].borrow",
                says="4 chips are not a whole number of 2x4 slices of 8 chips.",
                remedy="Set 0 or 8.",
            ),
        ],
    ),
    "borrowing more than others lend": (
        _shared(borrow=16),
        [
            Told(
                rule="borrow-can-be-met",
                place="queues[0].flavors[0].borrow",
                says="16 chips of v5e-2x4 may be borrowed, but the other queues of tpu lend 8.",
                remedy="Set 8, or remove the key: then it borrows whatever is lent.",
                severity="warning",
            ),
        ],
    ),
    "borrowing what others keep": (
        _shared(borrow=8).set("queues", 1, "flavors", 0, lend=0),
        [
            Told(
                rule="borrow-can-be-met",
                place="queues[0].flavors[0].borrow",
                says="8 chips of v5e-2x4 may be borrowed, but the other queues of tpu lend 0.",
                remedy="Set 0, or remove the key: then it borrows whatever is lent.",
                severity="warning",
            ),
        ],
    ),
    "a weight without fair sharing": (
        _shared().set("queues", 0, fair_share_weight=2),
        [
            Told(
                rule="fair-sharing-is-on",
                place="queues[0].fair_share_weight",
                says="it has no effect: fair sharing is off.",
                remedy="Set fair_sharing: true under controllers.kueue, or remove the key.",
            ),
        ],
    ),
    "a weight without a cohort": (
        _fair(a_platform().set("queues", 0, fair_share_weight=2)),
        [
            Told(
                rule="fair-sharing-is-on",
                place="queues[0].fair_share_weight",
                says="it has no effect: research is in no cohort.",
                remedy="Say which cohort it is in, or remove the key.",
                severity="warning",
            ),
        ],
    ),
    "a weight of a cohort without a parent": (
        _fair(_shared().set("cohorts", 0, fair_share_weight=0.5)),
        [
            Told(
                rule="fair-sharing-is-on",
                place="cohorts[0].fair_share_weight",
                says="it has no effect: tpu is in no cohort.",
                remedy="Say which cohort it is in, or remove the key.",
                severity="warning",
            ),
        ],
    ),
    "taking back without a cohort": (
        a_platform().set("queues", 0, "preemption", reclaim_within_cohort="Any"),
        [
            Told(
                rule="cohort-eviction-works",
                place="queues[0].preemption.reclaim_within_cohort",
                says="Any evicts nothing: research is in no cohort.",
                remedy="Name its cohort, or remove the key.",
                severity="warning",
            ),
        ],
    ),
    "evicting to borrow without a cohort and without taking back": (
        a_platform().set("queues", 0, "preemption", borrow_within_cohort="LowerPriority"),
        [
            Told(
                rule="cohort-eviction-works",
                place="queues[0].preemption.borrow_within_cohort",
                says="LowerPriority evicts nothing: research is in no cohort.",
                remedy="Name its cohort, or remove the key.",
            ),
        ],
    ),
    "evicting to borrow without taking back": (
        _shared().set("queues", 0, "preemption", borrow_within_cohort="LowerPriority"),
        [
            Told(
                rule="cohort-eviction-works",
                place="queues[0].preemption.borrow_within_cohort",
                says="LowerPriority is refused while reclaim_within_cohort is Never.",
                remedy="Set reclaim_within_cohort: Any.",
            ),
        ],
    ),
    "evicting to borrow under fair sharing": (
        _fair(
            _shared().set("queues", 0, "preemption", reclaim_within_cohort="Any", borrow_within_cohort="LowerPriority")
        ),
        [
            Told(
                rule="cohort-eviction-works",
                place="queues[0].preemption.borrow_within_cohort",
                says="LowerPriority has no effect: shares decide where fair sharing is on.",
                remedy="Remove the key.",
            ),
        ],
    ),
    "more slices than a queue has and can borrow": (
        _shared(borrow=8)
        .set("queues", 1, "flavors", 0, lend=0)
        .set("queues", 0, "flavors", 0, borrow=0)
        .set("workloads", 0, slices=2),
        [
            Told(
                rule="workload-can-ever-fit",
                place="workloads[0].slices",
                says="2 slices of v5e-2x4 are 16 chips, but research has 8 and can borrow 0; it would wait for ever.",
                remedy="Ask for 1 slice or fewer, or raise the quota to 16.",
            ),
        ],
    ),
}
SOUND: dict[str, Stack] = {
    "a queue that only lends, without a local queue": a_platform()
    .set(cohorts=[{"name": "lab"}])
    .set("queues", 0, cohort="lab")
    .set("queues", 0, "flavors", 0, chips=8)
    .add("queues", name="lender", cohort="lab", flavors=[{"name": "v5e-2x4", "chips": 8}]),
    "two queues that borrow from each other": _shared(borrow=8, lend=8).set("workloads", 0, slices=2),
    "a workload that needs what others lend": _shared().set("workloads", 0, slices=2),
    "a cohort in a cohort": _shared()
    .set(cohorts=[{"name": "tpu", "parent": "all"}, {"name": "all"}])
    .set("workloads", 0, slices=2),
    "weights under fair sharing": _fair(
        _shared().set("queues", 0, fair_share_weight=0.5).set("queues", 1, fair_share_weight=2)
    ),
    "taking back and evicting to borrow": _shared().set(
        "queues", 0, "preemption", reclaim_within_cohort="Any", borrow_within_cohort="LowerPriority"
    ),
}
