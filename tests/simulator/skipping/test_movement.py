"""What is under way in a cluster in real time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from components.kubeapi.jobs import REQUESTS, WORKLOADS
from components.kubeapi.owners import JOBS, PODS
from simulator.skipping.movement import KINDS, movement

if TYPE_CHECKING:
    from components.kubeapi import Document

_NOW = 1_795_228_430.0
_SOON, _JUST_NOW = "2026-11-21T02:34:00Z", "2026-11-21T02:33:40Z"
"""Half a minute later and ten seconds earlier than now."""
_PLAYED = {"simulator.tpu-platform.dev/seconds": "60.000"}
_LOST = {**_PLAYED, "simulator.tpu-platform.dev/lost": "true"}
_CREATING = {"state": {"waiting": {"reason": "ContainerCreating"}}}
_UNSCHEDULABLE = [{"type": "PodScheduled", "status": "False"}]


def a_pod(phase: str, annotations: dict[str, str] | None = None, **spec: Any) -> Document:  # noqa: ANN401  any JSON
    """A pod in that phase; bound to a node unless `nodeName` is None."""
    stated = {"restartPolicy": "Never", "nodeName": "n1", **spec}
    return {
        "metadata": {"name": "p", "namespace": "team", "annotations": annotations or {}},
        "spec": {key: value for key, value in stated.items() if value is not None},
        "status": {"phase": phase},
    }


def a_job(active: int = 0, succeeded: int = 0, **spec: Any) -> Document:  # noqa: ANN401  any JSON
    """A Job of two pods at a time, three in all."""
    return {
        "metadata": {"name": "j", "namespace": "default"},
        "spec": {"parallelism": 2, "completions": 3, **spec},
        "status": {"active": active, "succeeded": succeeded},
    }


def a_workload(*conditions: str, **more: Any) -> Document:  # noqa: ANN401  any JSON
    """A Workload with conditions that are True; `more` are further fields of its status."""
    told = [{"type": each, "status": "True"} for each in conditions]
    return {
        "metadata": {"name": "w", "namespace": "team"},
        "spec": {"maximumExecutionTimeSeconds": more.pop("limit", None)},
        "status": {"conditions": told, **more},
    }


_DELETED = a_pod("Running", _PLAYED)
_DELETED["metadata"]["deletionTimestamp"] = _SOON
_UNMOUNTED = a_pod("Pending", {**_PLAYED, "simulator.tpu-platform.dev/unmounted": "true"})
_NOT_MOUNTED = {**_UNMOUNTED, "status": {"phase": "Pending", "containerStatuses": [_CREATING]}}
_PENDING = a_pod("Pending", nodeName=None)
_PENDING["status"]["conditions"] = _UNSCHEDULABLE


@pytest.mark.parametrize(
    ("path", "document", "what"),
    [
        (PODS, _DELETED, "pod team/p is being deleted"),
        (PODS, a_pod("Pending", _PLAYED, nodeName=None), "pod team/p waits for the scheduler"),
        (PODS, a_pod("Pending", _PLAYED), "pod team/p starts"),
        (PODS, _UNMOUNTED, "pod team/p starts"),
        (PODS, a_pod("Running", _LOST), "pod team/p is evicted from its failed node"),
        (PODS, a_pod("Running", _PLAYED, activeDeadlineSeconds=60), "pod team/p has a deadline"),
        (PODS, a_pod("Running"), "pod team/p runs on this machine"),
        (JOBS, a_job(), "job j makes pods"),
        (JOBS, a_job(1), "job j makes pods"),
        (JOBS, a_job(0, 2), "job j makes pods"),
        (JOBS, a_job(1, completions=None), "job j makes pods"),
        (JOBS, a_job(2, activeDeadlineSeconds=60), "job j has a deadline"),
        (WORKLOADS, a_workload(requeueState={"requeueAt": _SOON}), "workload team/w is queued again after a while"),
        (WORKLOADS, a_workload(admissionChecks=[{"state": "Retry"}]), "workload team/w is checked again"),
        (WORKLOADS, a_workload("Admitted", limit=60), "workload team/w has a deadline"),
    ],
)
def test_what_goes_on_in_real_time_is_named(path: str, document: Document, what: str) -> None:
    assert path in KINDS
    assert movement({PODS: [a_pod("Succeeded")], path: [document]}, _NOW) == what


@pytest.mark.parametrize(
    ("path", "document"),
    [
        (PODS, a_pod("Succeeded", _LOST)),
        (PODS, a_pod("Failed", activeDeadlineSeconds=60)),
        (PODS, a_pod("Running", _PLAYED)),
        (PODS, a_pod("Running", restartPolicy="Always")),
        (PODS, _PENDING),
        (PODS, _NOT_MOUNTED),
        (JOBS, a_job(suspend=True)),
        (JOBS, a_job(2)),
        (JOBS, a_job(1, 2)),
        (JOBS, a_job(0, 3)),
        (JOBS, a_job(1, 1, completions=None)),
        (JOBS, {**a_job(activeDeadlineSeconds=60), "status": {"conditions": [{"type": "Failed", "status": "True"}]}}),
        (WORKLOADS, a_workload(requeueState={"requeueAt": _JUST_NOW})),
        (WORKLOADS, a_workload("QuotaReserved", admissionChecks=[{"state": "Pending"}])),
        (WORKLOADS, a_workload("Admitted", "Finished", limit=60)),
        (WORKLOADS, a_workload("QuotaReserved", limit=60)),
        (REQUESTS, {"metadata": {"name": "r"}}),
    ],
)
def test_what_waits_for_a_simulated_moment_does_not_move(path: str, document: Document) -> None:
    assert movement({path: [document]}, _NOW) is None


@pytest.mark.parametrize(("owner", "what"), [("j", None), ("other", "job j makes pods")])
def test_a_job_whose_first_pod_waits_for_a_node_makes_no_other(owner: str, what: str | None) -> None:
    metadata = {"name": "j-0", "namespace": "default", "labels": {"batch.kubernetes.io/job-name": owner}}
    assert movement({PODS: [{**_PENDING, "metadata": metadata}], JOBS: [a_job(1)]}, _NOW) == what
