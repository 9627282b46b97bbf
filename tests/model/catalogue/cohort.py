"""Cohorts, borrowing and shares: broken stacks by the rules that find them, and sound ones."""

from __future__ import annotations

from tests.stacks import Stack, a_platform


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


BROKEN: dict[str, dict[str, Stack]] = {
    "cohort-exists": {
        "a cohort that is not declared": _shared().set("queues", 1, cohort="tup"),
        "a parent that is not declared": _shared().set("cohorts", 0, parent="all"),
    },
    "cohorts-are-trees": {
        "two cohorts that are above each other": _shared().set(
            cohorts=[{"name": "tpu", "parent": "all"}, {"name": "all", "parent": "tpu"}]
        ),
    },
    "limits-need-a-cohort": {
        "limits without a cohort": a_platform().set("queues", 0, "flavors", 0, chips=16, borrow=8, lend=0),
    },
    "lend-within-quota": {
        "lending more than there is": _shared(lend=16),
    },
    "limits-are-whole-slices": {
        "borrowing part of a slice": _shared(borrow=4),
    },
    "borrow-can-be-met": {
        "borrowing more than others lend": _shared(borrow=16),
        "borrowing what others keep": _shared(borrow=8).set("queues", 1, "flavors", 0, lend=0),
    },
    "fair-sharing-is-on": {
        "a weight without fair sharing": _shared().set("queues", 0, fair_share_weight=2),
        "a weight without a cohort": _fair(a_platform().set("queues", 0, fair_share_weight=2)),
        "a weight of a cohort without a parent": _fair(_shared().set("cohorts", 0, fair_share_weight=0.5)),
    },
    "cohort-eviction-works": {
        "taking back without a cohort": a_platform().set("queues", 0, "preemption", reclaim_within_cohort="Any"),
        "evicting to borrow without a cohort and without taking back": a_platform().set(
            "queues", 0, "preemption", borrow_within_cohort="LowerPriority"
        ),
        "evicting to borrow without taking back": _shared().set(
            "queues", 0, "preemption", borrow_within_cohort="LowerPriority"
        ),
        "evicting to borrow under fair sharing": _fair(
            _shared().set("queues", 0, "preemption", reclaim_within_cohort="Any", borrow_within_cohort="LowerPriority")
        ),
    },
    "workload-can-ever-fit": {
        "more slices than a queue has and can borrow": _shared(borrow=8)
        .set("queues", 1, "flavors", 0, lend=0)
        .set("queues", 0, "flavors", 0, borrow=0)
        .set("workloads", 0, slices=2),
    },
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
