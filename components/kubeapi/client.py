"""Requests to a Kubernetes API server: read, create, server-side apply, patch, delete, watch and wait.

Documents are plain dicts as the server sends them. Errors of the server come as `ApiError` with its own words; a server
that does not answer is `UnreachableError`. Nothing is retried here: the caller knows whether a second try is safe.
"""

from __future__ import annotations

import contextlib
import json
import threading
import time
from typing import TYPE_CHECKING, Final
from urllib.parse import urlencode

import urllib3
from urllib3.exceptions import HTTPError

from components.kubeapi.documents import Document, describe, entries, with_kind
from components.kubeapi.errors import ApiError, UnreachableError, WaitError
from components.kubeapi.wire import (
    FIRST_ERROR_STATUS,
    STATUS_UNAUTHORIZED,
    Event,
    answer,
    cause,
    events,
    ssl_context,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Mapping

    from components.kubeapi.kubeconfig import Connection

_CONNECT_TIMEOUT: Final = 10.0
"""Seconds to reach the server."""
_READ_TIMEOUT: Final = 60.0
"""Seconds for an answer; the API server itself ends ordinary requests after 60 s."""
_POOL: Final = 64
_JSON: Final = "application/json"
_APPLY: Final = "application/apply-patch+yaml"
_MERGE: Final = "application/merge-patch+json"
_RELIST_SECONDS: Final = 0.1
"""Pause before a watch that has ended begins again: it protects a server that breaks each watch off."""


class Api:
    """One API server through one connection; safe to use from many threads.

    With `renew`, the client gets a new token when the server no longer accepts the old one, once per request: a
    credential plugin's token lasts an hour. A request that was refused for its token was not done, so it is safe to
    send it again.
    """

    def __init__(self, connection: Connection, *, renew: Callable[[], Connection] | None = None) -> None:
        self.connection = connection
        self._renew = renew
        self._headers = {"Accept": _JSON, "User-Agent": "tpu-platform"}
        self._take_token(connection)
        self._closed = threading.Event()
        self._lock = threading.Lock()
        self._streams: set[urllib3.BaseHTTPResponse] = set()
        self._http = urllib3.PoolManager(
            maxsize=_POOL,
            ssl_context=ssl_context(connection),
            retries=False,
            timeout=urllib3.Timeout(connect=_CONNECT_TIMEOUT, read=_READ_TIMEOUT),
        )

    def close(self) -> None:
        """End every watch, also one that another thread reads, and close all connections."""
        self._closed.set()
        with self._lock:
            streams = list(self._streams)
        for stream in streams:
            with contextlib.suppress(OSError, RuntimeError, ValueError):  # it has just ended by itself
                stream.shutdown()
        self._http.clear()

    def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        body: Document | None = None,
        content_type: str = _JSON,
    ) -> Document:
        """The server's answer to one request as a document.

        Raises:
            ApiError: the server answered with an error.
            UnreachableError: there was no answer.
        """
        headers: dict[str, str] = {}
        data = None
        if body is not None:
            headers["Content-Type"] = content_type
            data = json.dumps(body).encode()
        response = self._exchange(method, path, query, headers, data)
        return answer(response.status, response.data)

    def text(self, path: str, query: Mapping[str, str] | None = None) -> str:
        """A plain-text answer, such as a health check or a pod's log.

        Raises:
            ApiError, UnreachableError: as `request`.
        """
        response = self._exchange("GET", path, query, {"Accept": "*/*"}, None)
        if response.status >= FIRST_ERROR_STATUS:
            answer(response.status, response.data)
        return response.data.decode(errors="replace")

    def get(self, path: str, query: Mapping[str, str] | None = None) -> Document:
        """The object or list at `path`."""
        return self.request("GET", path, query=query)

    def find(self, path: str) -> Document | None:
        """The object at `path`, or None when there is none."""
        try:
            return self.get(path)
        except ApiError as error:
            if error.is_not_found:
                return None
            raise

    def items(self, path: str, query: Mapping[str, str] | None = None) -> list[Document]:
        """The objects of the list at `path`, each with the apiVersion and kind that a list leaves out."""
        answer = self.get(path, query)
        return [with_kind(item, answer) for item in entries(answer, "items")]

    def create(self, path: str, document: Document, query: Mapping[str, str] | None = None) -> Document:
        """POST a new object; unknown fields are refused rather than dropped."""
        return self.request("POST", path, query={"fieldValidation": "Strict", **(query or {})}, body=document)

    def apply(
        self, path: str, document: Document, *, manager: str, force: bool = False, dry_run: bool = False
    ) -> Document:
        """Server-side apply `document` at `path` as field manager `manager`; creates or updates."""
        query = {"fieldManager": manager, "force": str(force).lower()}
        if dry_run:
            query["dryRun"] = "All"
        return self.request("PATCH", path, query=query, body=document, content_type=_APPLY)

    def merge(self, path: str, patch: Document) -> Document:
        """JSON merge patch; `path` may end in a subresource such as `/status`."""
        return self.request("PATCH", path, body=patch, content_type=_MERGE)

    def delete(self, path: str, options: Document | None = None) -> None:
        """Ask for deletion with DeleteOptions `options`; an object that does not exist is not an error."""
        try:
            self.request("DELETE", path, body={"apiVersion": "v1", "kind": "DeleteOptions", **(options or {})})
        except ApiError as error:
            if not error.is_not_found:
                raise

    def watch(self, path: str, *, query: Mapping[str, str] | None = None, seconds: float = 3600) -> Iterator[Event]:
        """Every object of the list at `path` as ADDED, then its changes, until `seconds` are over.

        A broken or expired watch begins again with a fresh list: an ADDED may repeat an object that was seen before,
        and an object that is missing from that list comes as DELETED, in its last known state. `close` ends it.

        Raises:
            ApiError: the server refuses the list or the watch.
            UnreachableError: the server cannot be reached when the list is made.
        """
        deadline = time.monotonic() + seconds
        known: dict[str, Document] = {}
        while not self._closed.is_set() and (left := deadline - time.monotonic()) > 0:
            items, version = self.listed(path, query)
            for gone in [uid for uid in known if uid not in items]:
                yield Event("DELETED", known.pop(gone))
            for item in items.values():
                yield Event("ADDED", item)
            known = items
            with _expiring():
                for event in self.changes(path, version, query=query, seconds=left):
                    uid = event.object["metadata"]["uid"]
                    if event.type == "DELETED":
                        known.pop(uid, None)
                    else:
                        known[uid] = event.object
                    yield event
            self._closed.wait(_RELIST_SECONDS)

    def wait(
        self, path: str, name: str, done: Callable[[Document | None], bool], *, seconds: float, what: str
    ) -> Document | None:
        """The object `name` of the collection `path` (None once it is gone) as soon as `done` accepts it.

        Raises:
            WaitError: `seconds` are over; the text has `what` was awaited and the last state's conditions.
            ApiError, UnreachableError: as `request`.
        """
        deadline, query = time.monotonic() + seconds, {"fieldSelector": f"metadata.name={name}"}
        while True:
            items, version = self.listed(path, query)
            seen = next(iter(items.values()), None)
            if done(seen):
                return seen
            left = deadline - time.monotonic()
            if left <= 0 or self._closed.is_set():
                raise WaitError(f"waited {seconds:.0f} s for {what}; last seen: {describe(seen)}")
            with _expiring(), contextlib.closing(self.changes(path, version, query=query, seconds=left)) as changes:
                for event in changes:
                    seen = None if event.type == "DELETED" else event.object
                    if done(seen):
                        return seen
            self._closed.wait(_RELIST_SECONDS)

    def listed(self, path: str, query: Mapping[str, str] | None = None) -> tuple[dict[str, Document], str]:
        """The objects of a list by uid, and the version from which `changes` goes on.

        Raises:
            ApiError, UnreachableError: as `request`.
        """
        listed = self.get(path, query)
        items = {item["metadata"]["uid"]: with_kind(item, listed) for item in entries(listed, "items")}
        return items, str(listed["metadata"]["resourceVersion"])

    def changes(
        self, path: str, version: str, *, query: Mapping[str, str] | None = None, seconds: float
    ) -> Generator[Event]:
        """The changes after `version`, until `seconds` are over, the server ends the watch or the connection breaks.

        Raises:
            ApiError: the server refuses, also because it has forgotten these changes (`is_expired`).
        """
        whole = max(1, round(seconds))
        watch = {**(query or {}), "watch": "true", "resourceVersion": version, "timeoutSeconds": str(whole)}
        try:
            response = self._open(path, watch, whole)
            if response.status == STATUS_UNAUTHORIZED and self._renew is not None:
                response.close()
                self._take_token(self._renew())
                response = self._open(path, watch, whole)
            with self._lock:
                self._streams.add(response)
            try:
                if self._closed.is_set():
                    return
                if response.status >= FIRST_ERROR_STATUS:
                    answer(response.status, response.data)
                yield from events(response)
            finally:
                with self._lock:
                    self._streams.discard(response)
                response.close()
        except HTTPError:
            return

    def _open(self, path: str, query: Mapping[str, str], seconds: int) -> urllib3.BaseHTTPResponse:
        """A watch of so many seconds, whose events are not read yet."""
        return self._http.request(
            "GET",
            self._url(path, query),
            headers=self._headers,
            preload_content=False,
            timeout=urllib3.Timeout(connect=_CONNECT_TIMEOUT, read=seconds + _READ_TIMEOUT),
        )

    def _exchange(
        self, method: str, path: str, query: Mapping[str, str] | None, headers: Mapping[str, str], data: bytes | None
    ) -> urllib3.BaseHTTPResponse:
        """One whole answer, whatever its status; with a new token when the old one has expired."""
        try:
            response = self._send(method, path, query, headers, data)
            if response.status == STATUS_UNAUTHORIZED and self._renew is not None:
                self._take_token(self._renew())
                response = self._send(method, path, query, headers, data)
        except HTTPError as error:
            raise UnreachableError(f"{self.connection.server} does not answer: {cause(error)}") from error
        return response

    def _send(
        self, method: str, path: str, query: Mapping[str, str] | None, headers: Mapping[str, str], data: bytes | None
    ) -> urllib3.BaseHTTPResponse:
        return self._http.request(method, self._url(path, query), body=data, headers={**self._headers, **headers})

    def _take_token(self, connection: Connection) -> None:
        if connection.token:
            self._headers = {**self._headers, "Authorization": f"Bearer {connection.token}"}

    def _url(self, path: str, query: Mapping[str, str] | None) -> str:
        suffix = f"?{urlencode(query)}" if query else ""
        return f"{self.connection.server}{path}{suffix}"


@contextlib.contextmanager
def _expiring() -> Generator[None]:
    """End without an error where the server has forgotten the changes: a fresh list follows."""
    try:
        yield
    except ApiError as error:
        if not error.is_expired:
            raise
