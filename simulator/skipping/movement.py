"""The work under way in a cluster in real time, during which no time may be skipped, by the state of its objects. Pure.

A few seconds without a change do not prove that a controller is idle: it may act later than that. This module lists the
states that controllers act on; everything else waits for a simulated moment, directly or not.
"""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Final

from components.kubeapi.documents import Document, condition, entries, is_true, section
from components.kubeapi.jobs import (
    NODES,
    REQUESTS,
    WORKLOADS,
    is_finished,
    label,
    label_of,
)
from components.kubeapi.owners import JOBS, JOBSETS, PODS
from components.model.facts import gke
from simulator.nodes import ANNOTATION_LOST
from simulator.pods.admission import ANNOTATION_SECONDS, ANNOTATION_UNMOUNTED
from simulator.pods.interpreted import ANNOTATION_INTERPRETED

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

KINDS: Final = (PODS, NODES, JOBS, JOBSETS, WORKLOADS, REQUESTS)
"""The lists whose objects show what moves. Events only report it."""
_ENDED: Final = ("Succeeded", "Failed")


def movement(found: Mapping[str, Sequence[Document]], now: float) -> str | None:
    """Work that a cluster still does in real time, such as `pod team/a starts`; None when there is none.

    Args:
        found: the objects of `KINDS`; a list that is not served is left out.
        now: real seconds since the epoch.
    """
    waiting = {_job_of(pod) for pod in found.get(PODS, ()) if "nodeName" not in section(pod, "spec")}
    told = (
        *((f"pod {label(pod)}", _of_pod(pod)) for pod in found.get(PODS, ())),
        *((f"job {label(job)}", _of_job(job, waits=label(job) in waiting)) for job in found.get(JOBS, ())),
        *((f"workload {label(each)}", _of_workload(each, now)) for each in found.get(WORKLOADS, ())),
    )
    return next((f"{who} {what}" for who, what in told if what is not None), None)


def _of_pod(pod: Document) -> str | None:
    spec, annotations = section(pod, "spec"), section(pod, "metadata", "annotations")
    phase = section(pod, "status").get("phase")
    if "deletionTimestamp" in pod["metadata"]:
        return "is being deleted"
    if phase in _ENDED:
        return None
    if "nodeName" not in spec:
        return None if condition(pod, "PodScheduled") else "waits for the scheduler"
    if ANNOTATION_LOST in annotations:
        return "is evicted from its failed node"
    if "activeDeadlineSeconds" in spec:
        return "has a deadline"
    if ANNOTATION_SECONDS in annotations or ANNOTATION_INTERPRETED in annotations:
        return "starts" if phase == "Pending" and not _waits_for_mount(pod) else None
    return None if spec.get("restartPolicy") == "Always" else "runs on this machine"


def _waits_for_mount(pod: Document) -> bool:
    """Whether a mount failed; what lets it succeed comes from elsewhere."""
    has_failed = any(section(each, "state", "waiting") for each in entries(pod, "status", "containerStatuses"))
    return has_failed and ANNOTATION_UNMOUNTED in section(pod, "metadata", "annotations")


def _job_of(pod: Document) -> str:
    """The name of a pod's Job; that of a JobSet too."""
    metadata = pod["metadata"]
    return label_of(metadata.get("namespace"), str(section(metadata, "labels").get(gke.LABEL_BATCH_JOB_NAME)))


def _of_job(job: Document, *, waits: bool) -> str | None:
    """The work of a Job; one that `waits` has a pod without a node, before which JobSet lets it make no other."""
    spec, status = section(job, "spec"), section(job, "status")
    if is_finished(job) or spec.get("suspend"):
        return None
    if "activeDeadlineSeconds" in spec:
        return "has a deadline"
    succeeded = int(status.get("succeeded", 0))
    parallelism, completions = int(spec.get("parallelism", 1)), spec.get("completions")
    # Of a Job that does not say how many of its pods must succeed, the first success is the beginning of the end.
    left = parallelism if completions is None else min(parallelism, int(completions) - succeeded)
    is_ending = completions is None and succeeded > 0
    lacks_pods = int(status.get("active", 0)) < left and not is_ending
    return "makes pods" if lacks_pods and not waits else None


def _of_workload(workload: Document, now: float) -> str | None:
    at = section(workload, "status", "requeueState").get("requeueAt")
    if at and dt.datetime.fromisoformat(at).timestamp() > now:
        return "is queued again after a while"
    if any(check.get("state") == "Retry" for check in entries(workload, "status", "admissionChecks")):
        return "is checked again"
    limit = section(workload, "spec").get("maximumExecutionTimeSeconds")
    is_running = is_true(workload, "Admitted") and not is_true(workload, "Finished")
    return "has a deadline" if limit and is_running else None
