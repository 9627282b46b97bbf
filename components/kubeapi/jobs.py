"""Jobs and what belongs to them: where they are listed, what they are called, who owns them, and how they ended."""

from __future__ import annotations

import datetime as dt
from typing import Final, NamedTuple, Protocol

from components.kubeapi import ApiError
from components.kubeapi.documents import Document, condition, entries, is_true, section
from components.kubeapi.owners import OWNERS
from components.model.facts import gke

_ENDED: Final = ("Completed", "Complete", "Failed")
"""Conditions of a Job and of a JobSet."""
_FAILED: Final = "Failed"
_RAY_ENDED: Final = ("Complete", _FAILED)
"""States of a RayJob, which has no conditions. Source: KubeRay 1.6.2, ray-operator/apis/ray/v1/rayjob_types.go."""
_RAY_SUCCEEDED: Final = "SUCCEEDED"


class End(NamedTuple):
    """The end of a job."""

    stamp: str
    """When it was, as an RFC 3339 time; empty where nothing says it."""
    is_failure: bool
    reason: str
    message: str

    @property
    def moment(self) -> float:
        """When it was, in seconds since the epoch; 0 where nothing says it."""
        return seconds(self.stamp)


def end_of(job: Document) -> End | None:
    """The end of a job; None while it has not come."""
    for type_ in _ENDED:
        if is_true(job, type_):
            stated = condition(job, type_)
            reason, message = str(stated.get("reason") or type_), str(stated.get("message") or "")
            return End(str(stated.get("lastTransitionTime") or ""), type_ == _FAILED, reason, message)
    status = section(job, "status")
    state = str(status.get("jobDeploymentStatus"))
    if state not in _RAY_ENDED:
        return None
    outcome = str(status.get("jobStatus") or state)
    return End(str(status.get("endTime") or ""), outcome != _RAY_SUCCEEDED, outcome, str(status.get("message") or ""))


WORKLOADS: Final = "/apis/kueue.x-k8s.io/v1beta2/workloads"
CLUSTER_QUEUES: Final = "/apis/kueue.x-k8s.io/v1beta2/clusterqueues"
LOCAL_QUEUES: Final = "/apis/kueue.x-k8s.io/v1beta2/localqueues"
REQUESTS: Final = "/apis/autoscaling.x-k8s.io/v1/provisioningrequests"
TOPOLOGIES: Final = "/apis/kueue.x-k8s.io/v1beta2/topologies"
WORKLOAD_PRIORITIES: Final = "/apis/kueue.x-k8s.io/v1beta2/workloadpriorityclasses"
POD_PRIORITIES: Final = "/apis/scheduling.k8s.io/v1/priorityclasses"
EVENTS: Final = "/api/v1/events"
NODES: Final = "/api/v1/nodes"
SERVICES: Final = tuple(each.path for each in OWNERS if not each.ends)
"""What runs for ever: it is shown, and nothing waits for its end."""
_RUNS_TO_COMPLETION: Final = tuple(each for each in OWNERS if each.ends)


class Lists(Protocol):
    """Where lists are read: an API server, or copies of its lists."""

    def items(self, path: str, /) -> list[Document]:
        """The objects of the list at `path`."""
        ...


def label_of(namespace: str | None, name: str) -> str:
    """How an object is called to a reader: with its namespace unless that is the default one.

    >>> label_of("team-a", "train"), label_of("default", "train")
    ('team-a/train', 'train')
    """
    return name if namespace in (None, "", gke.DEFAULT_NAMESPACE) else f"{namespace}/{name}"


def label(document: Document) -> str:
    """How an object is called to a reader."""
    metadata = document["metadata"]
    return label_of(metadata.get("namespace"), metadata["name"])


def owner_label(document: Document) -> str:
    """How the object that owns `document` is called, or itself when nobody does."""
    return label_of(document["metadata"].get("namespace"), owner_name(document))


def owner_uid(document: Document) -> str:
    """The uid of the object that owns `document`; empty when nobody does."""
    owners = entries(document, "metadata", "ownerReferences")
    return str(owners[0].get("uid", "")) if owners else ""


def job_of_pod(pod: Document) -> str | None:
    """How the JobSet, RayJob or Job of a pod is called; None for a pod of none."""
    labels = section(pod, "metadata", "labels")
    name = next((found for owner in _RUNS_TO_COMPLETION if (found := owner.name_in(labels))), None)
    return label_of(pod["metadata"].get("namespace"), name) if name else None


def pool_of(node: Document) -> str:
    """The node pool of a node; `-` for a node of none."""
    return str(section(node, "metadata", "labels").get(gke.LABEL_NODE_POOL, "-"))


def is_finished(job: Document) -> bool:
    """Whether a job has come to its end, either way."""
    return end_of(job) is not None


def has_failed(job: Document) -> bool:
    """Whether a job ended without success."""
    end = end_of(job)
    return end is not None and end.is_failure


def owner_name(document: Document) -> str:
    """Name of the object that owns `document`, or its own when nobody does."""
    owners = entries(document, "metadata", "ownerReferences")
    return str(owners[0]["name"] if owners else document["metadata"]["name"])


def admitted_by(workload: Document) -> str:
    """Name of the ClusterQueue in which the Workload holds quota; empty when it holds none."""
    return str(section(workload, "status", "admission").get("clusterQueue", ""))


def seconds(stamp: str | None) -> float:
    """An RFC 3339 time in seconds since the epoch; 0 for none."""
    return dt.datetime.fromisoformat(stamp).timestamp() if stamp else 0.0


def condition_time(document: Document, type_: str) -> float | None:
    """When a condition became True, in seconds since the epoch; None while it is not."""
    found = condition(document, type_)
    return seconds(found.get("lastTransitionTime")) if found.get("status") == "True" else None


def items_of_users(lists: Lists, path: str) -> list[Document]:
    """The objects outside of system namespaces; none where the cluster does not serve their kind.

    Raises:
        ApiError: the API server cannot be asked, or refuses.
    """
    try:
        found = lists.items(path)
    except ApiError as error:
        if error.is_not_found:
            return []
        raise
    return [item for item in found if not str(item["metadata"].get("namespace")).startswith(gke.SYSTEM_NAMESPACES)]


def readable(lists: Lists, path: str) -> list[Document] | None:
    """The objects of a list; None where the credentials do not allow to read it."""
    try:
        return items_of_users(lists, path)
    except ApiError as error:
        if error.is_forbidden:
            return None
        raise


def owner_kind(document: Document) -> str:
    """The kind of the object that owns `document`; empty when nobody does."""
    owners = entries(document, "metadata", "ownerReferences")
    return str(owners[0]["kind"]) if owners else ""
