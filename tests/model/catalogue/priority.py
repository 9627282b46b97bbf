"""Priorities and preemption: broken stacks by the rules that find them, and sound ones."""

from __future__ import annotations

from tests.stacks import Stack, a_platform


def _two_priorities(within_cluster_queue: str) -> Stack:
    """The small platform with a workload of each priority in its queue."""
    train = a_platform().set("workloads", 0, slices=1).platform["workloads"][0]
    return (
        a_platform()
        .set("queues", 0, preemption={"within_cluster_queue": within_cluster_queue})
        .set("workloads", 0, slices=1)
        .add("workloads", **{**train, "name": "background", "priority": "low"})
    )


def _two_queues_without_eviction() -> Stack:
    """Two queues that share the chips, each with work of both priorities."""
    stack = _two_priorities("Never").set("queues", 0, "flavors", 0, chips=8)
    stack = stack.add(
        "queues", name="second", flavors=[{"name": "v5e-2x4", "chips": 8}], local_queues=[{"name": "second"}]
    )
    for name, priority in (("third", "normal"), ("fourth", "low")):
        train = stack.platform["workloads"][0]
        stack = stack.add("workloads", **{**train, "name": name, "queue": "second", "priority": priority})
    return stack


BROKEN: dict[str, dict[str, Stack]] = {
    "priority-is-users": {
        "a name of the system": a_platform()
        .set("priorities", 0, name="system-high")
        .set("workloads", 0, priority="system-high"),
        "a value of the system": a_platform().set("priorities", 0, value=1_000_000_001),
    },
    "preemption-has-a-victim": {
        "eviction with one priority": a_platform().drop("priorities", 1),
        "eviction with two priorities of one value": a_platform().set("priorities", 1, value=1000),
    },
    "priorities-preempt": {
        "two priorities and no eviction": _two_priorities("Never"),
        "two queues of two priorities each and no eviction": _two_queues_without_eviction(),
        "a priority beside none and no eviction": a_platform()
        .set("queues", 0, preemption={})
        .set("workloads", 0, slices=1)
        .add(
            "workloads", **{**a_platform().drop("workloads", 0, "priority").platform["workloads"][0], "name": "plain"}
        ),
    },
    "run-states-its-priority": {
        "no priority, where every class evicts it": a_platform().drop("workloads", 0, "priority"),
        "no priority, where what is newer is evicted too": a_platform()
        .drop("workloads", 0, "priority")
        .set("priorities", 1, value=1)
        .set("queues", 0, preemption={"within_cluster_queue": "LowerOrNewerEqualPriority"}),
    },
}
SOUND: dict[str, Stack] = {
    "the largest value of users": a_platform().set("priorities", 0, value=1_000_000_000),
    "a negative value": a_platform().set("priorities", 1, value=-100),
    "two priorities and eviction": _two_priorities("LowerPriority"),
    "one priority in use and no eviction": a_platform().set("queues", 0, preemption={}),
    "eviction of what is newer needs one priority only": a_platform()
    .drop("priorities", 1)
    .set("queues", 0, preemption={"within_cluster_queue": "LowerOrNewerEqualPriority"}),
    "no priority, where a class is as low": a_platform().drop("workloads", 0, "priority").set("priorities", 1, value=0),
    "no priority, where nothing is evicted": a_platform()
    .drop("workloads", 0, "priority")
    .set("queues", 0, preemption={}),
}
