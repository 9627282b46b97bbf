"""A copy of one list of the API server, kept by a watch."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Final

from kubeapi import ApiError, UnreachableError

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubeapi import Api
    from kubeapi.documents import Document

_RETRY_SECONDS: Final = 0.5


class Mirror:
    """The objects of one list; ends when the client is closed."""

    def __init__(self, api: Api, path: str, changed: Callable[[Document], None]) -> None:
        """`changed` is called with every object that was added, changed or removed."""
        self._api = api
        self._path = path
        self._changed = changed
        self._lock = threading.Lock()
        self._objects: dict[str, Document] = {}
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"mirror-{path.rpartition('/')[2]}", daemon=True)

    def start(self) -> None:
        """Begin to watch."""
        self._thread.start()

    def stop(self) -> None:
        """Watch no more; the thread ends when the client is closed."""
        self._over.set()

    def objects(self) -> list[Document]:
        """The present objects; not to be changed."""
        with self._lock:
            return list(self._objects.values())

    def _run(self) -> None:
        while not self._over.is_set():
            try:
                for event in self._api.watch(self._path):
                    if self._over.is_set():
                        return
                    self._see(event.object, is_gone=event.type == "DELETED")
            except (ApiError, UnreachableError):
                self._over.wait(_RETRY_SECONDS)  # the API server is away; its supervisor brings it back
            else:
                self._over.wait(_RETRY_SECONDS)

    def _see(self, document: Document, *, is_gone: bool) -> None:
        with self._lock:
            if is_gone:
                self._objects.pop(document["metadata"]["uid"], None)
            else:
                self._objects[document["metadata"]["uid"]] = document
        self._changed(document)
