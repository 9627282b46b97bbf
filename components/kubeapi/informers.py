"""Copies of an API server's lists, each kept by one watch, however many read it.

A reader takes a `FilteredList`: the objects of a list that concern it, so that the work for a change does not grow with
those that do not.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Final, Self

from components.kubeapi.errors import ApiError, UnreachableError
from components.kubeapi.kubeconfig import KubeconfigError

if TYPE_CHECKING:
    from collections.abc import Callable

    from components.kubeapi.client import Api
    from components.kubeapi.documents import Document

_WATCH_SECONDS: Final = 3600.0
_RELIST_SECONDS: Final = 0.1
"""Pause before a list whose watch has ended is read again."""
_RETRY_SECONDS: Final = 0.5
"""The same when the server refused or is away."""


class Informers:
    """The lists of one API server that somebody reads, from the first reader of each until `stop`."""

    def __init__(self, api: Api) -> None:
        self.api = api
        """The client that watches."""
        self._lock = threading.Lock()
        self._lists: dict[str, _List] = {}

    def filtered(
        self,
        path: str,
        changed: Callable[[Document], None] = lambda _: None,
        keep: Callable[[Document], bool] = lambda _: True,
    ) -> FilteredList:
        """The objects of a list for which `keep` holds, now and from now on.

        `changed` is called with each object that enters, changes in or leaves the filtered list from now on.
        """
        return self._of(path).filtered(changed, keep)

    def items(self, path: str) -> list[Document]:
        """The present objects of a list, as `Api.items`; not to be changed.

        Raises:
            ApiError, KubeconfigError, UnreachableError: the list could not be read last time.
        """
        return self._of(path).items()

    def stop(self) -> None:
        """Watch no more; the threads end when the client is closed."""
        with self._lock:
            lists = list(self._lists.values())
        for each in lists:
            each.over.set()

    def _of(self, path: str) -> _List:
        with self._lock:
            if path not in self._lists:
                self._lists[path] = _List(self.api, path)
            return self._lists[path]


class FilteredList:
    """Some objects of a list; a context that ends with `stop`."""

    def __init__(self, listed: _List, changed: Callable[[Document], None], keep: Callable[[Document], bool]) -> None:
        """Made by `Informers`."""
        self._list = listed
        self._changed = changed
        self._keep = keep
        self._objects: dict[str, Document] = {}
        self.changes = 0
        """How many changes were seen."""

    def __enter__(self) -> Self:
        """As it is."""
        return self

    def __exit__(self, *_: object) -> None:
        """Stop."""
        self.stop()

    def objects(self) -> list[Document]:
        """The present objects; not to be changed."""
        with self._list.lock:
            return list(self._objects.values())

    def stop(self) -> None:
        """See no more changes."""
        with self._list.lock:
            self._list.readers.discard(self)

    def see(self, key: str, document: Document, *, is_gone: bool) -> None:
        """For the list only, with its lock held."""
        if not is_gone and self._keep(document):
            self._objects[key] = document
        elif self._objects.pop(key, None) is None:
            return
        self.changes += 1
        self._changed(document)

    def fill(self, objects: dict[str, Document]) -> None:
        """For the list only, with its lock held."""
        self._objects = {key: document for key, document in objects.items() if self._keep(document)}


class _List:
    """One list; its thread begins at once."""

    def __init__(self, api: Api, path: str) -> None:
        self._api = api
        self._path = path
        self.lock = threading.RLock()
        self.readers: set[FilteredList] = set()
        self.over = threading.Event()
        self._tried = threading.Event()
        """Whether the list was read once, or could not be."""
        self._objects: dict[str, Document] = {}
        self._error: ApiError | KubeconfigError | UnreachableError | None = None
        threading.Thread(target=self._run, name=f"informer-{path.rpartition('/')[2]}", daemon=True).start()

    def filtered(self, changed: Callable[[Document], None], keep: Callable[[Document], bool]) -> FilteredList:
        made = FilteredList(self, changed, keep)
        with self.lock:
            made.fill(self._objects)
            self.readers.add(made)
        return made

    def items(self) -> list[Document]:
        self._tried.wait()
        with self.lock:
            if self._error is not None:
                raise self._error
            return list(self._objects.values())

    def _run(self) -> None:
        while not self.over.is_set():
            pause = _RELIST_SECONDS
            try:
                self._follow()
            except (ApiError, KubeconfigError, UnreachableError) as error:
                if not (isinstance(error, ApiError) and error.is_expired):
                    self._answered(error)
                    pause = _RETRY_SECONDS
            self.over.wait(pause)

    def _follow(self) -> None:
        """Read the list, then see its changes until the watch ends."""
        listed, version = self._api.listed(self._path)
        items = {key: _without_managers(item) for key, item in listed.items()}
        with self.lock:
            for key in [known for known in self._objects if known not in items]:
                self._see(key, self._objects[key], is_gone=True)
            for key, item in items.items():
                if self._objects.get(key) != item:
                    self._see(key, item, is_gone=False)
        self._answered(None)
        for event in self._api.changes(self._path, version, seconds=_WATCH_SECONDS):
            if self.over.is_set():
                return
            with self.lock:
                document = _without_managers(event.object)
                self._see(document["metadata"]["uid"], document, is_gone=event.type == "DELETED")

    def _see(self, key: str, document: Document, *, is_gone: bool) -> None:
        if is_gone:
            self._objects.pop(key, None)
        else:
            self._objects[key] = document
        for reader in tuple(self.readers):
            reader.see(key, document, is_gone=is_gone)

    def _answered(self, error: ApiError | KubeconfigError | UnreachableError | None) -> None:
        with self.lock:
            self._error = error
        self._tried.set()


def _without_managers(document: Document) -> Document:
    """The object without the record of who wrote which field: up to half of it, and no reader of a copy asks."""
    document["metadata"].pop("managedFields", None)
    return document
