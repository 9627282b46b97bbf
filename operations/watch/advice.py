"""What to do about a cause that does not go by itself, by the words of Kueue, JobSet or the API server.

Source of the words: Kueue 0.19.2, pkg/controller/core/workload_controller.go and pkg/scheduler/flavorassigner; JobSet
0.12.0, pkg/webhooks/pod_webhook.go; Kubernetes 1.36, plugin/pkg/admission/resourcequota.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from components.model.facts import gke
from kubeapi.documents import entries, section

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubeapi.documents import Document
    from operations.watch.evidence import Evidence

_SLICE_SIZE: Final = f"{gke.KUEUE_DOMAIN}podset-slice-size"


def advice(why: str, evidence: Evidence) -> str:
    """What to do, as sentences; empty where waiting is all, or where the words say it themselves."""
    return next((told(evidence) for pattern, told in _ADVICE if re.search(pattern, why)), "")


def _queues(evidence: Evidence) -> str:
    namespace = evidence.job["metadata"].get("namespace") or gke.DEFAULT_NAMESPACE
    local = [each for each in evidence.record.local_queues if each["metadata"].get("namespace") == namespace]
    names = ", ".join(each["metadata"]["name"] for each in local) or "none"
    return (
        f"Create the LocalQueue, or name another one in the label {gke.LABEL_QUEUE_NAME} of the job. "
        f"LocalQueues of namespace {namespace}: {names}."
    )


def _levels(evidence: Evidence) -> str:
    levels = {
        each["metadata"]["name"]: ", ".join(str(level["nodeLabel"]) for level in entries(each, "spec", "levels"))
        for each in evidence.record.topologies or ()
    }
    known = "".join(f" Topology {name} has {keys}." for name, keys in levels.items())
    return f"Name a level of the flavor's Topology in the annotations kueue.x-k8s.io/podset-* of the pods.{known}"


def leader_deadlock(evidence: Evidence) -> str | None:
    """The Job of a JobSet that has several pods of index 0, with exclusive topology; None where there is none.

    JobSet's webhook accepts the other pods of such a Job only while it finds exactly one pod of index 0, and a failed
    one stays beside the one that replaces it.
    """
    exclusive = section(evidence.job, "metadata", "annotations").get(gke.ANNOTATION_EXCLUSIVE_TOPOLOGY)
    leaders: dict[str, int] = {}
    for pod in evidence.all_pods if exclusive else ():
        labels = section(pod, "metadata", "labels")
        if labels.get(_INDEX) == "0":
            job = str(labels.get(gke.LABEL_BATCH_JOB_NAME))
            leaders[job] = leaders.get(job, 0) + 1
    return next((job for job, count in leaders.items() if count > 1), None)


_INDEX: Final = "batch.kubernetes.io/job-completion-index"


def _backoff(_: Evidence) -> str:
    return (
        "Set backoffLimit: 0 in every replicated Job and create the JobSet again: a failure then restarts the whole "
        "JobSet, as often as failurePolicy.maxRestarts says."
    )


def _sliced(evidence: Evidence) -> str:
    for pod in evidence.pods.gated:
        size = section(pod, "metadata", "annotations").get(_SLICE_SIZE)
        if size is not None:
            return f"{_SLICE_SIZE} is {size}: the number of pods must be a multiple of {size}."
    return ""


def _fits_never(_: Evidence) -> str:
    return "It does not fit even when nothing else runs: request less, or raise the quota of the ClusterQueue."


def _resource_quota(evidence: Evidence) -> str:
    namespace = evidence.job["metadata"].get("namespace") or gke.DEFAULT_NAMESPACE
    return f"Raise the ResourceQuota, or end other pods: kubectl describe resourcequota --namespace {namespace}."


def _annotated(_: Evidence) -> str:
    return f"Kueue reads the queue from a label only: move {gke.LABEL_QUEUE_NAME} to metadata.labels of the job."


_ADVICE: Final[tuple[tuple[str, Callable[[Evidence], str]], ...]] = (
    (r"LocalQueue \S+,? (which does not|doesn't) exist", _queues),
    (r"does not contain the requested level|no requested topology level", _levels),
    (r"expected 1 leader pod|has several pods of index 0", _backoff),
    (r"scheduling gate kueue\.x-k8s\.io/topology", _sliced),
    (r"> maximum capacity", _fits_never),
    (r"exceeded quota: ", _resource_quota),
    (r"queue is named in an annotation", _annotated),
)
"""The first pattern that a cause has, and what to do about it."""


def annotated_queue(job: Document) -> str | None:
    """The queue that a job names in an annotation, where Kueue does not read it."""
    return section(job, "metadata", "annotations").get(gke.LABEL_QUEUE_NAME)
