"""Pods that wait and nodes, as the API server has them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from simulator.cloud.service import merged
from simulator.scaling.pods import Pod
from simulator.scaling.quantities import amounts
from simulator.scaling.snapshot import NodeSlot

if TYPE_CHECKING:
    from components.kubeapi import Document
    from simulator.cloud.api import Body

TPU = "google.com/tpu"
GPU = "nvidia.com/gpu"
POOL = "cloud.google.com/gke-nodepool"
QUEUED_TOLERATION = {
    "key": "cloud.google.com/gke-queued",
    "operator": "Equal",
    "value": "true",
    "effect": "NoSchedule",
}
TPU_TAINT = {"key": TPU, "value": "present", "effect": "NoSchedule"}

SLICE: Body = {
    "config": {"machineType": "ct6e-standard-4t"},
    "locations": ["us-west4-a"],
    "placementPolicy": {"type": "COMPACT", "tpuTopology": "2x4"},
    "autoscaling": {"enabled": True, "maxNodeCount": 2},
}
"""An autoscaled pool of one v6e slice of two hosts, in the words of the API."""
FLEX_SLICE: Body = merged(
    SLICE,
    {
        "config": {"flexStart": True, "reservationAffinity": {"consumeReservationType": "NO_RESERVATION"}},
        "management": {"autoRepair": False, "autoUpgrade": True},
    },
)
QUEUED_SLICE: Body = merged(FLEX_SLICE, {"queuedProvisioning": {"enabled": True}})


@dataclass
class Waiting:
    """A pod that the scheduler found no node for."""

    name: str
    requests: dict[str, str] = field(default_factory=dict[str, str])
    spec: Document = field(default_factory=dict[str, Any])
    labels: dict[str, str] = field(default_factory=dict[str, str])
    selector: dict[str, str] = field(default_factory=dict[str, str])
    annotations: dict[str, str] = field(default_factory=dict[str, str])

    def selecting(self, **labels: str) -> Self:
        """With a node selector of GKE's labels, by their last part."""
        self.selector |= {f"cloud.google.com/{key.replace('_', '-')}": value for key, value in labels.items()}
        return self

    def on_slice(self, accelerator: str, topology: str, chips: int = 4) -> Self:
        """A worker of a TPU slice; tolerated as the API server adds it to every pod that asks for chips."""
        self.requests[TPU] = str(chips)
        self.spec["tolerations"] = [{"key": TPU, "operator": "Exists", "effect": "NoSchedule"}]
        return self.selecting(gke_tpu_accelerator=accelerator, gke_tpu_topology=topology)

    def on_gpu(self, name: str, count: int = 1) -> Self:
        """With GPUs."""
        self.requests[GPU] = str(count)
        self.spec["tolerations"] = [{"key": GPU, "operator": "Exists", "effect": "NoSchedule"}]
        return self.selecting(gke_accelerator=name)

    def queued(self) -> Self:
        """Tolerating the taint of queued nodes, as Kueue lets the pods of a flavor do."""
        self.spec.setdefault("tolerations", []).append(QUEUED_TOLERATION)
        return self

    def consuming(self, request: str) -> Self:
        """For the nodes of a ProvisioningRequest, as Kueue makes the pods of the workload that it was for."""
        self.annotations["autoscaling.x-k8s.io/consume-provisioning-request"] = request
        return self

    def exclusive(self, job: str) -> Self:
        """As JobSet's webhook makes the leader of a job that wants a node pool for itself."""
        key = "jobset.sigs.k8s.io/job-key"
        self.labels[key] = job
        own = {"matchExpressions": [{"key": key, "operator": "In", "values": [job]}]}
        others = {
            "matchExpressions": [
                {"key": key, "operator": "Exists"},
                {"key": key, "operator": "NotIn", "values": [job]},
            ]
        }
        required = "requiredDuringSchedulingIgnoredDuringExecution"
        term: Document = {"topologyKey": POOL, "namespaceSelector": {}}
        self.spec["affinity"] = {
            "podAffinity": {required: [{**term, "labelSelector": own}]},
            "podAntiAffinity": {required: [{**term, "labelSelector": others}]},
        }
        return self

    @property
    def document(self) -> Document:
        """As the API server has it."""
        return {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {
                "name": self.name,
                "namespace": "team",
                "uid": f"uid-{self.name}",
                "labels": self.labels,
                "annotations": self.annotations,
                "creationTimestamp": "2026-11-21T10:00:00Z",
            },
            "spec": {
                "nodeSelector": self.selector,
                "containers": [{"name": "c", "resources": {"requests": self.requests}}],
                **self.spec,
            },
            "status": {
                "phase": "Pending",
                "conditions": [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}],
            },
        }

    @property
    def pod(self) -> Pod:
        """As the autoscaler sees it."""
        return Pod(self.document)


def a_template(name: str, pod: Waiting) -> Document:
    """The PodTemplate of pods like that one."""
    document = pod.document
    return {
        "apiVersion": "v1",
        "kind": "PodTemplate",
        "metadata": {"name": name, "namespace": "team"},
        "template": {"metadata": {"labels": pod.labels}, "spec": document["spec"]},
    }


def a_request(name: str, *pod_sets: tuple[str, int], **parameters: str) -> Document:
    """A ProvisioningRequest for so many pods of each PodTemplate, as Kueue makes it."""
    return {
        "apiVersion": "autoscaling.x-k8s.io/v1",
        "kind": "ProvisioningRequest",
        "metadata": {
            "name": name,
            "namespace": "team",
            "uid": f"uid-{name}",
            "generation": 1,
            "resourceVersion": "1",
            "creationTimestamp": "2026-11-21T10:00:00Z",
        },
        "spec": {
            "provisioningClassName": "queued-provisioning.gke.io",
            "parameters": parameters,
            "podSets": [{"podTemplateRef": {"name": template}, "count": count} for template, count in pod_sets],
        },
    }


def a_slot(name: str = "n1", *pods: Pod, taints: list[Document] | None = None, **labels: str) -> NodeSlot:
    """A node of 4 cores and 8 GiB with pods on it; labels are given by their last part."""
    free = amounts({"cpu": "4", "memory": "8Gi", "pods": "10"})
    named = {f"cloud.google.com/{key.replace('_', '-')}": value for key, value in labels.items()}
    slot = NodeSlot(name=name, labels=named, taints=taints or [], free=free)
    for pod in pods:
        slot.put(pod)
    return slot
