"""Workloads that Kueue evicted because their pods did not get ready in time, and JobSets that cannot run afterwards.

Kueue queues such a Workload again after a wait, counts how often it did, and deactivates it beyond a limit. JobSet
keeps in its Jobs what the flavor before selected, and perhaps no node has the labels of both flavors.

Source: Kueue 0.19.2, pkg/controller/core/workload_controller.go; kubernetes-sigs/jobset pull request 1294.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import gke
from kubeapi.documents import condition, entries, section
from operations.watch.record import owner_label

if TYPE_CHECKING:
    from kubeapi.documents import Document
    from operations.watch.record import Record

_NOT_READY: Final = "PodsReadyTimeout"
_DEACTIVATED: Final = "Deactivated"
_LABEL_REPLICATED_JOB: Final = "jobset.sigs.k8s.io/replicatedjob-name"
_ADDED_BY_JOBSET: Final = ("jobset.sigs.k8s.io/namespaced-job",)


def why_queued_again(workload: Document) -> str | None:
    """Why a Workload that waits to be queued again does so, and until when; None for one that does not."""
    requeued = condition(workload, "Requeued")
    if requeued.get("status") != "False":
        return None
    if requeued.get("reason") != _NOT_READY:
        return f"is queued again after a while: {requeued.get('message') or requeued.get('reason')}"
    return f"was evicted because its pods were not ready in time{_times(workload)}; {_comes_back(workload)}"


def _comes_back(workload: Document) -> str:
    moment = section(workload, "status", "requeueState").get("requeueAt")
    return f"it is queued again at {moment}" if moment else "it is queued again after a while"


def evicted_before(workload: Document | None) -> str:
    """What to add to why a Workload has no nodes: that it was evicted for it before; empty where it was not."""
    times = _times(workload)
    return f"; Kueue evicted it before, because its pods were not ready in time{times}" if times else ""


def evicted(workload: Document) -> str:
    """What to add to why a Workload is not admitted: why Kueue evicted it; empty where that is said already."""
    found = condition(workload, "Evicted")
    if found.get("status") != "True" or found.get("reason") in (_NOT_READY, _DEACTIVATED):
        return ""
    return f"; Kueue evicted it: {found.get('message') or found.get('reason')}"


def _times(workload: Document | None) -> str:
    count = section(workload or {}, "status", "requeueState").get("count")
    return "" if not count else " (once so far)" if count == 1 else f" ({count} times so far)"


def why_deactivated(workload: Document) -> str:
    """Why a Workload is not active, in Kueue's words where it was Kueue that deactivated it."""
    said = str(condition(workload, "Evicted").get("message", ""))
    _, found, because = said.partition("due to ")
    why = f", because of {because}" if found else ""
    return f"is deactivated{why}: its Workload's spec.active is false"


def selects_earlier_flavor(record: Record, job: Document) -> str | None:
    """Why no node fits the pods of a JobSet that was moved; None where its Jobs select what it says.

    Its Jobs select more than their template: that is what the flavor before selected.
    """
    if job.get("kind") != "JobSet" or section(job, "spec").get("suspend"):
        return None
    templates = {each["name"]: each for each in entries(job, "spec", "replicatedJobs")}
    for child in record.child_jobs:
        name = section(child, "metadata", "labels").get(_LABEL_REPLICATED_JOB)
        if name not in templates or owner_label(child) != owner_label({"metadata": job["metadata"]}):
            continue
        wanted = section(templates[name], "template", "spec", "template", "spec", "nodeSelector")
        found = section(child, "spec", "template", "spec", "nodeSelector")
        left = sorted(key for key in found if key not in wanted and key not in _ADDED_BY_JOBSET)
        if left:
            selector = f"{gke.LABEL_JOBSET_NAME}={job['metadata']['name']}"
            return (
                f"waits for nodes that do not exist: its Jobs keep the selector {' and '.join(left)} of the flavor "
                "before. Delete them, and JobSet makes them anew: kubectl delete jobs --namespace "
                f"{job['metadata'].get('namespace', gke.DEFAULT_NAMESPACE)} --selector {selector}"
            )
    return None
