"""Who gets quota: borrowing, lending, reclaim, priorities, cohorts, fair sharing, flavors, orders of queues."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.rehearsal.generated import FAIR_SHARING
from tests.rehearsal.platforms import asked, cluster_queue, cohort, held, queues, rehearsal
from tests.rehearsal.told import story, words

if TYPE_CHECKING:
    from pathlib import Path

RECLAIM = {"reclaimWithinCohort": "Any", "withinClusterQueue": "LowerPriority"}


def test_a_queue_borrows_and_its_owner_takes_the_quota_back(command: Path) -> None:
    platform = queues(cluster_queue("a", {"v5e": 8}, "all", preemption=RECLAIM), cluster_queue("b", {"v5e": 8}, "all"))
    assert story(rehearsal(platform, [asked("big", "b", 16, at=1), asked("own", "a", 8, at=10)]), command) == [
        (1, "big", "admitted: v5e"),
        (10, "big", "evicted: Preempted for own"),
        (10, "own", "admitted: v5e"),
        (110, "own", "finished"),
        (111, "big", "admitted: v5e"),
        (211, "big", "finished"),
    ]


def test_a_borrowing_limit_holds(command: Path) -> None:
    platform = queues(
        cluster_queue("a", {"v5e": 8}, "all"), cluster_queue("b", {"v5e": 8}, "all", limits={"borrowingLimit": 4})
    )
    told = rehearsal(platform, [asked("more", "b", 16, at=1), asked("less", "b", 12, at=2)])
    assert story(told, command) == [(2, "less", "admitted: v5e"), (102, "less", "finished"), (100_000, "more", "never")]
    [said] = words(told, command, "more")
    assert said.endswith("current podset request (16) > maximum capacity (12)")


def test_a_lending_limit_holds(command: Path) -> None:
    platform = queues(
        cluster_queue("a", {"v5e": 8}, "all", limits={"lendingLimit": 2}), cluster_queue("b", {"v5e": 8}, "all")
    )
    told = rehearsal(platform, [asked("more", "b", 16, at=1), asked("less", "b", 10, at=2)])
    assert story(told, command)[0] == (2, "less", "admitted: v5e")


def test_a_higher_priority_evicts_the_lower_one_and_loses_nothing_saved(command: Path) -> None:
    platform = queues(cluster_queue("a", {"v5e": 8}, preemption={"withinClusterQueue": "LowerPriority"}))
    low = asked("low", "a", 8, at=1, runs=100).model_copy(update={"checkpoint": 20})
    told = rehearsal(platform, [low, asked("high", "a", 8, at=51, priority=100)]).model_copy(update={"eviction": 30})
    assert story(told, command) == [
        (1, "low", "admitted: v5e"),
        (51, "low", "evicted: Preempted for high"),
        (81, "high", "admitted: v5e"),  # when the pods of the evicted job have ended
        (181, "high", "finished"),
        (182, "low", "admitted: v5e"),
        (242, "low", "finished"),  # 60 s are left of 100: the checkpoint is of second 40
    ]


def test_cohorts_lend_across_a_tree(command: Path) -> None:
    platform = (
        cohort("left", "root"),
        cohort("right", "root"),
        *queues(cluster_queue("a", {"v5e": 8}, "left"), cluster_queue("b", {"v5e": 8}, "right")),
    )
    assert story(rehearsal(platform, [asked("both", "a", 16, at=1)]), command)[0] == (1, "both", "admitted: v5e")


def test_fair_sharing_evicts_from_who_has_more_than_their_share(command: Path) -> None:
    names = ("a", "b", "c")
    platform = queues(*(cluster_queue(each, {"v5e": 4}, "all", preemption=RECLAIM) for each in names))
    jobs = [asked(f"a{i}", "a", 3, at=1 + i, runs=None) for i in range(4)]
    told = rehearsal(platform, [*jobs, asked("b0", "b", 3, at=20, runs=None), asked("b1", "b", 3, at=30, runs=None)])
    told = told.model_copy(update={"configuration": FAIR_SHARING, "until": 100})
    assert [line for line in story(told, command) if line[1].startswith("b") or "evicted" in line[2]] == [
        (20, "a3", "evicted: Preempted for b0"),
        (20, "b0", "admitted: v5e"),
        (30, "a2", "evicted: Preempted for b1"),
        (30, "b1", "admitted: v5e"),
        (100, "b0", "running"),
        (100, "b1", "running"),
    ]


def test_the_next_flavor_is_taken_when_the_first_is_full(command: Path) -> None:
    platform = queues(cluster_queue("a", {"v5e": 8, "v6e": 8}))
    told = rehearsal(platform, [asked(f"job{i}", "a", 8, at=1 + i) for i in range(3)], flavors=("v5e", "v6e"))
    assert story(told, command)[:4] == [
        (1, "job0", "admitted: v5e"),
        (2, "job1", "admitted: v6e"),
        (101, "job0", "finished"),
        (102, "job2", "admitted: v5e"),
    ]


def test_a_strict_queue_lets_nobody_pass_and_another_does(command: Path) -> None:
    jobs = [asked("runs", "a", 4, at=1), asked("large", "a", 8, at=2), asked("small", "a", 4, at=3)]
    strict = queues(cluster_queue("a", {"v5e": 8}, queueingStrategy="StrictFIFO"))
    assert [name for _, name, event in story(rehearsal(strict, jobs), command) if "admitted" in event] == [
        "runs",
        "large",
        "small",
    ]
    assert [name for _, name, _ in story(rehearsal(queues(cluster_queue("a", {"v5e": 8})), jobs), command)][:2] == [
        "runs",
        "small",
    ]


def test_open_workloads_hold_their_quota_and_end_in_time(command: Path) -> None:
    platform = queues(cluster_queue("a", {"v5e": 8}))
    waits = asked("waits", "a", 8, at=-50)
    told = rehearsal(platform, [held("old", "a", 8, since=-60, runs=100), waits, asked("new", "a", 8, at=5)])
    assert story(told, command) == [
        (-60, "old", "admitted: v5e"),
        (40, "old", "finished"),
        (41, "waits", "admitted: v5e"),
        (141, "waits", "finished"),
        (142, "new", "admitted: v5e"),
        (242, "new", "finished"),
    ]
