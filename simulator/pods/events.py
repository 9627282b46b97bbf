"""The Events that a kubelet, a driver or the autoscaler writes about an object.

A repeated message only increases the count of its Event.
"""

from __future__ import annotations

import contextlib
import hashlib

from components.kubeapi import Api, ApiError, UnreachableError
from components.kubeapi.documents import Document, stamp


def write(api: Api, about: Document, reason: str, message: str, *, source: str, host: str = "", kind: str) -> None:
    """Write an Event.

    Args:
        api: the API server as its administrator.
        about: the object, with its kind.
        reason: one word, such as `FailedMount`.
        message: the text for people.
        source: who says it, such as `kubelet`.
        host: the node of who says it.
        kind: `Normal` or `Warning`.

    Raises:
        ApiError: the API server did not take it, such as for an object whose namespace is gone.
        UnreachableError: the API server is gone.
    """
    metadata, now = about["metadata"], stamp()
    digest = hashlib.sha256(f"{metadata['uid']} {reason} {message}".encode()).hexdigest()[:16]
    collection = f"/api/v1/namespaces/{metadata['namespace']}/events"
    name = f"{metadata['name']}.{digest}"
    known = api.find(f"{collection}/{name}")
    if known is not None:
        api.merge(f"{collection}/{name}", {"count": int(known.get("count") or 1) + 1, "lastTimestamp": now})
        return
    involved = {"kind": about["kind"], **{key: metadata[key] for key in ("namespace", "name", "uid")}}
    api.create(
        collection,
        {
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": {"name": name, "namespace": metadata["namespace"]},
            "involvedObject": {"apiVersion": "v1", **involved},
            "type": kind,
            "reason": reason,
            "message": message,
            "source": {"component": source, **({"host": host} if host else {})},
            "reportingComponent": source,
            "reportingInstance": host,
            "firstTimestamp": now,
            "lastTimestamp": now,
            "count": 1,
        },
    )


def warn(api: Api, about: Document, reason: str, message: str, *, source: str, host: str = "") -> None:
    """Write a Warning, as `write`; an object that has just gone gets none.

    Raises:
        UnreachableError: the API server is gone.
    """
    try:
        write(api, about, reason, message, source=source, host=host, kind="Warning")
    except ApiError as error:
        if not error.is_not_found:
            raise


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
