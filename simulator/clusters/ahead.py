"""Clusters that are started before the cloud is asked for them, while the command that will ask still loads."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from kubeapi import ApiError, UnreachableError
from simulator.clusters.supervisor import ProcessError
from simulator.processes import start_time

if TYPE_CHECKING:
    from simulator.cloud.machines import ClusterSpec
    from simulator.clusters.cluster import Cluster

START_ERRORS: Final = (ApiError, OSError, ProcessError, UnreachableError)
"""What `Cluster.start` raises."""
_LOOK_SECONDS: Final = 1.0
"""How soon the end of a command is noticed that never asked for its cluster."""


@dataclass(frozen=True, slots=True)
class _Start:
    cluster: Cluster
    is_up: Future[bool] = field(default_factory=Future[bool])
    wanted: threading.Event = field(default_factory=threading.Event)
    """Set once somebody has taken it, who decides what becomes of it."""


class Ahead:
    """Each of its clusters is ended and removed with the command that it was started for, unless that asks for it."""

    def __init__(self) -> None:
        """None yet."""
        self._starts: dict[str, _Start] = {}
        self._lock = threading.Lock()

    def begin(self, cluster: Cluster, pid: int) -> None:
        """Start a new cluster for the command `pid`, in a thread of its own."""
        start = _Start(cluster)
        with self._lock:
            self._starts[cluster.spec.name] = start
        threading.Thread(target=self._run, args=(start, pid), name=f"ahead-{cluster.folder.name}", daemon=True).start()

    def take(self, spec: ClusterSpec) -> Cluster | None:
        """The cluster of that name once it runs; None when there is none, it did not come up or it is not this one."""
        with self._lock:
            start = self._starts.pop(spec.name, None)
        if start is None:
            return None
        start.wanted.set()
        if start.is_up.result() and start.cluster.spec == spec:
            return start.cluster
        start.cluster.delete()
        return None

    def stop(self) -> None:
        """End and remove those that nobody has asked for."""
        for name in list(self._starts):
            self._discard(name)

    def _run(self, start: _Start, pid: int) -> None:
        began, is_up = start_time(pid), False
        try:
            start.cluster.start()
            is_up = True
        except START_ERRORS:
            pass  # who takes it starts the cluster again, and tells why that fails
        finally:
            start.is_up.set_result(is_up)
        while not start.wanted.wait(_LOOK_SECONDS):
            if began is None or start_time(pid) != began:
                self._discard(start.cluster.spec.name)
                return

    def _discard(self, name: str) -> None:
        with self._lock:  # until the folder is gone: nobody may start a cluster in it before
            start = self._starts.pop(name, None)
            if start is not None:
                start.wanted.set()
                start.cluster.supervisor.stop()  # else a start that is under way would be waited for
                start.is_up.result()
                start.cluster.delete()
