"""When a Kubernetes object counts as created or gone.

As the official provider: a few kinds are waited for (a Deployment or StatefulSet until its rollout is available, a Job
until it is complete, a Pod until it is ready, a claim until it is bound unless its class waits for a pod, a Service
that selects pods until it has an endpoint); all others, custom resources among them, count once the API server has
them. `pulumi.com/waitFor` names another condition for any kind, `pulumi.com/skipAwait: "true"` turns a wait off,
`pulumi.com/timeoutSeconds` sets its limit.
"""

from __future__ import annotations

import json
import threading
import time
from typing import TYPE_CHECKING, Final

from components.kubeapi import Api, WaitError
from components.kubeapi.documents import Document, condition, describe, entries, is_true, section

if TYPE_CHECKING:
    from collections.abc import Callable

_DEFAULT_SECONDS: Final = 600.0
"""The official provider's own limit for most kinds."""
_POLL_SECONDS: Final = 0.1
_SKIP: Final = "pulumi.com/skipAwait"
_TIMEOUT: Final = "pulumi.com/timeoutSeconds"
_WAIT_FOR: Final = "pulumi.com/waitFor"
_CONDITION: Final = "condition"


class AwaitError(Exception):
    """The object exists but did not become ready; one reason per line."""


def await_ready(api: Api, collection: str, live: Document, timeout: float) -> Document:
    """The object once it is ready; at once for kinds that are not waited for.

    Args:
        api: the API server.
        collection: path of the object's collection.
        live: the object as the API server answered to its creation.
        timeout: limit in seconds; 0 leaves it to the annotation or the default.

    Raises:
        AwaitError: it failed, or the limit is over.
    """
    annotations = section(live, "metadata", "annotations")
    awaited = awaited_conditions(live)
    ready = _READY.get(live["kind"]) if awaited is None else awaited
    if ready is None or annotations.get(_SKIP) == "true":
        return live
    limit = timeout or float(annotations.get(_TIMEOUT, _DEFAULT_SECONDS))
    name = live["metadata"]["name"]
    if ready is _has_endpoint:
        return _await_endpoint(api, f"{collection}/{name}", live, limit)

    def done(document: Document | None) -> bool:
        if document is None:
            raise AwaitError(f"{live['kind']} {name} was deleted while it was awaited")
        failure = _failure(document)
        if failure is not None:
            raise AwaitError(failure)
        return ready(api, document)

    try:
        found = api.wait(collection, name, done, seconds=limit, what=f"{live['kind']} {name} to be ready")
    except WaitError as error:
        raise AwaitError(f"{error}{_waiting_containers(api, live)}") from error
    return found or live


def _waiting_containers(api: Api, live: Document) -> str:
    """Why containers of the pods that an object selects do not run: its own conditions do not say."""
    labels = section(live, "spec", "selector", "matchLabels")
    if not labels:
        return ""
    path, selector = f"/api/v1/namespaces/{live['metadata']['namespace']}/pods", map("=".join, labels.items())
    told = [
        f"; pod {pod['metadata']['name']}: {waiting.get('reason')}: {waiting.get('message')}"
        for pod in api.items(path, {"labelSelector": ",".join(selector)})
        for container in entries(pod, "status", "containerStatuses")
        if (waiting := section(container, "state", "waiting"))
    ]
    return "".join(told)


def awaited_conditions(document: Document) -> Callable[[Api, Document], bool] | None:
    """The condition that `pulumi.com/waitFor` names; None without the annotation.

    Raises:
        ValueError: it names no condition, or one not modelled: `condition=TYPE` and `condition=TYPE=STATUS` are,
            alone or in a JSON list, and JSONPath expressions are not.
    """
    stated = section(document, "metadata", "annotations").get(_WAIT_FOR)
    if stated is None:
        return None
    wanted = [_wanted(str(each)) for each in (json.loads(stated) if stated.startswith("[") else [stated])]
    return lambda _, seen: all(condition(seen, type_).get("status") == status for type_, status in wanted)


def _wanted(expression: str) -> tuple[str, str]:
    """Type and status of the condition."""
    word, *rest = expression.split("=")
    match rest:
        case [type_] if word == _CONDITION and type_:
            return type_, "True"
        case [type_, status] if word == _CONDITION and type_ and status:
            return type_, status
        case _:
            raise ValueError(
                f"{expression!r} is not modelled: the simulator knows condition=TYPE and condition=TYPE=STATUS, alone "
                "or in a JSON list"
            )


def await_gone(api: Api, collection: str, live: Document, timeout: float) -> None:
    """Return when the object is gone.

    Raises:
        AwaitError: the limit is over; the text names the finalizers that hold it.
    """
    annotations = section(live, "metadata", "annotations")
    if annotations.get(_SKIP) == "true":
        return
    name, uid = live["metadata"]["name"], live["metadata"]["uid"]
    limit = timeout or float(annotations.get(_TIMEOUT, _DEFAULT_SECONDS))

    def gone(document: Document | None) -> bool:
        return document is None or document["metadata"]["uid"] != uid

    try:
        api.wait(collection, name, gone, seconds=limit, what=f"{live['kind']} {name} to be deleted")
    except WaitError as error:
        left = api.find(f"{collection}/{name}")
        finalizers = ", ".join(section(left, "metadata").get("finalizers") or ())
        held = f"; it is held by its finalizers {finalizers}" if finalizers else ""
        raise AwaitError(f"{error}{held}") from error


def _failure(document: Document) -> str | None:
    """Why the object will not become ready any more."""
    failed = condition(document, "Failed")
    if document["kind"] == "Job" and failed.get("status") == "True":
        return f"Job {document['metadata']['name']} failed: {failed.get('reason')}: {failed.get('message')}"
    if document["kind"] == "Deployment" and condition(document, "Progressing").get("status") == "False":
        return f"Deployment {document['metadata']['name']} does not progress: {describe(document)}"
    return None


def _is_deployed(_: Api, document: Document) -> bool:
    """Whether its rollout has ended. A pod of the old template also counts as available, so none may be left."""
    status = section(document, "status")
    wanted, updated = section(document, "spec").get("replicas", 1), status.get("updatedReplicas", 0)
    return (
        status.get("observedGeneration", 0) >= document["metadata"]["generation"]
        and updated >= wanted
        and updated >= status.get("replicas", 0)
        and status.get("availableReplicas", 0) >= wanted
    )


def _is_rolled_out(_: Api, document: Document) -> bool:
    status = section(document, "status")
    wanted = section(document, "spec").get("replicas", 1)
    return (
        status.get("observedGeneration", 0) >= document["metadata"]["generation"]
        and status.get("readyReplicas", 0) >= wanted
        and status.get("currentRevision") == status.get("updateRevision")
    )


def _is_complete(_: Api, document: Document) -> bool:
    return is_true(document, "Complete")


def _is_running(_: Api, document: Document) -> bool:
    return is_true(document, "Ready") or section(document, "status").get("phase") == "Succeeded"


def _is_bound(api: Api, document: Document) -> bool:
    """Bound, or of a class whose claims stay pending until a pod uses them."""
    if section(document, "status").get("phase") == "Bound":
        return True
    class_ = section(document, "spec").get("storageClassName")
    found = api.find(f"/apis/storage.k8s.io/v1/storageclasses/{class_}") if class_ else None
    return section(found).get("volumeBindingMode") == "WaitForFirstConsumer"


def _await_endpoint(api: Api, path: str, live: Document, limit: float) -> Document:
    """The Service once it has an endpoint. Its endpoints are objects of their own, not seen by its watch."""
    deadline, pause = time.monotonic() + limit, threading.Event()
    while not _has_endpoint(api, live):
        if time.monotonic() > deadline:
            raise AwaitError(
                f"waited {limit:g} s for Service {live['metadata']['name']}: it does not target any Pods. Selected "
                "Pods may not be ready, or field '.spec.selector' may not match labels on any Pods"
            )
        pause.wait(_POLL_SECONDS)
        found = api.find(path)
        if found is None:
            raise AwaitError(f"Service {live['metadata']['name']} was deleted while it was awaited")
        live = found
    return live


def _has_endpoint(api: Api, document: Document) -> bool:
    """A headless Service or one without a selector is ready as it is, as with the official provider."""
    spec = section(document, "spec")
    if spec.get("clusterIP") == "None" or not spec.get("selector"):
        return True
    metadata = document["metadata"]
    path = f"/apis/discovery.k8s.io/v1/namespaces/{metadata['namespace']}/endpointslices"
    slices = api.items(path, {"labelSelector": f"kubernetes.io/service-name={metadata['name']}"})
    return any(entries(each, "endpoints") for each in slices)


def _is_active(_: Api, document: Document) -> bool:
    return section(document, "status").get("phase") == "Active"


_READY: Final[dict[str, Callable[[Api, Document], bool]]] = {
    "Deployment": _is_deployed,
    "Job": _is_complete,
    "Namespace": _is_active,
    "PersistentVolumeClaim": _is_bound,
    "Pod": _is_running,
    "Service": _has_endpoint,
    "StatefulSet": _is_rolled_out,
}
