"""What stops, delays or ends Workloads: drained queues, pods that are not ready, checks, nodes that come late."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.rehearsal.platforms import TPU, asked, cluster_queue, held, local_queue, named, queues, rehearsal
from tests.rehearsal.told import story, words
from tpu.rehearsal.document import Capacity, Change, Object, Stock

if TYPE_CHECKING:
    from pathlib import Path


def configuration(**wait: object) -> Object:
    """Kueue's configuration with waitForPodsReady."""
    return {
        "apiVersion": "config.kueue.x-k8s.io/v1beta2",
        "kind": "Configuration",
        "waitForPodsReady": {"timeout": "300s", **wait},
    }


def test_a_queue_on_hold_admits_nothing_until_it_is_released(command: Path) -> None:
    queue = cluster_queue("a", {"v5e": 8}, stopPolicy="Hold")
    told = rehearsal(queues(queue), [held("runs", "a", 4, since=-10, runs=60), asked("waits", "a", 4, at=5)])
    told = told.model_copy(update={"changes": (Change(at=500, object=cluster_queue("a", {"v5e": 8})),)})
    assert story(told, command) == [
        (-10, "runs", "admitted: v5e"),
        (50, "runs", "finished"),
        (500, "waits", "admitted: v5e"),
        (600, "waits", "finished"),
    ]


def test_a_drained_queue_evicts_and_requeues_when_it_is_restarted(command: Path) -> None:
    drained = cluster_queue("a", {"v5e": 8}, stopPolicy="HoldAndDrain")
    changes = (Change(at=50, object=drained), Change(at=200, object=cluster_queue("a", {"v5e": 8})))
    told = rehearsal(queues(cluster_queue("a", {"v5e": 8})), [asked("job", "a", 4, at=1)])
    assert story(told.model_copy(update={"changes": changes}), command) == [
        (1, "job", "admitted: v5e"),
        (50, "job", "evicted: ClusterQueueStopped"),
        (200, "job", "admitted: v5e"),
        (300, "job", "finished"),
    ]


def test_a_drained_local_queue_stops_only_its_own(command: Path) -> None:
    changes = (
        Change(at=50, object=local_queue("a", stopPolicy="HoldAndDrain")),
        Change(at=400, object=local_queue("a")),
    )
    platform = queues(cluster_queue("a", {"v5e": 8}), cluster_queue("b", {"v5e": 8}))
    told = rehearsal(platform, [asked("job", "a", 4, at=1), asked("other", "b", 4, at=2)])
    assert story(told.model_copy(update={"changes": changes}), command) == [
        (1, "job", "admitted: v5e"),
        (2, "other", "admitted: v5e"),
        (50, "job", "evicted: LocalQueueStopped"),
        (102, "other", "finished"),
        (400, "job", "admitted: v5e"),
        (500, "job", "finished"),
    ]


def test_a_changed_quota_lets_in_who_waits(command: Path) -> None:
    told = rehearsal(queues(cluster_queue("a", {"v5e": 4})), [asked("job", "a", 8, at=1)])
    told = told.model_copy(update={"changes": (Change(at=1000, object=cluster_queue("a", {"v5e": 8})),)})
    assert story(told, command)[0] == (1001, "job", "admitted: v5e")


def test_pods_that_are_not_ready_are_evicted_and_come_back_after_a_growing_time(command: Path) -> None:
    strategy = {"timestamp": "Eviction", "backoffBaseSeconds": 60, "backoffMaxSeconds": 3600, "backoffLimitCount": 2}
    told = rehearsal(queues(cluster_queue("a", {"v5e": 8})), [asked("job", "a", 8, at=1)]).model_copy(
        update={
            "configuration": configuration(requeuingStrategy=strategy),
            "capacity": (Capacity(flavor="v5e", resource=TPU, stock=(Stock(at=0, amount=0),)),),
        }
    )
    assert story(told, command) == [
        (1, "job", "admitted: v5e"),
        (301, "job", "evicted: PodsReadyTimeout"),
        (361, "job", "admitted: v5e"),
        (661, "job", "evicted: PodsReadyTimeout"),
        (781, "job", "admitted: v5e"),
        (1081, "job", "deactivated"),
        (1081, "job", "evicted: DeactivatedDueToRequeuingLimitExceeded"),
        (100_000, "job", "never"),
    ]


def test_admission_is_blocked_until_pods_are_ready(command: Path) -> None:
    told = rehearsal(
        queues(cluster_queue("a", {"v5e": 8}), cluster_queue("b", {"v5e": 8})),
        [asked("first", "a", 8, at=1), asked("second", "b", 8, at=2)],
    ).model_copy(
        update={
            "configuration": configuration(blockAdmission=True),
            "capacity": (Capacity(flavor="v5e", resource=TPU, startup=120),),
        }
    )
    assert story(told, command)[:2] == [(1, "first", "admitted: v5e"), (121, "second", "admitted: v5e")]


def test_a_rehearsal_can_end_while_admission_is_blocked(command: Path) -> None:
    pair = [asked("first", "a", 4, at=1), asked("second", "a", 4, at=2)]
    late = (Capacity(flavor="v5e", resource=TPU, startup=120),)
    blocked = rehearsal(queues(cluster_queue("a", {"v5e": 8})), pair, until=60).model_copy(
        update={"configuration": configuration(blockAdmission=True), "capacity": late}
    )
    assert story(blocked, command) == [(1, "first", "admitted: v5e"), (60, "first", "reserved")]


def test_nodes_come_when_there_is_stock_in_the_order_of_requests(command: Path) -> None:
    stock = (Stock(at=0, amount=8), Stock(at=1000, amount=16))
    told = rehearsal(
        queues(cluster_queue("a", {"v5e": 32})),
        [asked(name, "a", 8, at=1 + i, runs=500) for i, name in enumerate(("x", "y", "z"))],
    ).model_copy(update={"capacity": (Capacity(flavor="v5e", resource=TPU, queue=60, startup=30, stock=stock),)})
    assert [line for line in story(told, command) if line[2] == "finished"] == [
        (591, "x", "finished"),  # asked at 1, nodes after 90 s
        (1181, "y", "finished"),  # nodes are ordered when x has ended
        (1590, "z", "finished"),  # and these when there is more stock
    ]


def test_a_check_that_provisions_nodes_is_ready_with_them_and_another_after_its_time(command: Path) -> None:
    checks = [
        named("AdmissionCheck", "nodes", {"controllerName": "kueue.x-k8s.io/provisioning-request"}),
        named("AdmissionCheck", "budget", {"controllerName": "example.com/budget"}),
    ]
    strategy = {"admissionChecks": [{"name": "nodes"}, {"name": "budget"}]}
    told = rehearsal(
        [*checks, *queues(cluster_queue("a", {"v5e": 8}, admissionChecksStrategy=strategy))],
        [asked("job", "a", 8, at=1)],
    ).model_copy(
        update={"capacity": (Capacity(flavor="v5e", resource=TPU, queue=600, startup=60),), "checks": {"budget": 30}}
    )
    assert story(told, command) == [
        (1, "job", "reserved"),
        (661, "job", "admitted: v5e"),
        (761, "job", "finished"),
    ]


def test_a_job_that_exceeds_its_stated_time_is_deactivated(command: Path) -> None:
    job = asked("job", "a", 8, at=1, runs=500)
    spec = job.workload["spec"]
    limited = {**job.workload, "spec": {**spec, "maximumExecutionTimeSeconds": 60}}
    told = rehearsal(queues(cluster_queue("a", {"v5e": 8})), [job.model_copy(update={"workload": limited})])
    assert story(told, command)[:3] == [
        (1, "job", "admitted: v5e"),
        (61, "job", "deactivated"),
        (61, "job", "evicted: DeactivatedDueToMaximumExecutionTimeExceeded"),
    ]


def test_a_job_of_unknown_length_runs_to_the_end(command: Path) -> None:
    told = rehearsal(queues(cluster_queue("a", {"v5e": 8})), [asked("job", "a", 8, at=1, runs=None)], until=50)
    assert story(told, command) == [(1, "job", "admitted: v5e"), (50, "job", "running")]


def test_who_waits_hears_kueues_own_words(command: Path) -> None:
    told = rehearsal(
        queues(cluster_queue("a", {"v5e": 8})), [asked("job", "a", 8, at=1), asked("next", "a", 8, at=2)], until=50
    )
    fits = "insufficient unused quota for google.com/tpu in flavor v5e, 8 more needed"
    assert words(told, command, "next") == [f"couldn't assign flavors to pod set main: {fits}"] * 2
