"""Requests to a Kubernetes API server: read, create, server-side apply, patch, delete, watch and wait.

Documents are plain dicts as the server sends them. Errors of the server come as `ApiError` with its own words; a server
that does not answer is `UnreachableError`. Nothing is retried here: the caller knows whether a second try is safe.
"""

from __future__ import annotations

import contextlib
import json
import ssl
import tempfile
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, cast
from urllib.parse import urlencode

import urllib3
from urllib3.exceptions import HTTPError

from kubeapi.documents import Document, describe, entries, section

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from kubeapi.kubeconfig import Connection

_CONNECT_TIMEOUT: Final = 10.0
"""Seconds to reach the server."""
_READ_TIMEOUT: Final = 60.0
"""Seconds for an answer; the API server itself ends ordinary requests after 60 s."""
_POOL: Final = 64
_JSON: Final = "application/json"
_APPLY: Final = "application/apply-patch+yaml"
_MERGE: Final = "application/merge-patch+json"
_STATUS_GONE: Final = 410
_STATUS_NOT_FOUND: Final = 404


class ApiError(Exception):
    """The API server refused a request."""

    def __init__(self, status: int, body: Document) -> None:
        self.status = status
        """The HTTP status code."""
        self.reason = str(body.get("reason") or "")
        """The machine-readable reason, such as `Conflict` or `AlreadyExists`."""
        self.details = section(body, "details")
        super().__init__(str(body.get("message") or f"HTTP {status}"))

    @property
    def is_not_found(self) -> bool:
        """Whether the object or its kind does not exist."""
        return self.status == _STATUS_NOT_FOUND


class UnreachableError(Exception):
    """The API server could not be reached or broke the connection off."""


class WaitError(Exception):
    """A condition did not come true in time; the text says what was awaited and what was seen last."""


@dataclass(frozen=True, slots=True)
class Event:
    """One change that a watch reports."""

    type: Literal["ADDED", "MODIFIED", "DELETED"]
    object: Document


class Api:
    """One API server through one connection; safe to use from many threads."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self._headers = {"Accept": _JSON, "User-Agent": "tpu-platform"}
        if connection.token:
            self._headers["Authorization"] = f"Bearer {connection.token}"
        self._closed = False
        self._lock = threading.Lock()
        self._streams: set[urllib3.BaseHTTPResponse] = set()
        self._http = urllib3.PoolManager(
            maxsize=_POOL,
            ssl_context=_ssl_context(connection),
            retries=False,
            timeout=urllib3.Timeout(connect=_CONNECT_TIMEOUT, read=_READ_TIMEOUT),
        )

    def close(self) -> None:
        """End every watch, also one that another thread reads, and close all connections."""
        self._closed = True
        with self._lock:
            streams = list(self._streams)
        for stream in streams:
            with contextlib.suppress(RuntimeError):  # it has just ended by itself
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
        headers = dict(self._headers)
        data = None
        if body is not None:
            headers["Content-Type"] = content_type
            data = json.dumps(body).encode()
        try:
            response = self._http.request(method, self._url(path, query), body=data, headers=headers)
        except HTTPError as error:
            raise UnreachableError(f"{self.connection.server} does not answer: {_cause(error)}") from error
        return _document(response.status, response.data)

    def text(self, path: str, query: Mapping[str, str] | None = None) -> str:
        """A plain-text answer, such as a health check or a pod's log.

        Raises:
            ApiError, UnreachableError: as `request`.
        """
        headers = {**self._headers, "Accept": "*/*"}
        try:
            response = self._http.request("GET", self._url(path, query), headers=headers)
        except HTTPError as error:
            raise UnreachableError(f"{self.connection.server} does not answer: {_cause(error)}") from error
        if response.status >= 400:  # noqa: PLR2004  HTTP's own border between success and error
            _document(response.status, response.data)
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
        return [_with_kind(item, answer) for item in entries(answer, "items")]

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
        """Ask for deletion with DeleteOptions `options`; an object that is not there is no error."""
        try:
            self.request("DELETE", path, body={"apiVersion": "v1", "kind": "DeleteOptions", **(options or {})})
        except ApiError as error:
            if not error.is_not_found:
                raise

    def watch(self, path: str, *, query: Mapping[str, str] | None = None, seconds: float = 3600) -> Iterator[Event]:
        """Every object of the list at `path` as ADDED, then its changes, until `seconds` are over.

        A broken or expired watch is taken up again with a fresh list, so an ADDED may repeat what was seen before.
        `close` ends it.

        Raises:
            ApiError: the server refuses the list or the watch.
            UnreachableError: the server cannot be reached when the list is made.
        """
        deadline = time.monotonic() + seconds
        while not self._closed and (left := deadline - time.monotonic()) > 0:
            listed = self.get(path, query)
            for item in entries(listed, "items"):
                yield Event("ADDED", _with_kind(item, listed))
            yield from self._changes(path, query or {}, listed["metadata"]["resourceVersion"], left)

    def wait(
        self, path: str, name: str, done: Callable[[Document | None], bool], *, seconds: float, what: str
    ) -> Document | None:
        """The object `name` of the collection `path` (None once it is gone) as soon as `done` accepts it.

        Raises:
            WaitError: `seconds` are over; says `what` was awaited and the last state's conditions.
        """
        seen: Document | None = self.find(f"{path}/{name}")
        if done(seen):
            return seen
        for event in self.watch(path, query={"fieldSelector": f"metadata.name={name}"}, seconds=seconds):
            seen = None if event.type == "DELETED" else event.object
            if done(seen):
                return seen
        seen = self.find(f"{path}/{name}")
        if done(seen):
            return seen
        raise WaitError(f"waited {seconds:.0f} s for {what}; last seen: {describe(seen)}")

    def _changes(self, path: str, query: Mapping[str, str], version: str, seconds: float) -> Iterator[Event]:
        whole = max(1, round(seconds))
        watch = {**query, "watch": "true", "resourceVersion": version, "timeoutSeconds": str(whole)}
        try:
            response = self._http.request(
                "GET",
                self._url(path, watch),
                headers=self._headers,
                preload_content=False,
                timeout=urllib3.Timeout(connect=_CONNECT_TIMEOUT, read=whole + _READ_TIMEOUT),
            )
            if response.status >= 400:  # noqa: PLR2004  HTTP's own border between success and error
                _document(response.status, response.data)
            with self._lock:
                self._streams.add(response)
            try:
                yield from _events(response)
            finally:
                with self._lock:
                    self._streams.discard(response)
                response.close()
        except HTTPError:
            return

    def _url(self, path: str, query: Mapping[str, str] | None) -> str:
        suffix = f"?{urlencode(query)}" if query else ""
        return f"{self.connection.server}{path}{suffix}"


def _events(response: urllib3.BaseHTTPResponse) -> Iterator[Event]:
    buffer = b""
    for chunk in response.stream(65536, decode_content=True):
        buffer += chunk
        *lines, buffer = buffer.split(b"\n")
        for line in lines:
            raw = json.loads(line)
            if raw["type"] == "ERROR":
                if raw["object"].get("code") == _STATUS_GONE:
                    return
                raise ApiError(int(raw["object"].get("code") or 0), raw["object"])
            if raw["type"] in ("ADDED", "MODIFIED", "DELETED"):
                yield Event(raw["type"], raw["object"])


def _document(status: int, data: bytes) -> Document:
    try:
        body: object = json.loads(data) if data else {}
    except json.JSONDecodeError:
        body = {"message": data.decode(errors="replace").strip()}
    document = cast("Document", body) if isinstance(body, dict) else {"message": str(body)}
    if status >= 400:  # noqa: PLR2004  HTTP's own border between success and error
        raise ApiError(status, document)
    return document


def _with_kind(item: Document, listed: Document) -> Document:
    kind = str(listed.get("kind", "")).removesuffix("List")
    return {"apiVersion": listed.get("apiVersion"), "kind": kind, **item}


def _cause(error: HTTPError) -> str:
    reason = getattr(error, "reason", None)
    return str(reason or error)


def _ssl_context(connection: Connection) -> ssl.SSLContext:
    context = ssl.create_default_context(cadata=connection.certificate_authority)
    # Cluster authorities are often made without the key usage extension that Python 3.13 began to insist on.
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    if connection.client_certificate and connection.client_key:
        # OpenSSL reads a certificate chain from a file only; the file is gone again when the block ends.
        with tempfile.NamedTemporaryFile("w", suffix=".pem") as pem:
            pem.write(connection.client_certificate + "\n" + connection.client_key)
            pem.flush()
            context.load_cert_chain(pem.name)
    return context
