"""Kueue's smaller documents, of `kueue.x-k8s.io/v1beta2`: flavors, cohorts, local queues, priorities of workloads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NotRequired, TypedDict

from components.model.facts import gke
from components.model.plan.queues import FlavorPlan

if TYPE_CHECKING:
    from components.manifests.metadata import Metadata
    from components.model.plan.queues import CohortPlan, LocalQueuePlan, NodeFlavorPlan, PriorityPlan

GROUP: Final = "kueue.x-k8s.io"
API_VERSION: Final = f"{GROUP}/v1beta2"


class Toleration(TypedDict):
    """Lets pods onto nodes with a taint."""

    key: str
    operator: str
    value: str
    effect: str


class ResourceFlavorSpec(TypedDict):
    """The nodes of a flavor; without labels, all nodes."""

    nodeLabels: NotRequired[dict[str, str]]
    tolerations: NotRequired[list[Toleration]]
    """Kueue adds them to the pods that it admits to the flavor, and to those for which it requests nodes."""


class ResourceFlavor(TypedDict):
    """A kind of resource as queues count it."""

    apiVersion: str
    kind: str
    metadata: Metadata
    spec: ResourceFlavorSpec


class FairSharing(TypedDict):
    """The fair-sharing weight of a queue or cohort."""

    weight: str


class CohortSpec(TypedDict):
    """The parent of a cohort, and its weight."""

    parentName: NotRequired[str]
    fairSharing: NotRequired[FairSharing]


class Cohort(TypedDict):
    """Queues that lend each other what is idle."""

    apiVersion: str
    kind: str
    metadata: Metadata
    spec: CohortSpec


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


def resource_flavor(flavor: FlavorPlan | NodeFlavorPlan) -> ResourceFlavor:
    """The flavor's document.

    A flavor of queued nodes has their tolerations: users need not know which nodes those are, and Kueue requests nodes
    for a template of pods, to which nothing adds the toleration of TPU or GPU nodes.
    """
    spec: ResourceFlavorSpec = {}
    if flavor.labels:
        spec["nodeLabels"] = dict(flavor.labels)
    if flavor.is_queued:
        is_tpu = isinstance(flavor, FlavorPlan)
        accelerator = (gke.TAINT_TPU_KEY, gke.TAINT_TPU_VALUE) if is_tpu else (gke.RESOURCE_GPU, gke.TAINT_GPU_VALUE)
        taints = (accelerator, (gke.LABEL_QUEUED, gke.QUEUED_VALUE))
        spec["tolerations"] = [_toleration(key, value) for key, value in taints]
    return {"apiVersion": API_VERSION, "kind": "ResourceFlavor", "metadata": {"name": flavor.name}, "spec": spec}


def _toleration(key: str, value: str) -> Toleration:
    return {"key": key, "operator": "Equal", "value": value, "effect": "NoSchedule"}


def cohort(plan: CohortPlan) -> Cohort:
    """The cohort's document."""
    spec: CohortSpec = {}
    if plan.parent is not None:
        spec["parentName"] = plan.parent
    if plan.fair_share_weight is not None:
        spec["fairSharing"] = {"weight": plan.fair_share_weight}
    return {"apiVersion": API_VERSION, "kind": "Cohort", "metadata": {"name": plan.name}, "spec": spec}


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
