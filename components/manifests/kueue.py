"""Kueue's documents, all of `kueue.x-k8s.io/v1beta2`: flavors, queues, priorities of workloads.

Quantities are in the form in which the API server returns them ("24"), so that nothing looks changed that is not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NotRequired, TypedDict

from components.model import gke

if TYPE_CHECKING:
    from components.manifests.metadata import Metadata
    from components.model.plan import FlavorPlan, LocalQueuePlan, PriorityPlan, QueueFlavorPlan, QueuePlan

API_VERSION: Final = "kueue.x-k8s.io/v1beta2"


class ResourceFlavorSpec(TypedDict):
    """Which nodes a flavor is."""

    nodeLabels: dict[str, str]


class ResourceFlavor(TypedDict):
    """A kind of resource as queues count it."""

    apiVersion: str
    kind: str
    metadata: Metadata
    spec: ResourceFlavorSpec


class FlavorResource(TypedDict):
    """A resource's quota."""

    name: str
    nominalQuota: str


class FlavorQuotas(TypedDict):
    """A flavor's quotas, one per covered resource and in their order."""

    name: str
    resources: list[FlavorResource]


class ResourceGroup(TypedDict):
    """Resources whose quota comes from the same flavors."""

    coveredResources: list[str]
    flavors: list[FlavorQuotas]


class Preemption(TypedDict):
    """Whom the queue may evict."""

    withinClusterQueue: str


class ClusterQueueSpec(TypedDict):
    """A queue's quota and how it is handed out."""

    namespaceSelector: dict[str, object]
    """Empty matches every namespace; left out, none."""
    queueingStrategy: str
    preemption: Preemption
    resourceGroups: list[ResourceGroup]


class ClusterQueue(TypedDict):
    """A queue with quota."""

    apiVersion: str
    kind: str
    metadata: Metadata
    spec: ClusterQueueSpec


class LocalQueueSpec(TypedDict):
    """Where a local queue leads."""

    clusterQueue: str


class LocalQueue(TypedDict):
    """A namespace's entrance to a queue."""

    apiVersion: str
    kind: str
    metadata: Metadata
    spec: LocalQueueSpec


class WorkloadPriorityClass(TypedDict):
    """The order of workloads in queues; its fields stand beside the metadata, there is no spec."""

    apiVersion: str
    kind: str
    metadata: Metadata
    value: int
    description: NotRequired[str]


def resource_flavor(flavor: FlavorPlan) -> ResourceFlavor:
    """The flavor's document."""
    return {
        "apiVersion": API_VERSION,
        "kind": "ResourceFlavor",
        "metadata": {"name": flavor.name},
        "spec": {"nodeLabels": dict(flavor.labels)},
    }


def cluster_queue(queue: QueuePlan) -> ClusterQueue:
    """The queue's document, with one group for its chips."""
    return {
        "apiVersion": API_VERSION,
        "kind": "ClusterQueue",
        "metadata": {"name": queue.name},
        "spec": {
            "namespaceSelector": {},
            "queueingStrategy": queue.strategy,
            "preemption": {"withinClusterQueue": queue.within_cluster_queue},
            "resourceGroups": [
                {
                    "coveredResources": [gke.RESOURCE_TPU],
                    "flavors": [_flavor_quotas(flavor) for flavor in queue.flavors],
                }
            ],
        },
    }


def _flavor_quotas(flavor: QueueFlavorPlan) -> FlavorQuotas:
    return {"name": flavor.name, "resources": [{"name": gke.RESOURCE_TPU, "nominalQuota": str(flavor.chips)}]}


def local_queue(queue: LocalQueuePlan) -> LocalQueue:
    """The local queue's document."""
    return {
        "apiVersion": API_VERSION,
        "kind": "LocalQueue",
        "metadata": {"name": queue.name, "namespace": queue.namespace},
        "spec": {"clusterQueue": queue.queue},
    }


def workload_priority_class(priority: PriorityPlan) -> WorkloadPriorityClass:
    """The priority as Kueue orders waiting workloads by it."""
    document: WorkloadPriorityClass = {
        "apiVersion": API_VERSION,
        "kind": "WorkloadPriorityClass",
        "metadata": {"name": priority.name},
        "value": priority.value,
    }
    if priority.description is not None:
        document["description"] = priority.description
    return document
