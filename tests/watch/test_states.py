"""What each job does, and why it waits: for quota, for nodes, for somebody."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.watch.jobs import (
    BACKED_OFF,
    NOT_HELPED,
    ORDERED,
    OUT_OF_STOCK,
    QUEUES,
    TOO_FEW,
    a_job,
    a_local_queue,
    a_pod,
    a_request,
    a_workload,
    said,
    waiting_for,
)
from tests.watch.records import Story, condition
from tpu.watch.states import State, job_states

if TYPE_CHECKING:
    from components.kubeapi import Document

_TRIGGERED = ("TriggeredScaleUp", ORDERED)
_FAILED = ("FailedScaleUp", OUT_OF_STOCK)
_BACKED_OFF = ("NotTriggerScaleUp", BACKED_OFF)


def state(job: Document, **more: Any) -> State:  # noqa: ANN401  fields of Record
    """The state of the only job of a record."""
    (found,) = job_states(Story().record(**{"jobs": [job], **QUEUES, **more})).values()
    return found


@pytest.mark.parametrize(
    ("pod", "word"),
    [
        (a_pod("a", "Pending", "n1"), "running"),
        (a_pod("a", "Running", "n1", label="batch.kubernetes.io/job-name"), "running"),
        (a_pod("a"), "waiting"),
        (a_pod("b", "Running", "n1"), "waiting"),
    ],
)
def test_a_job_runs_while_it_has_a_pod_on_a_node(pod: Document, word: str) -> None:
    assert state(a_job("a"), pods=[pod]).word == word


@pytest.mark.parametrize(
    ("kind", "label"), [("Job", "batch.kubernetes.io/job-name"), ("JobSet", "jobset.sigs.k8s.io/jobset-name")]
)
@pytest.mark.parametrize(
    ("pod", "suspend", "word"),
    [("Succeeded", False, "running"), ("Failed", False, "coming"), ("Succeeded", True, "waiting")],
)
def test_a_job_whose_pods_have_ended_goes_on(kind: str, label: str, pod: str, word: str, *, suspend: bool) -> None:
    job = a_job("a", kind=kind, suspend=suspend)
    assert state(job, pods=[a_pod("a", pod, "n1", label=label)]).word == word


@pytest.mark.parametrize(("end", "word"), [("Completed", "finished"), ("Complete", "finished"), ("Failed", "failed")])
def test_a_job_that_has_ended_is_told_as_it_ended(end: str, word: str) -> None:
    assert state(a_job("a", end), pods=[a_pod("a", "Running", "n1")]).word == word


def test_jobs_of_one_name_in_two_namespaces_are_two() -> None:
    jobs = [a_job("a"), a_job("a", "Completed")]
    jobs[1]["metadata"]["namespace"] = "team"
    pod = a_pod("a", "Running", "n1")
    found = job_states(Story().record(jobs=jobs, pods=[pod]))
    assert {name: each.word for name, each in found.items()} == {"a": "running", "team/a": "finished"}


@pytest.mark.parametrize(
    ("told", "word", "why", "is_final"),
    [
        ((), "waiting", f"waits for capacity: {TOO_FEW}", False),
        ((_TRIGGERED,), "coming", "waits for capacity: nodes are being provisioned", False),
        ((_TRIGGERED, _FAILED), "waiting", f"waits for capacity: {OUT_OF_STOCK}", True),
        ((_TRIGGERED, _FAILED, _BACKED_OFF), "waiting", f"waits for capacity: {OUT_OF_STOCK}", True),
        ((_FAILED, _BACKED_OFF, _TRIGGERED), "coming", "waits for capacity: nodes are being provisioned", False),
        (
            (("NotTriggerScaleUp", NOT_HELPED),),
            "waiting",
            f"waits for capacity: {TOO_FEW} Autoscaler: {NOT_HELPED}",
            True,
        ),
    ],
    ids=["nobody spoke", "ordered", "out of stock", "backed off", "tried again", "no pool helps"],
)
def test_pods_without_a_node_wait_for_what_the_autoscaler_said_last(
    told: tuple[tuple[str, str], ...],
    word: str,
    why: str,
    is_final: bool,  # noqa: FBT001  a column of the table
) -> None:
    found = state(a_job("a"), pods=[a_pod("a")], events=said("a", *told))
    assert (found.word, found.why, found.is_final) == (word, why, is_final)


def test_failures_of_the_cloud_are_counted() -> None:
    found = state(a_job("a"), pods=[a_pod("a")], events=said("a", _FAILED, count=3))
    assert found.failures == 3


def test_what_is_said_of_other_pods_does_not_count() -> None:
    found = state(a_job("a"), pods=[a_pod("a")], events=said("b", _TRIGGERED))
    assert found.word == "waiting"


def test_room_that_is_being_made_is_on_its_way() -> None:
    found = state(a_job("a"), pods=[a_pod("a", nominatedNodeName="n1")])
    assert (found.word, found.why) == ("coming", "waits until room is made for it")


def test_a_pod_whose_image_does_not_come_is_not_running() -> None:
    pod = a_pod("a", "Pending", "n1", **waiting_for("ImagePullBackOff", 'Back-off pulling image "nope"'))
    assert state(a_job("a"), pods=[pod]) == State(
        "waiting", 'cannot start, pod a-slice-0-0-aaaaa: ImagePullBackOff: Back-off pulling image "nope"'
    )


def test_a_pod_that_is_being_made_is_running() -> None:
    pod = a_pod("a", "Pending", "n1", **waiting_for("ContainerCreating", ""))
    assert state(a_job("a"), pods=[pod]).word == "running"


def test_a_pod_whose_volume_is_not_there_is_not_running() -> None:
    pod = a_pod("a", "Pending", "n1", **waiting_for("ContainerCreating", ""))
    told = said("a", ("FailedMount", "no bucket\nof that name"), ("Scheduled", "assigned"))
    assert state(a_job("a"), pods=[pod], events=told) == State(
        "waiting", "cannot start, pod a-slice-0-0-aaaaa: FailedMount: no bucket of that name"
    )
    assert state(a_job("a"), pods=[pod], events=said("b", ("FailedMount", "no bucket"))).word == "running"


# --- under Kueue

_NO_QUOTA = {**condition("QuotaReserved", 1, "Pending", "insufficient unused quota, 16 more needed"), "status": "False"}
_BACKING_OFF = {**condition("Requeued", 1, "AdmissionCheck", "in backoff"), "status": "False"}
_NOT_READY = {**_BACKING_OFF, "reason": "PodsReadyTimeout"}
_LIMITED = condition(
    "Evicted", 1, "Deactivated", "The workload is deactivated due to exceeding the maximum number of re-queuing retries"
)
_INACTIVE = {**condition("QuotaReserved", 1, "Inadmissible", "ClusterQueue cq is inactive"), "status": "False"}


def _counted(workload: Document, **requeue: Any) -> Document:  # noqa: ANN401  any field
    """A Workload that Kueue has queued again before."""
    workload["status"]["requeueState"] = requeue
    return workload


@pytest.mark.parametrize(
    ("workload", "word", "why"),
    [
        (a_workload("a"), "waiting", "waits for quota: Kueue has not looked at it yet"),
        (a_workload("a", _NO_QUOTA), "waiting", "waits for quota: insufficient unused quota, 16 more needed"),
        (a_workload("a", _INACTIVE), "waiting", "is not admitted: ClusterQueue cq is inactive"),
        (a_workload("a", _NO_QUOTA, _BACKING_OFF), "coming", "is queued again after a while: in backoff"),
        (
            a_workload("a", _NO_QUOTA, _NOT_READY),
            "coming",
            "was evicted because its pods were not ready in time; it is queued again after a while",
        ),
        (
            _counted(a_workload("a", _NO_QUOTA, _NOT_READY), count=2, requeueAt="2026-01-05T08:00:00Z"),
            "coming",
            (
                "was evicted because its pods were not ready in time (2 times so far); it is queued again at "
                "2026-01-05T08:00:00Z"
            ),
        ),
        (
            a_workload("a", _LIMITED, active=False),
            "waiting",
            (
                "is deactivated, because of exceeding the maximum number of re-queuing retries: its Workload's "
                "spec.active is false"
            ),
        ),
        (
            a_workload("a", condition("QuotaReserved", 1)),
            "coming",
            "has quota and waits for admission checks: none has answered yet",
        ),
        (
            a_workload("a", condition("QuotaReserved", 1), condition("Admitted", 1)),
            "waiting",
            "is admitted; its pods are not made yet",
        ),
        (a_workload("a", active=False), "waiting", "is deactivated: its Workload's spec.active is false"),
    ],
)
def test_a_job_in_a_queue_waits_for_what_kueue_says(workload: Document, word: str, why: str) -> None:
    found = state(a_job("a", suspend=True), workloads=[workload])
    assert (found.word, found.why) == (word, why)


def test_the_answer_of_a_check_is_told() -> None:
    workload = a_workload("a", condition("QuotaReserved", 1))
    workload["status"]["admissionChecks"] = [{"name": "dws", "state": "Pending", "message": "wait"}, {"name": "b"}]
    why = state(a_job("a", suspend=True), workloads=[workload]).why
    assert why == "has quota and waits for admission checks: dws Pending: wait; b None"


_ACCEPTED = condition("Accepted", 1, "SuccessfullyQueued", "Provisioning Request was successfully queued.")
_EXHAUSTED = {**condition("Provisioned", 2, "ResourcePoolExhausted", "Waiting for resources."), "status": "False"}


@pytest.mark.parametrize(
    ("conditions", "word", "why", "is_final"),
    [
        (
            [_ACCEPTED],
            "coming",
            "waits for capacity: ProvisioningRequest jobset-a-nodes-2 is queued: nodes are being provisioned",
            False,
        ),
        (
            [_ACCEPTED, _EXHAUSTED],
            "waiting",
            "waits for capacity: ProvisioningRequest jobset-a-nodes-2 is queued: Waiting for resources.",
            True,
        ),
        ([], "coming", "has quota and waits for admission checks: nodes Pending", True),
        (
            [_ACCEPTED, condition("Failed", 3)],
            "coming",
            "has quota and waits for admission checks: nodes Pending",
            True,
        ),
        (
            [_ACCEPTED, condition("Provisioned", 3)],
            "coming",
            "has quota and waits for admission checks: nodes Pending",
            True,
        ),
    ],
    ids=["queued", "out of stock", "new", "failed", "provisioned"],
)
def test_a_job_whose_nodes_are_asked_for_waits_for_what_its_newest_request_says(
    conditions: list[Document],
    word: str,
    why: str,
    is_final: bool,  # noqa: FBT001  a column of the table
) -> None:
    workload = a_workload("a", condition("QuotaReserved", 1))
    workload["status"]["admissionChecks"] = [{"name": "nodes", "state": "Pending"}]
    requests = [
        a_request("b", _ACCEPTED),
        a_request("a", condition("Failed", 1)),
        a_request("a", *conditions, attempt=2),
    ]
    found = state(a_job("a", suspend=True), workloads=[workload], requests=requests)
    assert (found.word, found.why, found.is_final) == (word, why, is_final)


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        (
            {"queueingStrategy": "StrictFIFO"},
            "waits for its turn: its queue is StrictFIFO, and a Workload before it is not admitted yet",
        ),
        ({"queueingStrategy": "BestEffortFIFO"}, "waits for quota: Kueue has not looked at it yet"),
        ({"stopPolicy": "HoldAndDrain"}, "waits until ClusterQueue cq is no longer stopped"),
    ],
)
def test_a_workload_that_kueue_has_said_nothing_of_waits_for_what_its_queue_says(
    spec: dict[str, str], why: str
) -> None:
    queue = {"metadata": {"name": "cq"}, "spec": spec}
    found = state(a_job("a"), workloads=[a_workload("a")], queues=[queue], local_queues=[a_local_queue()])
    assert found == State("waiting", why)


@pytest.mark.parametrize(
    ("queue", "suspend", "why"),
    [
        (None, True, "is suspended, and no queue manages it"),
        (None, False, "has no pods yet"),
        ("other", True, "waits for LocalQueue other, which does not exist"),
        (
            "lq",
            True,
            "is suspended in LocalQueue lq, and Kueue has not made a Workload for it yet",
        ),
    ],
)
def test_a_job_without_a_workload_says_what_is_missing(queue: str | None, *, suspend: bool, why: str) -> None:
    job = a_job("a", suspend=suspend)
    job["metadata"]["namespace"] = "default"
    if queue is not None:
        job["metadata"]["labels"] = {"kueue.x-k8s.io/queue-name": queue}
    found = state(job)
    assert (found.word, found.why) == ("waiting", why)
