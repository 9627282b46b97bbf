"""Everything that the timeline is made of, read from one API server."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from components.kubeapi.jobs import (
    CLUSTER_QUEUES,
    EVENTS,
    LOCAL_QUEUES,
    NODES,
    POD_PRIORITIES,
    REQUESTS,
    SERVICES,
    TOPOLOGIES,
    WORKLOAD_PRIORITIES,
    WORKLOADS,
    Lists,
    items_of_users,
    owner_kind,
    owner_uid,
    pool_of,
    readable,
)
from components.kubeapi.owners import JOBS, JOBSETS, PODS, RAY_JOBS
from components.model.facts import kinds
from simulator.shown import REAL, Shown, shown_here

if TYPE_CHECKING:
    from components.kubeapi.documents import Document


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


def read_record(lists: Lists) -> Record:
    """The record of a cluster; kinds that it does not serve are empty.

    Raises:
        kubeapi.ApiError, kubeapi.UnreachableError: it could not be read.
    """
    found, workloads = items_of_users(lists, JOBS), sorted(items_of_users(lists, WORKLOADS), key=_age)
    alone = [job for job in found if owner_kind(job) in ("", kinds.CRON_JOB.name)]
    jobs = [*items_of_users(lists, JOBSETS), *items_of_users(lists, RAY_JOBS), *alone]
    nodes = sorted(lists.items(NODES), key=_name)
    return Record(
        workloads=[each for each in workloads if owner_kind(each) != "Workload"],
        variants=[each for each in workloads if owner_kind(each) == "Workload"],
        jobs=sorted(jobs, key=_age),
        child_jobs=sorted((job for job in found if owner_kind(job) == "JobSet"), key=_age),
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
            (each for path in SERVICES for each in items_of_users(lists, path) if not owner_kind(each)), key=_name
        ),
        topologies=readable(lists, TOPOLOGIES),
        priorities={path: readable(lists, path) for path in (WORKLOAD_PRIORITIES, POD_PRIORITIES)},
        shown=shown_here(),
    )


def _name(document: Document) -> tuple[str, str]:
    return str(document["metadata"].get("namespace", "")), document["metadata"]["name"]


def _age(document: Document) -> tuple[str, int]:
    metadata = document["metadata"]
    return metadata["creationTimestamp"], int(metadata["resourceVersion"])
