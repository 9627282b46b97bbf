"""Everything that the timeline is made of, read from one API server."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from components.model import gke
from kubeapi import ApiError
from kubeapi.documents import condition, entries, is_true, section

if TYPE_CHECKING:
    from kubeapi import Api
    from kubeapi.documents import Document

WORKLOADS: Final = "/apis/kueue.x-k8s.io/v1beta2/workloads"
JOBSETS: Final = "/apis/jobset.x-k8s.io/v1alpha2/jobsets"
JOBS: Final = "/apis/batch/v1/jobs"
EVENTS: Final = "/api/v1/events"
PODS: Final = "/api/v1/pods"
NODES: Final = "/api/v1/nodes"
_SYSTEM_NAMESPACES: Final = frozenset(
    {"kube-system", "kube-public", "kube-node-lease", "kueue-system", "jobset-system"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """The objects as they are now and the events so far; system namespaces are left out."""

    workloads: list[Document]
    """Kueue's Workloads, oldest first."""
    jobs: list[Document]
    """JobSets, and Jobs that belong to no other object, oldest first."""
    pods: list[Document]
    """Pods of jobs, by name."""
    events: list[Document]
    """Events, in the order in which the API server wrote them."""
    node_pools: dict[str, str]
    """Node pool by node name."""


def read_record(api: Api) -> Record:
    """The record of a cluster; kinds that it does not serve are empty.

    Raises:
        kubeapi.ApiError, kubeapi.UnreachableError: it could not be read.
    """
    jobs = [
        *_items(api, JOBSETS),
        *(job for job in _items(api, JOBS) if not entries(job, "metadata", "ownerReferences")),
    ]
    nodes = api.items(NODES)
    return Record(
        workloads=sorted(_items(api, WORKLOADS), key=_age),
        jobs=sorted(jobs, key=_age),
        pods=sorted(_items(api, PODS), key=lambda pod: pod["metadata"]["name"]),
        events=sorted(_items(api, EVENTS), key=lambda event: int(event["metadata"]["resourceVersion"])),
        node_pools={
            node["metadata"]["name"]: section(node, "metadata", "labels").get(gke.LABEL_NODE_POOL, "-")
            for node in nodes
        },
    )


def is_finished(job: Document) -> bool:
    """Whether a JobSet or Job has come to its end, either way."""
    return any(is_true(job, type_) for type_ in ("Completed", "Complete", "Failed"))


def has_failed(job: Document) -> bool:
    """Whether a JobSet or Job ended without success."""
    return is_true(job, "Failed")


def owner_name(document: Document) -> str:
    """Name of the object that owns `document`, or its own when nobody does."""
    owners = entries(document, "metadata", "ownerReferences")
    return str(owners[0]["name"] if owners else document["metadata"]["name"])


def chips_of(workload: Document) -> int:
    """Chips that a Workload asks for."""
    total = 0
    for pod_set in entries(workload, "spec", "podSets"):
        containers = entries(section(pod_set, "template", "spec"), "containers")
        each = sum(_requested(container) for container in containers)
        total += int(pod_set.get("count", 1)) * each
    return total


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


def _items(api: Api, path: str) -> list[Document]:
    try:
        found = api.items(path)
    except ApiError as error:
        if error.is_not_found:
            return []
        raise
    return [item for item in found if item["metadata"].get("namespace") not in _SYSTEM_NAMESPACES]


def _age(document: Document) -> tuple[str, int]:
    metadata = document["metadata"]
    return metadata["creationTimestamp"], int(metadata["resourceVersion"])


def _requested(container: Document) -> int:
    resources = section(container, "resources")
    amounts = section(resources, "limits") | section(resources, "requests")
    return int(amounts.get(gke.RESOURCE_TPU) or 0)
