"""A cluster in memory, for what reads and watches whole collections."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, cast

from components.kubeapi import Api, ApiError, Document, Event, UnreachableError

if TYPE_CHECKING:
    from collections.abc import Iterator


class FakeCluster:
    """Doubles `kubeapi.Api` in lists and their changes: collections by path.

    A path that was never given is answered as a kind that is not served.
    """

    def __init__(self, **collections: list[Document]) -> None:
        """Collections by the last part of their path, such as `pods`; nodes are always served."""
        self._collections = {"nodes": [], **collections}
        self._changed = threading.Condition()
        self._versions: dict[str, int] = {}
        self._lost = False

    @property
    def api(self) -> Api:
        """As the code under test takes it."""
        return cast("Api", self)

    def change(self, kind: str, documents: list[Document]) -> None:
        """Put `documents` in the place of a collection."""
        with self._changed:
            self._collections[kind] = documents
            self._versions[kind] = self._versions.get(kind, 0) + 1
            self._changed.notify_all()

    def lose(self) -> None:
        """The API server is gone from now on."""
        with self._changed:
            self._lost = True
            self._changed.notify_all()

    def items(self, path: str) -> list[Document]:
        """As `Api.items`."""
        if self._lost:
            raise UnreachableError("the cluster does not answer: it is gone")
        kind = path.rpartition("/")[2]
        if kind not in self._collections:
            raise ApiError(404, {"message": "the server could not find the requested resource"})
        return list(self._collections[kind])

    def listed(self, path: str) -> tuple[dict[str, Document], str]:
        """As `Api.listed`; an object is known by its place in the collection."""
        with self._changed:
            version = str(self._version(path.rpartition("/")[2]))
            return {str(number): document for number, document in enumerate(self.items(path))}, version

    def changes(self, path: str, version: str, *, seconds: float) -> Iterator[Event]:
        """As `Api.changes`, from a server that ends the watch as soon as it has news."""
        kind = path.rpartition("/")[2]
        with self._changed:
            self._changed.wait_for(lambda: self._lost or self._version(kind) > int(version), seconds)
        yield from ()

    def _version(self, kind: str) -> int:
        return self._versions.get(kind, 0)
