"""Priorities and preemption: broken stacks with their findings, and sound ones."""

from __future__ import annotations

from tests.stacks import Stack, Told, a_platform


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


BROKEN: dict[str, tuple[Stack, list[Told]]] = {
    "a name of the system": (
        a_platform().set("priorities", 0, name="system-high").set("workloads", 0, priority="system-high"),
        [
            Told(
                rule="priority-is-users",
                place="priorities[0].name",
                says="names that begin with system- belong to the system.",
                remedy="Such as high.",
            ),
        ],
    ),
    "a value of the system": (
        a_platform().set("priorities", 0, value=1_000_000_001),
        [
            Told(
                rule="priority-is-users",
                place="priorities[0].value",
                says="1000000001 is above 1000000000; higher values belong to the system.",
                remedy="Set 1000000000 or less.",
            ),
        ],
    ),
    "eviction with one priority": (
        a_platform().drop("priorities", 1),
        [
            Told(
                rule="preemption-has-a-victim",
                place="queues[0].preemption.within_cluster_queue",
                says="LowerPriority evicts nothing: there are no two priorities of different value.",
                remedy="Declare priorities such as {name: normal, value: 1000} and {name: low, value: 100}.",
                severity="warning",
            ),
        ],
    ),
    "eviction with two priorities of one value": (
        a_platform().set("priorities", 1, value=1000),
        [
            Told(
                rule="preemption-has-a-victim",
                place="queues[0].preemption.within_cluster_queue",
                says="LowerPriority evicts nothing: there are no two priorities of different value.",
                remedy="Declare priorities such as {name: normal, value: 1000} and {name: low, value: 100}.",
                severity="warning",
            ),
        ],
    ),
    "two priorities and no eviction": (
        _two_priorities("Never"),
        [
            Told(
                rule="priorities-preempt",
                place="queues[0].preemption.within_cluster_queue",
                says="work of research has priorities 100 and 1000, but nothing is evicted in it.",
                remedy="Set within_cluster_queue: LowerPriority if higher priorities should not wait for lower ones.",
                severity="warning",
            ),
        ],
    ),
    "two queues of two priorities each and no eviction": (
        _two_queues_without_eviction(),
        [
            Told(
                rule="priorities-preempt",
                place=f"queues[{index}].preemption.within_cluster_queue",
                says=f"work of {name} has priorities 100 and 1000, but nothing is evicted in it.",
                remedy="Set within_cluster_queue: LowerPriority if higher priorities should not wait for lower ones.",
                severity="warning",
            )
            for index, name in enumerate(("research", "second"))
        ],
    ),
    "a priority beside none and no eviction": (
        a_platform()
        .set("queues", 0, preemption={})
        .set("workloads", 0, slices=1)
        .add(
            "workloads", **{**a_platform().drop("workloads", 0, "priority").platform["workloads"][0], "name": "plain"}
        ),
        [
            Told(
                rule="priorities-preempt",
                place="queues[0].preemption.within_cluster_queue",
                says="work of research has priorities 0 and 1000, but nothing is evicted in it.",
                remedy="Set within_cluster_queue: LowerPriority if higher priorities should not wait for lower ones.",
                severity="warning",
            ),
        ],
    ),
    "no priority, where every class evicts it": (
        a_platform().drop("workloads", 0, "priority"),
        [
            Told(
                rule="run-states-its-priority",
                place="workloads[0].priority",
                says="none, which counts as 0, and runs of normal (1000) and low (100) evict it in research.",
                remedy="Name one of normal and low.",
                severity="warning",
            ),
        ],
    ),
    "no priority, where what is newer is evicted too": (
        a_platform()
        .drop("workloads", 0, "priority")
        .set("priorities", 1, value=1)
        .set("queues", 0, preemption={"within_cluster_queue": "LowerOrNewerEqualPriority"}),
        [
            Told(
                rule="run-states-its-priority",
                place="workloads[0].priority",
                says="none, which counts as 0, and runs of normal (1000) and low (1) evict it in research.",
                remedy="Name one of normal and low.",
                severity="warning",
            ),
        ],
    ),
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
