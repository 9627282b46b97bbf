"""Following until the workloads have settled: ended, stuck, running, out of time, or lost."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Final

import pytest

from components.kubeapi import Document, UnreachableError
from tests.watch.cluster import FakeCluster
from tests.watch.jobs import BACKED_OFF, ORDERED, OUT_OF_STOCK, TOO_FEW, a_job, a_pod, a_workload, said
from tests.watch.records import condition
from tpu.watch import follow as follow_module
from tpu.watch.follow import Followed, follow
from tpu.watch.states import job_states

if TYPE_CHECKING:
    from collections.abc import Callable

_SECONDS: Final = 10.0
"""Real time after which a wait in a test has failed."""


@pytest.fixture(autouse=True)
def _hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """What takes 15 s in life takes a tenth of a second here."""
    monkeypatch.setattr(follow_module, "_QUIET_SECONDS", 0.1)
    monkeypatch.setattr(follow_module, "_VERDICT_SECONDS", 0.3)
    monkeypatch.setattr(follow_module, "_GATHER_SECONDS", 0.01)
    monkeypatch.setattr("components.kubeapi.informers._RELIST_SECONDS", 0.001)


def a_cluster(jobs: list[Document], *pods: Document) -> FakeCluster:
    """A cluster with those JobSets and pods, without Kueue's Workloads."""
    return FakeCluster(jobsets=jobs, jobs=[], pods=list(pods), events=[])


def words(followed: Followed) -> dict[str, str]:
    """What the jobs did in the end."""
    return {job: state.word for job, state in job_states(followed.record).items()}


def followed_in_thread(cluster: FakeCluster) -> tuple[threading.Thread, list[Followed]]:
    """Follow without holding up the test; the result comes into the list."""
    ended: list[Followed] = []
    thread = threading.Thread(
        target=lambda: ended.append(follow(cluster.api, timeout=_SECONDS, report=lambda _: None)), daemon=True
    )
    thread.start()
    return thread, ended


def test_what_has_ended_is_settled_at_once() -> None:
    told: list[str] = []
    cluster = a_cluster([a_job("a", "Completed"), a_job("b", "Failed")])
    followed = follow(cluster.api, timeout=_SECONDS, report=told.append)
    assert words(followed) == {"a": "finished", "b": "failed"}
    assert followed.is_settled
    assert told == ["2 jobs: 1 failed, 1 finished"]


def test_an_end_that_kueue_has_not_written_yet_is_awaited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follow_module, "_QUIET_SECONDS", _SECONDS)
    cluster = FakeCluster(jobsets=[a_job("a", "Completed")], jobs=[], pods=[], events=[], workloads=[a_workload("a")])
    thread, ended = followed_in_thread(cluster)
    thread.join(0.3)
    assert thread.is_alive()
    written = a_workload("a", condition("Finished", 5))
    cluster.change("workloads", [written])
    thread.join(_SECONDS)
    assert [followed.record.workloads for followed in ended] == [[written]]


def test_no_jobs_are_settled_whatever_services_run() -> None:
    told: list[str] = []
    redis = {"metadata": {"name": "redis"}, "spec": {"replicas": 1}}
    pod = {"metadata": {"name": "redis-0"}, "spec": {"nodeName": "n1"}, "status": {"phase": "Running"}}
    cluster = FakeCluster(pods=[pod], events=[], statefulsets=[redis])
    assert follow(cluster.api, timeout=_SECONDS, report=told.append).is_settled
    assert told == ["no jobs"]


def test_a_running_job_is_followed_to_its_end_and_each_change_is_told_once() -> None:
    told: list[str] = []
    steps: list[Callable[[], None]] = []

    def report(line: str) -> None:
        told.append(line)
        if steps:
            steps.pop(0)()

    cluster = a_cluster([a_job("a"), a_job("b")])
    steps += [
        lambda: cluster.change("pods", [a_pod("a", "Running", "n1")]),
        lambda: cluster.change("jobsets", [a_job("a", "Completed"), a_job("b")]),
        lambda: cluster.change("jobsets", [a_job("a", "Completed"), a_job("b", "Completed")]),
    ]
    followed = follow(cluster.api, timeout=_SECONDS, report=report)
    assert told == [
        "2 jobs: 2 waiting",
        "2 jobs: 1 running, 1 waiting",
        "2 jobs: 1 finished, 1 waiting",
        "2 jobs: 2 finished",
    ]
    assert words(followed) == {"a": "finished", "b": "finished"}


def test_what_waits_while_nothing_runs_is_stuck_after_a_while() -> None:
    began = time.monotonic()
    followed = follow(a_cluster([a_job("a", "Completed"), a_job("b")]).api, timeout=_SECONDS, report=lambda _: None)
    assert followed.is_settled
    assert words(followed) == {"a": "finished", "b": "waiting"}
    assert time.monotonic() - began >= 0.1, "the quiet time was not waited for"


@pytest.mark.parametrize(
    ("pods", "events", "workloads"),
    [
        ([a_pod("a", "Running", "n1")], [], []),
        ([a_pod("a")], said("a", ("TriggeredScaleUp", ORDERED)), []),
        ([a_pod("a", nominatedNodeName="n1")], [], []),
        ([], [], [a_workload("a", condition("QuotaReserved", 1))]),
    ],
    ids=["a pod runs", "nodes are ordered", "room is made", "checks go on"],
)
def test_what_goes_on_is_not_stuck(pods: list[Document], events: list[Document], workloads: list[Document]) -> None:
    cluster = FakeCluster(jobsets=[a_job("a"), a_job("b")], jobs=[], pods=pods, events=events, workloads=workloads)
    thread, ended = followed_in_thread(cluster)
    thread.join(0.6)
    assert thread.is_alive(), "several quiet times are over and it must still wait"
    cluster.change("jobsets", [a_job("a", "Completed"), a_job("b", "Completed")])
    thread.join(_SECONDS)
    assert [words(followed) for followed in ended] == [{"a": "finished", "b": "finished"}]


def test_capacity_that_is_out_of_stock_settles_with_the_reason() -> None:
    told: list[str] = []
    events = said(
        "a", ("TriggeredScaleUp", ORDERED), ("FailedScaleUp", OUT_OF_STOCK), ("NotTriggerScaleUp", BACKED_OFF)
    )
    cluster = FakeCluster(jobsets=[a_job("a")], jobs=[], pods=[a_pod("a")], events=events)
    followed = follow(cluster.api, timeout=_SECONDS, report=told.append)
    assert followed.is_settled
    assert told == ["1 job: 1 waiting", f"  a waits for capacity: {OUT_OF_STOCK}"]
    assert job_states(followed.record)["a"].why == f"waits for capacity: {OUT_OF_STOCK}"


def test_orders_that_fail_again_and_again_are_not_waited_for() -> None:
    failed, ordered = ("FailedScaleUp", OUT_OF_STOCK), ("TriggeredScaleUp", ORDERED)
    cluster = FakeCluster(jobsets=[a_job("a")], jobs=[], pods=[a_pod("a")], events=said("a", failed, ordered))
    thread, ended = followed_in_thread(cluster)
    thread.join(0.6)
    assert thread.is_alive(), "nodes are ordered again: they may come this time"
    cluster.change("events", said("a", failed, failed, failed, ordered))
    thread.join(_SECONDS)
    assert [followed.is_settled for followed in ended] == [True]


def test_capacity_comes_back_and_the_job_is_followed_to_its_end() -> None:
    failed, ordered = ("FailedScaleUp", OUT_OF_STOCK), ("TriggeredScaleUp", ORDERED)
    cluster = FakeCluster(jobsets=[a_job("a")], jobs=[], pods=[a_pod("a")], events=said("a", failed, ordered))
    thread, ended = followed_in_thread(cluster)
    cluster.change("pods", [a_pod("a", "Running", "n1")])
    thread.join(0.6)
    assert thread.is_alive()
    cluster.change("jobsets", [a_job("a", "Completed")])
    thread.join(_SECONDS)
    assert [words(followed) for followed in ended] == [{"a": "finished"}]


def test_a_cluster_that_changes_all_the_time_is_looked_at_all_the_same() -> None:
    enough = threading.Event()
    cluster = a_cluster([a_job("a", suspend=True)])

    def change() -> None:
        while not enough.wait(0.002):
            cluster.change("pods", [a_pod("b", "Running", "n1")])

    threading.Thread(target=change, daemon=True).start()
    try:
        assert follow(cluster.api, timeout=_SECONDS, report=lambda _: None).is_settled
    finally:
        enough.set()


def test_pods_of_which_no_autoscaler_spoke_are_given_more_time() -> None:
    told: list[str] = []
    began = time.monotonic()
    cluster = a_cluster([a_job("a")], a_pod("a"))
    assert follow(cluster.api, timeout=_SECONDS, report=told.append).is_settled
    assert time.monotonic() - began >= 0.3, "the longer quiet time was not waited for"
    assert told[-1] == f"  a waits for capacity: {TOO_FEW}"


def test_nodes_that_are_gone_keep_their_pool() -> None:
    node = {"metadata": {"name": "n1", "labels": {"cloud.google.com/gke-nodepool": "np1"}}}
    cluster = a_cluster([a_job("a")], a_pod("a", "Running", "n1"))
    cluster.change("nodes", [node])

    def end(_: str) -> None:
        cluster.change("nodes", [])
        cluster.change("jobsets", [a_job("a", "Completed")])

    followed = follow(cluster.api, timeout=_SECONDS, report=end)
    assert (followed.record.nodes, followed.record.node_pools) == ([], {"n1": "np1"})


def test_the_record_is_returned_as_it_is_when_the_time_is_over() -> None:
    cluster = a_cluster([a_job("a")], a_pod("a", "Running", "n1"))
    followed = follow(cluster.api, timeout=0.25, report=lambda _: None)
    assert (words(followed), followed.is_settled) == ({"a": "running"}, False)


def test_a_server_that_goes_away_ends_it() -> None:
    cluster = a_cluster([a_job("a")], a_pod("a", "Running", "n1"))
    with pytest.raises(UnreachableError, match="it is gone"):
        follow(cluster.api, timeout=_SECONDS, report=lambda _: cluster.lose())
