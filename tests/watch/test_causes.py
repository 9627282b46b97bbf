"""Causes that the cluster states: each fault of a job has its sentence, from documents as the API server sends them.

Kueue 0.19.2, JobSet 0.12.0 and Kubernetes 1.36 wrote them; tests/control_plane/test_explained.py has causes on a real
cluster.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest

from components.kubeapi import ApiError, Document
from components.kubeapi.jobs import EVENTS, NODES, TOPOLOGIES, WORKLOAD_PRIORITIES
from components.kubeapi.owners import JOBS, PODS
from tests.watch.jobs import QUEUES, TOO_FEW, a_job, a_pod, a_workload
from tests.watch.records import Story, condition, stamp
from tpu.watch.explain import explained, find, sentence
from tpu.watch.record import Record, read_record
from tpu.watch.states import job_states

if TYPE_CHECKING:
    from collections.abc import Mapping

_JOB: Final = "batch.kubernetes.io/job-name"
_SLICE_SIZE: Final = "kueue.x-k8s.io/podset-slice-size"
_OVER: Final = 'pods "a-x" is forbidden: exceeded quota: few, requested: pods=1, used: pods=1, limited: pods=1'


def _record(job: Document, **more: Any) -> Record:  # noqa: ANN401  fields of Record
    return Story().record(**{"jobs": [job], **QUEUES, **more})


def _says(record: Record, name: str = "a") -> str:
    return sentence(find(record, name, None))


def _a_job(pods: int = 1, **more: Any) -> Document:  # noqa: ANN401  fields of the spec
    job = a_job("a", kind="Job", parallelism=pods, completions=pods, template={"spec": {}}, **more)
    job["metadata"]["namespace"] = "default"
    return job


def _pods(*phases: str, label: str = _JOB, **metadata: Any) -> list[Document]:  # noqa: ANN401  fields of the metadata
    """Pods of the job `a`, each in a phase; `gated` and `unscheduled` have no node."""
    made: list[Document] = []
    for number, phase in enumerate(phases):
        node = None if phase in ("gated", "unscheduled") else "n1"
        pod = a_pod("a", phase if node else "Pending", node, label=label)
        pod["metadata"] |= {"name": f"a-{number}", "uid": f"Pod-a-{number}", "namespace": "default"}
        pod["metadata"] |= metadata
        if phase == "gated":
            pod["spec"]["schedulingGates"] = [{"name": "kueue.x-k8s.io/topology"}]
        made.append(pod)
    return made


def _unreserved(message: str, reason: str = "Pending") -> Document:
    return {**condition("QuotaReserved", 1, reason, message), "status": "False"}


_ADMITTED: Final = (condition("QuotaReserved", 1), condition("Admitted", 1))


# --- pods are what they are


@pytest.mark.parametrize(
    ("pods", "wanted", "text"),
    [
        (("Running", "Running"), 2, "a runs: 2 of 2 pods."),
        (("Running", "Failed"), 1, "a runs: 1 of 1 pods (1 failed before)."),
        (("Running", "Succeeded"), 2, "a runs: 1 of 2 pods (1 succeeded)."),
        (("Running", "Pending"), 2, "a runs: 1 of 2 pods (1 on a node that start)."),
    ],
)
def test_pods_are_counted_by_what_they_are(pods: tuple[str, ...], wanted: int, text: str) -> None:
    job = _a_job(wanted)
    job["status"]["succeeded"] = pods.count("Succeeded")
    assert _says(_record(job, pods=_pods(*pods))) == text


def test_a_gated_pod_is_told_with_its_gate() -> None:
    pods = _pods("Running", "Running", "Running", "Running", "gated", annotations={_SLICE_SIZE: "2"})
    record = _record(_a_job(5), pods=pods, workloads=[a_workload("a", *_ADMITTED)])
    assert _says(record) == (
        "a runs partly: 4 of 5 pods; 1 pod is held by the scheduling gate kueue.x-k8s.io/topology, pod a-4: Kueue "
        f"removes it when the Workload assigns the pod a topology domain. {_SLICE_SIZE} is 2: the number of pods must "
        "be a multiple of 2."
    )
    assert job_states(record)["a"].word == "running"


def test_a_pod_that_is_not_ready_does_not_wholly_run() -> None:
    pods = _pods("Running", "Running")
    pods[1]["status"] |= {
        "conditions": [{"type": "Ready", "status": "False", "reason": "NodeNotReady"}],
        "containerStatuses": [{"state": {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 10s"}}}],
    }
    assert _says(_record(_a_job(2), pods=pods)) == (
        "a runs partly: 1 of 2 pods; 1 pod is not ready, pod a-1: CrashLoopBackOff: back-off 10s"
    )


# --- what Kueue does not let run does not run


def test_an_evicted_job_does_not_run_while_its_pods_linger() -> None:
    evicted = condition("Evicted", 5, "Preempted", "Preempted to accommodate a workload (UID: u)")
    workload = a_workload("a", _unreserved("insufficient unused quota for cpu, 1 more needed"), evicted)
    pods = _pods("Running", "Running", deletionTimestamp=stamp(5), finalizers=["example.com/linger"])
    record = _record(_a_job(2, suspend=True), pods=pods, workloads=[workload])
    assert _says(record) == (
        "a waits for quota: insufficient unused quota for cpu, 1 more needed; Kueue evicted it: Preempted to "
        "accommodate a workload (UID: u); 2 pods of it have not ended yet, because of the finalizer example.com/linger"
    )
    assert job_states(record)["a"].word == "coming"


def test_a_job_that_is_being_evicted_does_not_run() -> None:
    evicted = condition("Evicted", 5, "ClusterQueueStopped", "The ClusterQueue is stopped")
    record = _record(_a_job(1), pods=_pods("Running"), workloads=[a_workload("a", *_ADMITTED, evicted)])
    assert _says(record) == (
        "a is being evicted; Kueue evicted it: The ClusterQueue is stopped; 1 pod of it has not ended yet"
    )


@pytest.mark.parametrize("message", ["LocalQueue lq doesn't exist", "insufficient unused quota, 16 more needed", None])
def test_a_missing_queue_is_not_a_wait_for_quota(message: str | None) -> None:
    conditions = [] if message is None else [_unreserved(message, "Inadmissible")]
    record = _record(_a_job(suspend=True), workloads=[a_workload("a", *conditions)], local_queues=[])
    assert _says(record) == (
        "a waits for LocalQueue lq, which does not exist. Create the LocalQueue, or name another one in the label "
        "kueue.x-k8s.io/queue-name of the job. LocalQueues of namespace default: none."
    )


_INACTIVE: Final = {
    "metadata": {"name": "cq"},
    "status": {
        "conditions": [
            {"type": "Active", "status": "False", "reason": "TopologyNotFound", "message": "there is no Topology t"}
        ]
    },
}


@pytest.mark.parametrize(
    ("queues", "why"),
    [
        ({"queues": []}, "waits for ClusterQueue cq, which does not exist; LocalQueue lq names it"),
        ({"queues": [_INACTIVE]}, "waits until ClusterQueue cq is active: TopologyNotFound: there is no Topology t"),
    ],
    ids=["missing", "inactive"],
)
def test_a_queue_that_admits_nothing_is_the_cause(queues: Mapping[str, list[Document]], why: str) -> None:
    workload = a_workload("a", _unreserved("LocalQueue lq is inactive", "Inadmissible"))
    assert _says(_record(_a_job(suspend=True), workloads=[workload], **queues)) == f"a {why}"


@pytest.mark.parametrize(
    ("metadata", "priorities", "why"),
    [
        (
            {"labels": {"kueue.x-k8s.io/queue-name": "lq", "kueue.x-k8s.io/priority-class": "nope"}},
            None,
            "is suspended in LocalQueue lq, and Kueue has not made a Workload for it yet",
        ),
        (
            {"annotations": {"kueue.x-k8s.io/queue-name": "lq"}},
            [],
            (
                "is suspended, and no queue manages it: the queue is named in an annotation (lq), not in a label. "
                "Kueue reads the queue from a label only: move kueue.x-k8s.io/queue-name to metadata.labels of the job."
            ),
        ),
    ],
    ids=["nobody may look", "annotation"],
)
def test_why_there_is_no_workload_is_looked_up(metadata: Document, priorities: list[Document] | None, why: str) -> None:
    job = _a_job(suspend=True)
    job["metadata"] |= metadata
    assert _says(_record(job, priorities={WORKLOAD_PRIORITIES: priorities})) == f"a {why}"


# --- pods that are not there


def _refused(message: str, kind: str = "Job", name: str = "a", second: float = 20) -> Document:
    story = Story()
    story.event(second, kind, name, "FailedCreate", message)
    return story.events[0]


def test_a_refusal_before_the_last_pod_is_over() -> None:
    pods = _pods("Running", creationTimestamp=stamp(30))
    record = _record(_a_job(2), pods=pods, events=[_refused(_OVER)])
    assert _says(record) == "a runs partly: 1 of 2 pods; 1 pod is not created"


# --- kinds


def _service(kind: str, spec: Document, **status: Any) -> Document:  # noqa: ANN401  fields of the status
    metadata = {"name": "s", "namespace": "default", "uid": "s", "creationTimestamp": stamp(0), "resourceVersion": "1"}
    return {"kind": kind, "metadata": metadata, "spec": spec, "status": status}


_CHIPS: Final = {"spec": {"containers": [{"resources": {"limits": {"google.com/tpu": "4"}}}]}}
_FAILURE: Final = {"type": "ReplicaFailure", "status": "True", "reason": "FailedCreate", "message": _OVER}
_SELECTED: Final = {"selector": {"matchLabels": {"app": "s"}}}
_OF_RAY: Final[Document] = {
    "headGroupSpec": {"template": {}},
    "workerGroupSpecs": [{"numOfHosts": 2, "template": _CHIPS}],
}


@pytest.mark.parametrize(
    ("kind", "spec", "labels", "chips", "pods"),
    [
        ("Deployment", {"replicas": 2, "template": _CHIPS, **_SELECTED}, {"app": "s"}, 8, 2),
        ("StatefulSet", {"replicas": 2, "template": _CHIPS, **_SELECTED}, {"app": "s"}, 8, 2),
        (
            "LeaderWorkerSet",
            {"replicas": 2, "leaderWorkerTemplate": {"size": 2, "workerTemplate": _CHIPS}},
            {"leaderworkerset.sigs.k8s.io/name": "s"},
            16,
            4,
        ),
        (
            "LeaderWorkerSet",
            {"leaderWorkerTemplate": {"size": 3, "leaderTemplate": {"spec": {}}, "workerTemplate": _CHIPS}},
            {"leaderworkerset.sigs.k8s.io/name": "s"},
            8,
            3,
        ),
        ("RayCluster", _OF_RAY, {"ray.io/cluster": "s"}, 8, 3),
        (
            "RayService",
            {"rayClusterConfig": _OF_RAY},
            {"ray.io/originated-from-cr-name": "s", "ray.io/originated-from-crd": "RayService"},
            8,
            3,
        ),
    ],
)
def test_what_runs_for_ever_is_explained(
    kind: str, spec: Document, labels: dict[str, str], chips: int, pods: int
) -> None:
    running, other = _pods("Running", "Running")
    running["metadata"]["labels"], other["metadata"]["labels"] = labels, {"app": "other"}
    record = _record(a_job("a"), services=[_service(kind, spec, conditions=[_FAILURE])], pods=[running, other])
    assert _says(record, "s").startswith(f"s runs partly: 1 of {pods} pods; ")
    assert _OVER in _says(record, "s")
    assert f"{kind} s: requests {chips} chips" in _lines(record, "s")


def _lines(record: Record, name: str) -> list[str]:
    return list(explained(record, find(record, name, None), 1e9))


def test_a_pod_of_nobody_is_explained() -> None:
    (pod,) = _pods("unscheduled", labels={})
    assert _says(_record(a_job("b"), pods=[pod]), "a-0") == f"a-0 waits for capacity: {TOO_FEW}"


class _Lists:
    """Doubles an API server with a Job of a CronJob, whose other kinds are not served or may not be read."""

    def items(self, path: str) -> list[Document]:
        """As `Api.items`."""
        if path == JOBS:
            job = a_job("nightly-1", kind="Job")
            job["metadata"] |= {"namespace": "default", "ownerReferences": [{"kind": "CronJob", "name": "nightly"}]}
            return [job]
        if path in (PODS, NODES, EVENTS):
            return []
        raise ApiError(403 if path in (TOPOLOGIES, WORKLOAD_PRIORITIES) else 404, {"message": "no"})


def test_a_cron_job_is_known_by_its_job_and_what_may_not_be_read_is_unknown() -> None:
    record = read_record(_Lists())
    assert (record.topologies, record.priorities[WORKLOAD_PRIORITIES]) == (None, None)
    assert _says(record, "nightly") == _says(record, "nightly-1") == "nightly-1 has no pods yet"
