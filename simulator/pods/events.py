"""The Events that a kubelet or a driver writes about an object; a repeated message only increases its count."""

from __future__ import annotations

import contextlib
import datetime as dt
import hashlib
from typing import TYPE_CHECKING

from kubeapi import ApiError, UnreachableError

if TYPE_CHECKING:
    from kubeapi import Api
    from kubeapi.documents import Document


def warn(api: Api, about: Document, reason: str, message: str, *, source: str, host: str = "") -> None:
    """Write a Warning; an object that has just gone gets none.

    Args:
        api: the API server as its administrator.
        about: the object, with its kind.
        reason: one word, such as `FailedMount`.
        message: what went wrong.
        source: who says it, such as `kubelet`.
        host: the node of who says it.

    Raises:
        UnreachableError: the API server is gone.
    """
    metadata = about["metadata"]
    digest = hashlib.sha256(f"{metadata['uid']} {reason} {message}".encode()).hexdigest()[:16]
    collection = f"/api/v1/namespaces/{metadata['namespace']}/events"
    name = f"{metadata['name']}.{digest}"
    now = f"{dt.datetime.now(dt.UTC):%Y-%m-%dT%H:%M:%SZ}"
    known = api.find(f"{collection}/{name}")
    try:
        if known is not None:
            api.merge(f"{collection}/{name}", {"count": int(known.get("count") or 1) + 1, "lastTimestamp": now})
            return
        said = {"reason": reason, "message": message, "firstTimestamp": now, "lastTimestamp": now}
        api.create(collection, {**_document(about, name, source, host), **said})
    except ApiError as error:
        if not error.is_not_found:
            raise


def _document(about: Document, name: str, source: str, host: str) -> Document:
    metadata = about["metadata"]
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": name, "namespace": metadata["namespace"]},
        "involvedObject": {
            "apiVersion": "v1",
            "kind": about["kind"],
            "namespace": metadata["namespace"],
            "name": metadata["name"],
            "uid": metadata["uid"],
        },
        "type": "Warning",
        "source": {"component": source, **({"host": host} if host else {})},
        "reportingComponent": source,
        "reportingInstance": host,
        "count": 1,
    }


def about_mount(api: Api, pod: Document, message: str) -> None:
    """The kubelet's, or the attacher's, Warning that a volume of a pod is not there.

    Raises:
        UnreachableError: the API server is gone.
    """
    is_attaching = message.startswith("AttachVolume")
    warn(
        api,
        {**pod, "kind": "Pod"},
        "FailedAttachVolume" if is_attaching else "FailedMount",
        message,
        source="attachdetach-controller" if is_attaching else "kubelet",
        host="" if is_attaching else pod["spec"].get("nodeName", ""),
    )


class MountWarnings:
    """Writes the Warnings about the volumes of one pod, each message once in a row."""

    def __init__(self, api: Api, pod: Document) -> None:
        self._api = api
        self._pod = pod
        self._said = ""

    def say(self, message: str) -> None:
        """Write the Warning, unless it was the last one; while the API server is away, the next call tries again."""
        if message != self._said:
            with contextlib.suppress(ApiError, UnreachableError):
                about_mount(self._api, self._pod, message)
                self._said = message
