"""An API server in memory, without the wire."""

from __future__ import annotations

import copy
import queue
import threading
from typing import TYPE_CHECKING, Any, cast

from components.kubeapi import Api, ApiError, Connection, Document, Event, Informers, UnreachableError
from components.kubeapi.documents import section

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

TOKEN_SUFFIX = "/token"  # noqa: S105  the end of a path


class MemoryApi:
    """Doubles `kubeapi.Api`: documents by path, merge patches, deletion with preconditions, tokens and watches.

    There is no admission and no controller; a deletion takes effect at once, unless its pod is bound to a node and a
    grace period is left.
    """

    def __init__(self) -> None:
        self.connection = Connection(server="https://127.0.0.1:6443", certificate_authority=None)
        self.objects: dict[str, Document] = {}
        self.calls: list[tuple[str, str]] = []
        """Method and path of every change."""
        self.tokens = 0
        self.away = False
        """Whether the server does not answer."""
        self._version = 0
        self._lock = threading.RLock()
        self._told: list[tuple[str, Event]] = []
        """Every change so far with its path, in the order of versions from 1 on."""
        self._watches: list[tuple[str, queue.SimpleQueue[Event | None]]] = []

    @property
    def api(self) -> Api:
        """As the code under test takes it."""
        return cast("Api", self)

    def put(self, path: str, document: Document) -> Document:
        """Store a document as if somebody else had written it."""
        with self._lock:
            known = path in self.objects
            self._version += 1
            metadata = {"uid": f"uid-{path}", **document["metadata"], "resourceVersion": str(self._version)}
            self.objects[path] = {**copy.deepcopy(document), "metadata": metadata}
            self._tell(path, Event("MODIFIED" if known else "ADDED", self.objects[path]))
            return self.objects[path]

    def find(self, path: str) -> Document | None:
        """As `Api.find`."""
        self._answer()
        with self._lock:
            return copy.deepcopy(self.objects.get(path))

    def get(self, path: str, query: Mapping[str, str] | None = None) -> Document:
        """As `Api.get`."""
        del query
        found = self.find(path)
        if found is None:
            raise ApiError(404, {"reason": "NotFound", "message": f"{path} not found"})
        return found

    def items(self, path: str, query: Mapping[str, str] | None = None) -> list[Document]:
        """As `Api.items`; the one query that it knows is a label selector `key=value`."""
        self._answer()
        key, _, value = (query or {}).get("labelSelector", "").partition("=")
        with self._lock:
            found = [copy.deepcopy(self.objects[at]) for at in sorted(self.objects) if _is_in(at, path)]
        return [each for each in found if not key or section(each, "metadata", "labels").get(key) == value]

    def create(self, path: str, document: Document) -> Document:
        """As `Api.create`."""
        self._answer()
        target = f"{path}/{document['metadata']['name']}"
        if target in self.objects:
            raise ApiError(409, {"reason": "AlreadyExists", "message": f"{target} already exists"})
        self.calls.append(("create", target))
        return self.put(target, document)

    def merge(self, path: str, patch: Document) -> Document:
        """As `Api.merge`."""
        self._answer()
        self.calls.append(("merge", path))
        with self._lock:
            target = path.removesuffix("/status")
            return self.put(target, _merged(self.get(target), patch))

    def delete(self, path: str, options: Document | None = None) -> None:
        """As `Api.delete`."""
        self._answer()
        self.calls.append(("delete", path))
        with self._lock:
            found = self.objects.get(path)
            if found is None:
                return
            wanted = section(options, "preconditions").get("uid", found["metadata"]["uid"])
            if wanted != found["metadata"]["uid"]:
                raise ApiError(409, {"reason": "Conflict", "message": "the uid in the precondition does not match"})
            if section(found, "spec").get("nodeName") and (options or {}).get("gracePeriodSeconds") != 0:
                self.put(path, _merged(found, {"metadata": {"deletionTimestamp": "2026-11-21T02:33:50Z"}}))
                return
            del self.objects[path]
            self._tell(path, Event("DELETED", found))

    def request(self, method: str, path: str, *, body: Document) -> Document:
        """As `Api.request`, for the token of a ServiceAccount."""
        self._answer()
        assert (method, body["kind"]) == ("POST", "TokenRequest")
        assert path.endswith(TOKEN_SUFFIX)
        self.tokens += 1
        return {"status": {"token": f"token-{self.tokens} of {path.removesuffix(TOKEN_SUFFIX)}"}}

    @property
    def informers(self) -> Informers:
        """New informers of it."""
        return Informers(self.api)

    def watch(self, path: str) -> Iterator[Event]:
        """As `Api.watch`, until `close`."""
        items, version = self.listed(path)
        yield from (Event("ADDED", document) for document in items.values())
        yield from self.changes(path, version)

    def listed(self, path: str) -> tuple[dict[str, Document], str]:
        """As `Api.listed`."""
        with self._lock:
            return {each["metadata"]["uid"]: each for each in self.items(path)}, str(len(self._told))

    def changes(self, path: str, version: str, *, seconds: float = 0.0) -> Iterator[Event]:
        """As `Api.changes`, until `close`."""
        del seconds
        changes: queue.SimpleQueue[Event | None] = queue.SimpleQueue()
        with self._lock:
            for at, event in self._told[int(version) :]:
                if _is_in(at, path):
                    changes.put(event)
            self._watches.append((path, changes))
        while (event := changes.get()) is not None:
            self._answer()
            yield copy.deepcopy(event)

    def close(self) -> None:
        """As `Api.close`."""
        with self._lock:
            for _, changes in self._watches:
                changes.put(None)

    def _tell(self, path: str, event: Event) -> None:
        told = Event(event.type, copy.deepcopy(event.object))
        self._told.append((path, told))
        for watched, changes in self._watches:
            if _is_in(path, watched):
                changes.put(told)

    def _answer(self) -> None:
        if self.away:
            raise UnreachableError(f"{self.connection.server} does not answer: it is away")


def _is_in(path: str, collection: str) -> bool:
    """Whether an object is in a collection, also in one over all namespaces."""
    parent = path.rpartition("/")[0]
    if parent == collection:
        return True
    root, _, plural = collection.rpartition("/")
    return parent.startswith(f"{root}/namespaces/") and parent.endswith(f"/{plural}") and "/namespaces/" not in root


def _merged(document: Document, patch: Document) -> Document:
    """JSON merge patch (RFC 7396)."""
    result: dict[str, Any] = dict(document)
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        elif isinstance(value, dict):
            before = result.get(key)
            known = cast("Document", before) if isinstance(before, dict) else {}
            result[key] = _merged(known, cast("Document", value))
        else:
            result[key] = value
    return result
