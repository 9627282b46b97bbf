"""Follows the Workloads of a cluster, and appends what happens to a record.

A kill at any moment is harmless. The record holds the state of each Workload, so a start compares it with the cluster
and writes the difference; `Seen` says from which resourceVersion the API server may repeat the changes since, and a
list of all Workloads replaces them where it has forgotten these.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from components.kubeapi import Api, ApiError, Event, KubeconfigError, UnreachableError
from components.kubeapi.documents import Document, is_true
from components.kubeapi.jobs import WORKLOADS
from tpu.trace.bucket import BusyError
from tpu.trace.capacity import read_capacity
from tpu.trace.lines import Begun, Capacity, Flavor, Gone, Line, Seen, Trace, moment
from tpu.trace.reading import Remarks, TraceError, read
from tpu.trace.surroundings import Surroundings, now, shown
from tpu.trace.workloads import Knowledge, Known, is_variant, lines_of, needs_pods, started

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tpu.trace.writing import TraceFile

_SYSTEM: Final = "/api/v1/namespaces/kube-system"
_SEEN_SOON: Final = 60.0
"""Seconds after which `Seen` is written when something happened."""
_SEEN_LATE: Final = 600.0
"""The same when nothing happened."""
_PAUSE: Final = 1.0
"""Seconds before a watch that ended early begins again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How to record."""

    team_label: str | None = None
    """A label of Workloads or namespaces whose value is the team; by default the team is the namespace."""
    interval: float = 10.0
    """Seconds between two looks at the capacity and at pods."""


class Recorder:
    """One cluster and the record of it.

    Raises:
        TraceError: the record cannot be read, or is of another cluster.
        kubeapi.ApiError, kubeapi.UnreachableError: the cluster cannot be read.
    """

    def __init__(
        self,
        api: Api,
        file: TraceFile,
        settings: Settings,
        report: Callable[[str], None],
        keep: Callable[[], None] = lambda: None,
    ) -> None:
        self._api, self._file, self._settings, self._report, self._keep = api, file, settings, report, keep
        self._knowledge = Knowledge()
        self._capacity: tuple[Flavor, ...] | None = None
        self._unready: dict[str, Document] = {}
        self._around = Surroundings(api, settings.team_label)
        self._seen_at = 0.0
        self._is_quiet = True
        self.written = 0
        """Lines about Workloads so far."""
        self._begin()

    def run(self, seconds: float = float("inf")) -> None:
        """Follow the cluster; a cluster that does not answer for a while is asked again and again.

        Raises:
            kubeapi.ApiError: the server refuses the list or the watch.
            TraceError: the record cannot be written.
        """
        until = time.monotonic() + seconds
        self._measure()
        version: str | None = self._version()
        while (left := until - time.monotonic()) > 0:
            due = time.monotonic() + min(self._settings.interval, left)
            try:
                version = self._follow(self._reconcile() if version is None else version, due)
                self._look(version)
            except (KubeconfigError, UnreachableError) as error:
                self._report(f"{error}; trying again")
            except ApiError as error:
                if not (error.is_expired or error.is_not_ready):
                    raise
                version = None if error.is_expired else version
            time.sleep(max(0.0, min(_PAUSE, due - time.monotonic())))

    def _begin(self) -> None:
        """Mend and read the record, or begin a new one."""
        cluster = _cluster(self._api)
        if self._file.mend():
            self._report(f"{self._file.path}: cut off the last line, which was not whole")
        if self._file.is_empty:
            self._file.append([Trace(at=now(), cluster=cluster)])
        for line in read(self._file.path, Remarks()):
            if isinstance(line, Trace) and None not in (cluster, line.cluster) and line.cluster != cluster:
                raise TraceError(f"{self._file.path}: it is the record of another cluster. Name another file.")
            if isinstance(line, Capacity):
                self._capacity = line.flavors
            self._knowledge.take(line)
        self._file.append([Begun(at=now())])

    def _version(self) -> str:
        """From where to follow: the record's own version, where the server still has everything since."""
        known = self._knowledge.version
        if known is None:
            return self._reconcile()
        try:
            version = self._follow(known, time.monotonic() + _PAUSE)
        except ApiError as error:
            if not error.is_expired:
                raise
            return self._reconcile()
        for workload in self._api.listed(WORKLOADS)[0].values():
            self._await_pods(workload)
        self._see(version)
        return version

    def _reconcile(self) -> str:
        """Write the difference between the record and a list of all Workloads; the version of the list."""
        items, version = self._api.listed(WORKLOADS)
        for uid in [uid for uid in self._knowledge.workloads if uid not in items]:
            if not self._knowledge.workloads[uid].is_over:
                self._write([Gone(at=now(), uid=uid, late=True)])
            self._knowledge.workloads.pop(uid, None)
            self._unready.pop(uid, None)
        for workload in sorted(items.values(), key=lambda each: int(_version_of(each))):
            self._workload(workload)
        self._see(version)
        return version

    def _follow(self, version: str, due: float) -> str:
        """Take in the changes until `due`: the version after them."""
        for event in self._api.changes(WORKLOADS, version, seconds=due - time.monotonic()):
            self._take(event)
            version = _version_of(event.object)
        return version

    def _take(self, event: Event) -> None:
        self._workload(event.object)
        if event.type != "DELETED" or is_variant(event.object):
            return
        uid = event.object["metadata"]["uid"]
        known = self._knowledge.workloads.pop(uid, None)
        self._unready.pop(uid, None)
        if known is not None and not known.is_over:
            stamp = event.object["metadata"].get("deletionTimestamp")
            at = shown(moment(stamp)) if stamp else now()
            self._write([Gone(at=at, uid=uid, version=_version_of(event.object))])
            del self._knowledge.workloads[uid]

    def _workload(self, workload: Document) -> None:
        """Write what the record lacks about a Workload."""
        if is_variant(workload):
            return
        uid = workload["metadata"]["uid"]
        known = self._knowledge.workloads.get(uid)
        if known is None:
            self._around.know(workload)
        ready = started(self._api, workload) if _has_ended_unseen(workload, known) else None
        moved = None if ready is None else shown(ready)
        self._write(lines_of(workload, known, self._around.view(), moved))
        self._await_pods(workload)

    def _await_pods(self, workload: Document) -> None:
        """Look at the pods of a Workload from now on, or no longer."""
        uid = workload["metadata"]["uid"]
        state = self._knowledge.workloads.get(uid)
        if state is not None and needs_pods(workload) and not state.is_ready and not state.is_over:
            self._unready[uid] = workload
        else:
            self._unready.pop(uid, None)

    def _look(self, version: str) -> None:
        """Look at what no watch reports: pods that have started, and the capacity."""
        for uid, workload in list(self._unready.items()):
            ready = started(self._api, workload)
            if ready is not None:
                known = self._knowledge.workloads[uid]
                self._write(lines_of(workload, known, self._around.view(), shown(ready)))
                del self._unready[uid]
        self._around.refresh()
        self._measure()
        since = time.monotonic() - self._seen_at
        if since >= (_SEEN_LATE if self._is_quiet else _SEEN_SOON):
            self._see(version)

    def _measure(self) -> None:
        """Read the capacity anew, and write it where it has changed."""
        capacity = read_capacity(self._api)
        if capacity != self._capacity:
            self._write([Capacity(at=now(), flavors=capacity)])
            self._capacity = capacity

    def _see(self, version: str) -> None:
        seen = Seen(at=now(), version=version)
        self._file.append([seen])
        self._knowledge.take(seen)
        self._seen_at, self._is_quiet = time.monotonic(), True
        try:
            self._keep()
        except BusyError as error:
            self._report(f"{error}; trying again later")

    def _write(self, lines: Sequence[Line]) -> None:
        """Write lines, and know them."""
        if lines:
            self._file.append(lines)
            self._is_quiet = False
            for line in lines:
                self._knowledge.take(line)
                self.written += not isinstance(line, Capacity)


def _cluster(api: Api) -> str | None:
    """By what the cluster is known; None where the credentials do not allow to read it."""
    try:
        return str(api.get(_SYSTEM)["metadata"]["uid"])
    except ApiError:
        return None


def _has_ended_unseen(workload: Document, known: Known | None) -> bool:
    """Whether it has finished before anybody looked at its pods, which may be there still."""
    is_seen = known is not None and (known.is_ready or known.is_over)
    return not is_seen and is_true(workload, "Finished") and needs_pods(workload)


def _version_of(workload: Document) -> str:
    return str(workload["metadata"]["resourceVersion"])
