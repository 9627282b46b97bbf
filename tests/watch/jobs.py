"""Jobs, pods, Workloads and what is said of pods, as an API server holds them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from tests.watch.records import condition, stamp

if TYPE_CHECKING:
    from components.kubeapi import Document

TOO_FEW = "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector."
ORDERED = "pod triggered scale-up: [{https://www.googleapis.com/compute/v1/projects/p/zones/z/g 0->2 (max: 2)}]"
NOT_HELPED = "pod didn't trigger scale-up: 1 max node group size reached"
BACKED_OFF = "pod didn't trigger scale-up: 1 in backoff after failed scale-up"
OUT_OF_STOCK = (
    "Node scale up in zones us-west4-a associated with this pod failed: GCE out of resources. "
    "Pod is at risk of not being scheduled."
)


def a_job(name: str, ended: str | None = None, *, kind: str = "JobSet", second: float = 0, **spec: Any) -> Document:  # noqa: ANN401  any field
    """A job without pods of its own, ended when it has that condition."""
    return {
        "kind": kind,
        "metadata": {
            "name": name,
            "uid": f"{kind}-{name}",
            "creationTimestamp": stamp(second),
            "resourceVersion": "1",
        },
        "spec": spec,
        "status": {"conditions": [condition(ended, second + 9, "Because", "it is so")] if ended else []},
    }


def a_pod(
    job: str,
    phase: str = "Pending",
    node: str | None = None,
    *,
    label: str = "jobset.sigs.k8s.io/jobset-name",
    **status: Any,  # noqa: ANN401  any field
) -> Document:
    """A pod of a job; without a node the scheduler has found none."""
    unscheduled = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": TOO_FEW}
    return {
        "metadata": {
            "name": f"{job}-slice-0-0-aaaaa",
            "uid": f"Pod-{job}",
            "creationTimestamp": stamp(0),
            "labels": {label: job},
        },
        "spec": {"nodeName": node, "containers": [{}]},
        "status": {"phase": phase, "conditions": [] if node else [unscheduled], **status},
    }


def waiting_for(reason: str, message: str) -> dict[str, Any]:
    """The status of a pod whose container does not start."""
    return {"containerStatuses": [{"state": {"waiting": {"reason": reason, "message": message}}}]}


def said(job: str, *told: tuple[str, str], count: int = 1) -> list[Document]:
    """What was said of the pod of a job, in order, as reason and message."""
    about = {"kind": "Pod", "name": f"{job}-slice-0-0-aaaaa", "uid": f"Pod-{job}"}
    return [
        {
            "metadata": {"resourceVersion": str(1000 + place), "creationTimestamp": stamp(place)},
            "involvedObject": about,
            "reason": reason,
            "message": message,
            "count": count,
            "firstTimestamp": stamp(place),
            "lastTimestamp": stamp(place),
        }
        for place, (reason, message) in enumerate(told)
    ]


def a_workload(job: str, *conditions: Document, **spec: Any) -> Document:  # noqa: ANN401  any field
    """The Workload of a job in the LocalQueue `lq`."""
    return {
        "metadata": {
            "name": f"jobset-{job}",
            "namespace": "default",
            "uid": f"Workload-{job}",
            "creationTimestamp": stamp(0),
            "resourceVersion": "2",
            "ownerReferences": [{"kind": "JobSet", "name": job}],
        },
        "spec": {"queueName": "lq", **spec},
        "status": {"conditions": list(conditions)},
    }


def a_request(job: str, *conditions: Document, attempt: int = 1) -> Document:
    """The ProvisioningRequest that Kueue made for the Workload of a job."""
    return {
        "metadata": {
            "name": f"jobset-{job}-nodes-{attempt}",
            "namespace": "default",
            "creationTimestamp": stamp(attempt),
            "resourceVersion": "3",
            "ownerReferences": [{"kind": "Workload", "name": f"jobset-{job}", "uid": f"Workload-{job}"}],
        },
        "status": {"conditions": list(conditions)},
    }


def a_local_queue(name: str = "lq", cluster_queue: str = "cq", namespace: str = "default") -> Document:
    """A LocalQueue."""
    return {"metadata": {"name": name, "namespace": namespace}, "spec": {"clusterQueue": cluster_queue}}


QUEUES: Final = {"local_queues": [a_local_queue()], "queues": [{"metadata": {"name": "cq"}}]}
"""The LocalQueue of `a_workload` and its ClusterQueue, as fields of a record."""
