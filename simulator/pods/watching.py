"""Work on the objects of a cluster that is done anew whenever one of them has changed."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Final

from components.kubeapi import ApiError, FilteredList, Informers, UnreachableError

if TYPE_CHECKING:
    from collections.abc import Callable

    from components.kubeapi.documents import Document

RETRY_SECONDS: Final = 0.5
"""Real time until what failed is tried again."""


class Watcher(ABC):
    """Works on some lists of one cluster, between `start` and `stop`, in a thread of its own."""

    def __init__(self, name: str, informers: Informers) -> None:
        """`name` is that of the thread."""
        self._informers = informers
        self._lists: list[FilteredList] = []
        self.over = threading.Event()
        """Whether it ends."""
        self.woken = threading.Event()
        """Whether an object has changed since the last turn began."""
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def listed(self, path: str, keep: Callable[[Document], bool] = lambda _: True) -> FilteredList:
        """The objects of a list for which `keep` holds; each change of one wakes the thread."""
        self._lists.append(self._informers.filtered(path, lambda _: self.woken.set(), keep))
        return self._lists[-1]

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End; what was done stays."""
        self.over.set()
        for each in self._lists:
            each.stop()
        self.woken.set()
        if self._thread.is_alive():
            self._thread.join()

    @abstractmethod
    def turn(self) -> None:
        """Do what is due, then wait for the next change or moment.

        Raises:
            ApiError, UnreachableError: the API server refused, or is away; the turn is taken again.
        """

    def rest(self, *, soon: bool) -> None:
        """Wait for the next change; with `soon`, only for a moment."""
        if soon:
            self.over.wait(RETRY_SECONDS)
        else:
            self.woken.wait()

    def _run(self) -> None:
        while not self.over.is_set():
            self.woken.clear()
            try:
                self.turn()
            except (ApiError, UnreachableError):
                self.rest(soon=True)
