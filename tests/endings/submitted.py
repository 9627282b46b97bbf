"""The work of users that no stack knows: in queues and beside them, on slices and on ordinary nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from components.kubeapi.owners import JOBS, JOBSETS, PODS
from components.model.facts import gke

if TYPE_CHECKING:
    from collections.abc import Iterable

    from components.kubeapi import Api
    from components.kubeapi.documents import Document

_DEPLOYMENTS: Final = "/apis/apps/v1/deployments"
_PATHS: Final = {"JobSet": JOBSETS, "Job": JOBS, "Pod": PODS, "Deployment": _DEPLOYMENTS}
_VERSIONS: Final = {"JobSet": "jobset.x-k8s.io/v1alpha2", "Job": "batch/v1", "Pod": "v1", "Deployment": "apps/v1"}
_RESTARTS: Final = 100


def job_set(title: str, queue: str, slices: int, hosts: int) -> Document:
    """A JobSet for ever, of slices with 4 chips a host; it starts again whenever it loses a pod."""
    pod = {"restartPolicy": "Never", "containers": [_container({gke.RESOURCE_TPU: "4"})]}
    job = {"parallelism": hosts, "completions": hosts, "backoffLimit": 0, "template": {"spec": pod}}
    made = _document("JobSet", title)
    made["metadata"]["labels"] = {gke.LABEL_QUEUE_NAME: queue}
    made["metadata"]["annotations"] = {gke.ANNOTATION_EXCLUSIVE_TOPOLOGY: gke.LABEL_NODE_POOL}
    made["spec"] = {
        "failurePolicy": {"maxRestarts": _RESTARTS},
        "replicatedJobs": [{"name": "slice", "replicas": slices, "template": {"spec": job}}],
    }
    return made


def job(title: str) -> Document:
    """A Job for ever in no queue, on an ordinary node."""
    spec = {"restartPolicy": "OnFailure", "containers": [_container({"cpu": "100m"})]}
    return {**_document("Job", title), "spec": {"backoffLimit": _RESTARTS, "template": {"spec": spec}}}


def pod(title: str) -> Document:
    """A bare pod on an ordinary node."""
    return {**_document("Pod", title), "spec": {"containers": [_container({"cpu": "100m"})]}}


def deployment(title: str, **selector: str) -> Document:
    """A Deployment of one pod: on a host of 4 chips that the selector names, or without one on an ordinary node."""
    labels = {"app": title.rpartition("/")[2]}
    requests = {gke.RESOURCE_TPU: "4"} if selector else {"cpu": "100m"}
    spec = {"containers": [_container(requests)], "nodeSelector": selector}
    template = {"metadata": {"labels": labels}, "spec": spec}
    return {**_document("Deployment", title), "spec": {"selector": {"matchLabels": labels}, "template": template}}


def submit(api: Api, documents: Iterable[Document]) -> bool:
    """Create what is not there; whether that was anything."""
    is_new = False
    for each in documents:
        namespace, name = each["metadata"]["namespace"], each["metadata"]["name"]
        path = _collection(each["kind"], namespace)
        if api.find(f"{path}/{name}") is None:
            api.create(path, each)
            is_new = True
    return is_new


def withdraw(api: Api, kind: str, title: str) -> None:
    """Delete an object, with all that it owns."""
    namespace, _, name = title.partition("/")
    api.delete(f"{_collection(kind, namespace)}/{name}", {"propagationPolicy": "Foreground"})


def _collection(kind: str, namespace: str) -> str:
    head, _, plural = _PATHS[kind].rpartition("/")
    return f"{head}/namespaces/{namespace}/{plural}"


def _document(kind: str, title: str) -> dict[str, Any]:
    namespace, _, name = title.partition("/")
    return {"apiVersion": _VERSIONS[kind], "kind": kind, "metadata": {"namespace": namespace, "name": name}}


def _container(requests: dict[str, str]) -> dict[str, Any]:
    return {
        "name": "run",
        "image": "docker.io/library/busybox:1.37.0",
        "command": ["sleep", "8640000"],
        "resources": {"requests": requests, "limits": requests},
    }
