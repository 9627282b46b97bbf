"""Calls about nodes to a cluster's API server: register, change, fail and remove them."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any, Final

from components.kubeapi import Api, ApiError, Informers
from components.kubeapi.documents import Document, entries, section, stamp
from components.kubeapi.jobs import NODES
from components.kubeapi.owners import PODS
from simulator.nodes import ANNOTATION_BROKEN, ANNOTATION_LOST, ready_conditions

if TYPE_CHECKING:
    from simulator.cloud.machines import Node

_DRAIN_SECONDS: Final = 60.0


def add(api: Api, nodes: list[Node]) -> None:
    """Register the nodes, which are ready from then on: so a node takes one request, and not five.

    One that is there stays as it is: work that was interrupted is done again.

    Raises:
        kubeapi.ApiError, kubeapi.UnreachableError: the API server refused one, or is away.
    """
    for node in nodes:
        status = {**section(node, "status"), "conditions": ready_conditions(stamp())}
        try:
            api.create(NODES, {**node, "status": status})
        except ApiError as error:
            if error.reason != "AlreadyExists":
                raise


def update(api: Api, nodes: list[Node]) -> None:
    """Give nodes that exist the labels and taints of `nodes`."""
    for node in nodes:
        path = f"/api/v1/nodes/{node['metadata']['name']}"
        wanted = section(node, "metadata", "labels")
        gone = dict.fromkeys(section(api.get(path), "metadata", "labels").keys() - wanted.keys())
        taints = entries(node, "spec", "taints")
        api.merge(path, {"metadata": {"labels": {**gone, **wanted}}, "spec": {"taints": taints}})


def fail(api: Api, names: list[str]) -> None:
    """Make the machines of the nodes fail: not Ready, and what runs there does not end by itself.

    The rest is Kubernetes' own doing: the node life cycle controller taints them, and their pods are evicted after
    their toleration of it, unless most nodes of the zone have failed: then it suspects its own connection.
    """
    for name in names:
        _fail(api, name)
    on_them = [pod for pod in api.items(PODS) if section(pod, "spec").get("nodeName") in names]
    for pod in on_them:
        if ANNOTATION_LOST not in section(pod, "metadata", "annotations"):
            api.merge(_path(pod), {"metadata": {"annotations": {ANNOTATION_LOST: "true"}}})


def remove(informers: Informers, names: list[str]) -> None:
    """Delete the nodes once the pods on them have ended, or a minute has passed.

    kwok plays no pod of a node that is gone: one that has not ended stays until Kubernetes finds that it is orphaned.
    """
    here = {node["metadata"]["name"] for node in informers.items(NODES)}.intersection(names)
    pods = [pod for pod in informers.items(PODS) if section(pod, "spec").get("nodeName") in here]
    if pods:
        _drain(informers, pods)
    for name in names:
        informers.api.delete(f"/api/v1/nodes/{name}")


def _drain(informers: Informers, pods: list[Document]) -> None:
    """Close the nodes of the pods, delete the pods, and wait for their end."""
    uids, ended = {pod["metadata"]["uid"] for pod in pods}, threading.Event()
    with informers.filtered(
        PODS, lambda _: ended.set(), lambda pod: pod["metadata"]["uid"] in uids and not _is_over(pod)
    ) as on:
        for name in sorted({pod["spec"]["nodeName"] for pod in pods}):
            informers.api.merge(f"/api/v1/nodes/{name}", {"spec": {"unschedulable": True}})
        for pod in pods:
            informers.api.delete(_path(pod))
        deadline = time.monotonic() + _DRAIN_SECONDS
        while on.objects() and ended.wait(deadline - time.monotonic()):
            ended.clear()


def _is_over(pod: Document) -> bool:
    """Whether nothing of a deleted pod runs any more; a finalizer may still keep it."""
    return pod["metadata"].get("deletionGracePeriodSeconds") == 0


def _path(pod: Document) -> str:
    metadata = pod["metadata"]
    return f"/api/v1/namespaces/{metadata['namespace']}/pods/{metadata['name']}"


def _fail(api: Api, name: str) -> None:
    path = f"/api/v1/nodes/{name}"
    document = api.find(path)
    if document is None:
        return
    api.merge(path, {"metadata": {"annotations": {ANNOTATION_BROKEN: "true"}}})
    conditions = [_unknown(each) for each in entries(document, "status", "conditions")]
    api.merge(f"{path}/status", {"status": {"conditions": conditions}})


def _unknown(condition: dict[str, Any]) -> dict[str, Any]:
    """The Ready condition as the node life cycle controller writes it when a kubelet is silent; others stay."""
    if condition["type"] != "Ready" or condition["status"] == "Unknown":
        return condition
    return {
        **condition,
        "status": "Unknown",
        "reason": "NodeStatusUnknown",
        "message": "Kubelet stopped posting node status.",
        "lastTransitionTime": stamp(),
    }
