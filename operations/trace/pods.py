"""When all pods of a Workload had started, for clusters in which Kueue does not follow them (`waitForPodsReady`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import gke, kinds, ray
from kubeapi import ApiError
from kubeapi.documents import Document, condition, entries, section
from operations.trace.lines import moment

if TYPE_CHECKING:
    from kubeapi import Api

_LABELS: Final = {
    kinds.JOBSET.name: gke.LABEL_JOBSET_NAME,
    kinds.JOB.name: gke.LABEL_BATCH_JOB_NAME,
    kinds.RAY_JOB.name: ray.LABEL_MADE_FOR,
}
"""On the pods of a job, by the job's kind: a label whose value is the job's name."""


def needs_pods(workload: Document) -> bool:
    """Whether only its pods say when it started: it is admitted, and Kueue does not follow its pods."""
    is_admitted = condition(workload, "Admitted").get("status") == "True"
    return is_admitted and not condition(workload, "PodsReady")


def started(api: Api, workload: Document) -> int | None:
    """When the last of its pods started; None while some have not, or where nobody can know it.

    Nobody can where the kind of its job is unknown, or the credentials do not allow to list pods.

    Raises:
        kubeapi.ApiError, kubeapi.UnreachableError: the pods could not be read.
    """
    owner = next(iter(entries(workload, "metadata", "ownerReferences")), Document())
    label = _LABELS.get(str(owner.get("kind")))
    if label is None:
        return None
    path = f"/api/v1/namespaces/{workload['metadata']['namespace']}/pods"
    try:
        pods = api.items(path, {"labelSelector": f"{label}={owner['name']}"})
    except ApiError as error:
        if error.is_forbidden:
            return None
        raise
    moments = [_started(pod) for pod in pods]
    known = [each for each in moments if each is not None]
    needed = sum(int(each.get("count", 1)) for each in entries(workload, "spec", "podSets"))
    return max(known) if known and len(known) >= needed else None


def _started(pod: Document) -> int | None:
    """When the first of its containers started; None for a pod that has not started, or is being deleted."""
    if pod["metadata"].get("deletionTimestamp"):
        return None
    states = [section(each, "state") for each in entries(pod, "status", "containerStatuses")]
    stamps = [
        section(state, name).get("startedAt") for state in states for name in ("running", "terminated") if name in state
    ]
    found = [moment(stamp) for stamp in stamps if stamp]
    return min(found, default=None)
