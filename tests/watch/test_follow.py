"""Following until the workloads have settled: finished, stuck, running, out of time, or lost."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Final

import pytest

from kubeapi import UnreachableError
from tests.watch.cluster import FakeCluster
from tests.watch.records import Story
from watch import follow as follow_module
from watch.follow import follow, job_states

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubeapi import Document

_SECONDS: Final = 10.0
"""Real time after which a wait in a test has failed."""


@pytest.fixture(autouse=True)
def _hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """What takes 15 s in life takes a tenth of a second here."""
    monkeypatch.setattr(follow_module, "_QUIET_SECONDS", 0.1)
    monkeypatch.setattr(follow_module, "_GATHER_SECONDS", 0.01)


def a_job(name: str, condition: str | None = None) -> Document:
    """A JobSet, finished when it has a condition."""
    conditions = [{"type": condition, "status": "True"}] if condition else []
    metadata = {"name": name, "creationTimestamp": "2026-11-21T02:33:50Z", "resourceVersion": "1"}
    return {"metadata": metadata, "status": {"conditions": conditions}}


def a_pod(job: str, phase: str, node: str | None = "n1", label: str = "jobset.sigs.k8s.io/jobset-name") -> Document:
    """A pod of a job."""
    metadata = {"name": f"{job}-0", "labels": {label: job}}
    return {"metadata": metadata, "spec": {"nodeName": node}, "status": {"phase": phase}}


def a_cluster(jobs: list[Document], *pods: Document) -> FakeCluster:
    """A cluster with those JobSets and pods, without Kueue's Workloads."""
    return FakeCluster(jobsets=jobs, jobs=[], pods=list(pods), events=[])


def test_what_is_finished_is_settled_at_once() -> None:
    told: list[str] = []
    cluster = a_cluster([a_job("a", "Completed"), a_job("b", "Failed")])
    record = follow(cluster.api, timeout=_SECONDS, report=told.append)
    assert [job["metadata"]["name"] for job in record.jobs] == ["a", "b"]
    assert told == ["2 jobs: 2 finished"]


def test_no_jobs_are_settled() -> None:
    told: list[str] = []
    follow(FakeCluster(pods=[], events=[]).api, timeout=_SECONDS, report=told.append)
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
        lambda: cluster.change("pods", [a_pod("a", "Running")]),
        lambda: cluster.change("jobsets", [a_job("a", "Completed"), a_job("b")]),
        lambda: cluster.change("jobsets", [a_job("a", "Completed"), a_job("b", "Completed")]),
    ]
    record = follow(cluster.api, timeout=_SECONDS, report=report)
    assert told == [
        "2 jobs: 2 waiting",
        "2 jobs: 1 running, 1 waiting",
        "2 jobs: 1 finished, 1 waiting",
        "2 jobs: 2 finished",
    ]
    assert job_states(record) == {"a": "finished", "b": "finished"}


def test_what_waits_while_nothing_runs_is_stuck_after_a_while() -> None:
    began = time.monotonic()
    cluster = a_cluster([a_job("a", "Completed"), a_job("b")])
    record = follow(cluster.api, timeout=_SECONDS, report=lambda _: None)
    assert job_states(record) == {"a": "finished", "b": "waiting"}
    assert 0.1 <= time.monotonic() - began < _SECONDS / 2


def test_what_waits_while_something_runs_is_not_stuck() -> None:
    cluster = a_cluster([a_job("a"), a_job("b")], a_pod("a", "Running"))
    ended: list[dict[str, str]] = []
    thread = threading.Thread(
        target=lambda: ended.append(job_states(follow(cluster.api, timeout=_SECONDS, report=lambda _: None)))
    )
    thread.start()
    thread.join(0.4)
    assert thread.is_alive(), "several quiet times are over and it must still wait"
    cluster.change("jobsets", [a_job("a", "Completed"), a_job("b", "Completed")])
    thread.join(_SECONDS)
    assert ended == [{"a": "finished", "b": "finished"}]


def test_the_record_is_returned_as_it_is_when_the_time_is_over() -> None:
    began = time.monotonic()
    cluster = a_cluster([a_job("a")], a_pod("a", "Running"))
    record = follow(cluster.api, timeout=0.25, report=lambda _: None)
    assert job_states(record) == {"a": "running"}
    assert 0.25 <= time.monotonic() - began < 1.0


def test_a_server_that_goes_away_ends_it() -> None:
    cluster = a_cluster([a_job("a")], a_pod("a", "Running"))
    with pytest.raises(UnreachableError, match="it is gone"):
        follow(cluster.api, timeout=_SECONDS, report=lambda _: cluster.lose())


@pytest.mark.parametrize(
    ("pod", "state"),
    [
        (a_pod("a", "Pending"), "running"),
        (a_pod("a", "Running", label="batch.kubernetes.io/job-name"), "running"),
        (a_pod("a", "Pending", node=None), "waiting"),
        (a_pod("a", "Succeeded"), "waiting"),
        (a_pod("b", "Running"), "waiting"),
    ],
)
def test_a_job_runs_while_it_has_a_pod_on_a_node(pod: Document, state: str) -> None:
    assert job_states(Story().record(jobs=[a_job("a")], pods=[pod])) == {"a": state}
