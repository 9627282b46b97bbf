"""Everything that the timeline is made of, read from one API server, and how jobs came to their end."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field
from typing import Final, NamedTuple, Protocol

from components.kubeapi import ApiError
from components.kubeapi.documents import Document, condition, entries, is_true, section
from components.kubeapi.owners import JOBS, JOBSETS, OWNERS, PODS, RAY_JOBS
from components.kubeapi.shown import REAL, Shown, shown_here
from components.model.facts import gke, kinds

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """The objects as they are now and the events so far; system namespaces are left out."""

    workloads: list[Document]
    """Kueue's Workloads, oldest first."""
    jobs: list[Document]
    """JobSets, RayJobs, and Jobs that belong to no other object or to a CronJob, oldest first."""
    child_jobs: list[Document]
    """Jobs that belong to a JobSet, oldest first."""
    pods: list[Document]
    """Pods, by name."""
    events: list[Document]
    """Events, in the order in which the API server wrote them."""
    nodes: list[Document]
    """Nodes, by name."""
    node_pools: dict[str, str]
    """Node pool by node name; whoever reads again and again keeps the nodes that are gone in it."""
    queues: list[Document]
    """Kueue's ClusterQueues, by name."""
    local_queues: list[Document]
    """Kueue's LocalQueues, by namespace and name."""
    requests: list[Document]
    """ProvisioningRequests, by which Kueue asks for nodes before a workload starts; by age."""
    services: list[Document]
    """What runs for ever and belongs to no other object, such as Deployments, by namespace and name."""
    variants: list[Document] = field(default_factory=list["Document"])
    """Workloads by which Kueue tries each flavor for another Workload, their owner; oldest first."""
    topologies: list[Document] | None = None
    """Kueue's Topologies, by name; None where they may not be read."""
    priorities: dict[str, list[Document] | None] = field(default_factory=dict[str, "list[Document] | None"])
    """Priority classes by the path of their list, for workloads and for pods; None where they may not be read."""
    shown: Shown = REAL
    """Which moments a reader is shown."""

    def variants_of(self, workload: Document) -> list[Document]:
        """The Workloads by which Kueue tries each flavor for this one; none where it tries one after the other."""
        return [each for each in self.variants if owner_uid(each) == workload["metadata"]["uid"]]

    def lasted(self, since: float, until: float) -> float:
        """How long it was for a reader from one real moment to another, in seconds."""
        return self.shown.at(until) - self.shown.at(since)


class Lists(Protocol):
    """Where lists are read: an API server, or copies of its lists."""

    def items(self, path: str, /) -> list[Document]:
        """The objects of the list at `path`."""
        ...


def read_record(lists: Lists) -> Record:
    """The record of a cluster; kinds that it does not serve are empty.

    Raises:
        kubeapi.ApiError, kubeapi.UnreachableError: it could not be read.
    """
    found, workloads = items_of_users(lists, JOBS), sorted(items_of_users(lists, WORKLOADS), key=_age)
    alone = [job for job in found if _owner_kind(job) in ("", kinds.CRON_JOB.name)]
    jobs = [*items_of_users(lists, JOBSETS), *items_of_users(lists, RAY_JOBS), *alone]
    nodes = sorted(lists.items(NODES), key=_name)
    return Record(
        workloads=[each for each in workloads if _owner_kind(each) != "Workload"],
        variants=[each for each in workloads if _owner_kind(each) == "Workload"],
        jobs=sorted(jobs, key=_age),
        child_jobs=sorted((job for job in found if _owner_kind(job) == "JobSet"), key=_age),
        pods=sorted(
            items_of_users(lists, PODS), key=lambda pod: (pod["metadata"]["name"], pod["metadata"].get("namespace", ""))
        ),
        nodes=nodes,
        events=sorted(items_of_users(lists, EVENTS), key=lambda event: int(event["metadata"]["resourceVersion"])),
        node_pools={node["metadata"]["name"]: pool_of(node) for node in nodes},
        queues=sorted(items_of_users(lists, CLUSTER_QUEUES), key=_name),
        local_queues=sorted(items_of_users(lists, LOCAL_QUEUES), key=_name),
        requests=sorted(items_of_users(lists, REQUESTS), key=_age),
        services=sorted(
            (each for path in SERVICES for each in items_of_users(lists, path) if not _owner_kind(each)), key=_name
        ),
        topologies=readable(lists, TOPOLOGIES),
        priorities={path: readable(lists, path) for path in (WORKLOAD_PRIORITIES, POD_PRIORITIES)},
        shown=shown_here(),
    )


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


def _owner_kind(document: Document) -> str:
    """The kind of the object that owns `document`; empty when nobody does."""
    owners = entries(document, "metadata", "ownerReferences")
    return str(owners[0]["kind"]) if owners else ""


def _name(document: Document) -> tuple[str, str]:
    return str(document["metadata"].get("namespace", "")), document["metadata"]["name"]


def _age(document: Document) -> tuple[str, int]:
    metadata = document["metadata"]
    return metadata["creationTimestamp"], int(metadata["resourceVersion"])
