"""RayJobs among the jobs that are watched: their chips, their pods and their ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from components.kubeapi.jobs import end_of, has_failed, is_finished, job_of_pod
from tests.watch.cluster import FakeCluster
from tests.watch.records import START, Story, stamp
from tpu.watch.explain import find, sentence
from tpu.watch.record import read_record
from tpu.watch.requests import asks_text
from tpu.watch.states import job_states
from tpu.watch.timeline import entries_of

if TYPE_CHECKING:
    from components.kubeapi import Document


def _template(chips: int = 0) -> Document:
    resources = {"limits": {"google.com/tpu": str(chips)}} if chips else {}
    return {"spec": {"containers": [{"resources": resources}]}}


def a_ray_job(name: str = "rl", **status: Any) -> Document:  # noqa: ANN401  any field
    """A RayJob on two slices of two hosts with four chips each."""
    workers = {"groupName": "slice", "replicas": 2, "numOfHosts": 2, "template": _template(4)}
    return {
        "kind": "RayJob",
        "metadata": {"name": name, "uid": name, "creationTimestamp": stamp(0), "resourceVersion": "7"},
        "spec": {"rayClusterSpec": {"headGroupSpec": {"template": _template()}, "workerGroupSpecs": [workers]}},
        "status": status,
    }


def a_ray_pod(job: str = "rl", kind: str = "RayJob") -> Document:
    """The pod of a Ray cluster, on a node."""
    labels = {"ray.io/originated-from-cr-name": job, "ray.io/originated-from-crd": kind}
    metadata = {"name": f"{job}-x7k2p-head-abcde", "uid": "pod", "creationTimestamp": stamp(1), "labels": labels}
    return {"metadata": metadata, "spec": {"nodeName": "n1", "containers": [{}]}, "status": {"phase": "Running"}}


def test_a_ray_job_is_one_of_the_jobs() -> None:
    record = read_record(FakeCluster(rayjobs=[a_ray_job()], jobs=[], pods=[], events=[]).api)
    assert [job["metadata"]["name"] for job in record.jobs] == ["rl"]


def test_chips_are_those_of_all_hosts() -> None:
    assert asks_text(a_ray_job()) == "requests 16 chips"


def test_pods_of_its_cluster_are_its_own() -> None:
    assert job_of_pod(a_ray_pod()) == "rl"
    assert job_of_pod(a_ray_pod(kind="RayService")) is None
    states = job_states(Story().record(jobs=[a_ray_job()], pods=[a_ray_pod()]))
    assert states["rl"].word == "running"


@pytest.mark.parametrize(
    ("deployment", "outcome", "is_over", "is_failure"),
    [
        ("Running", "RUNNING", False, False),
        ("Suspended", "", False, False),
        ("Complete", "SUCCEEDED", True, False),
        ("Complete", "FAILED", True, True),
        ("Failed", "", True, True),
    ],
)
def test_its_end_is_read_from_its_status(deployment: str, outcome: str, *, is_over: bool, is_failure: bool) -> None:
    job = a_ray_job(jobDeploymentStatus=deployment, jobStatus=outcome)
    assert (is_finished(job), has_failed(job)) == (is_over, is_failure)


def test_a_ray_job_that_has_not_begun_has_no_end() -> None:
    assert end_of(a_ray_job()) is None


def test_an_end_without_a_queue_is_in_the_timeline_and_explained() -> None:
    ended = {"jobDeploymentStatus": "Complete", "jobStatus": "FAILED", "endTime": stamp(60), "message": "it broke"}
    record = Story().record(jobs=[a_ray_job(**ended)])
    last = entries_of(record)[-1]
    assert (last.time - START.timestamp(), last.job, last.text) == (60, "rl", "failed: FAILED, it broke")
    assert sentence(find(record, "rl", None)) == "rl has failed: FAILED, it broke"
