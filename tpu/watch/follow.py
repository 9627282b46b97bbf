"""Wait until the workloads of a cluster have settled.

They have settled when every job has ended, or when those that are left cannot start and nothing changes any more: they
wait for quota that nothing could give back, for machines that the cloud does not have, or for somebody to repair them.
What runs for ever (Deployments, StatefulSets) is not waited for.
"""

from __future__ import annotations

import queue
import time
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from components.kubeapi import Api, Informers
from components.kubeapi.documents import Document, is_true
from components.kubeapi.jobs import WORKLOADS, is_finished, label, owner_label
from components.kubeapi.owners import JOBS, JOBSETS, PODS, RAY_JOBS
from components.model.findings import counted
from tpu.watch.record import read_record
from tpu.watch.states import MOVING, OVER, State, job_states

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tpu.watch.record import Record

_QUIET_SECONDS: Final = 15.0
"""How long nothing may change before waiting jobs count as stuck; Kueue hands freed quota on within a second or two."""
_VERDICT_SECONDS: Final = 45.0
"""The same for jobs whose pods no autoscaler has spoken of yet: it looks every 10 s, and not all clusters have one."""
_FAILURES: Final = 2
"""How often the cloud may fail to give nodes, with nothing else going on, before more tries are not waited for."""
_GATHER_SECONDS: Final = 0.3
"""Changes come in bursts; one look serves for a burst, which lasts this long, or `_LOOKS` times as long as a look."""
_LOOKS: Final = 20
"""The more jobs and pods, the longer a look takes; this keeps the looks at a large fleet to a twentieth of the time."""


@dataclass(frozen=True, slots=True)
class Followed:
    """How the following ended."""

    record: Record
    is_settled: bool
    """False when the time was over first."""


class _Quiet:
    """Since when nothing has changed, as far as that decides whether the jobs have settled."""

    def __init__(self) -> None:
        self._seen: dict[str, str] | None = None
        self._failures = 0
        self.since = time.monotonic()

    def see(self, states: Mapping[str, State]) -> None:
        """Take in the states of the jobs; repeated failures to get nodes do not count as a change."""
        words = {job: "waiting" if state.word == "coming" else state.word for job, state in states.items()}
        if words != self._seen:
            self._seen, self.since, self._failures = words, time.monotonic(), _most_failures(states)

    def seconds_left(self, states: Mapping[str, State]) -> float:
        """How long nothing may change from now on until the jobs have settled; infinite while something goes on."""
        words = {state.word for state in states.values()}
        if "running" in words:
            return float("inf")
        if _most_failures(states) >= self._failures + _FAILURES:
            return 0.0
        if words & set(MOVING):
            return float("inf")
        needed = _QUIET_SECONDS if all(state.is_final for state in states.values()) else _VERDICT_SECONDS
        return self.since + needed - time.monotonic()


def follow(api: Api, *, timeout: float, report: Callable[[str], None]) -> Followed:
    """The record once the workloads have settled, or as it is after `timeout` seconds.

    Args:
        api: the cluster.
        timeout: limit in seconds.
        report: called with a line about the jobs whenever their states have changed, and with one about each job that
            waits for capacity.

    Raises:
        kubeapi.UnreachableError: the API server is gone.
    """
    informers = Informers(api)
    try:
        return _follow(informers, time.monotonic() + timeout, report)
    finally:
        informers.stop()


def _follow(informers: Informers, deadline: float, report: Callable[[str], None]) -> Followed:
    changes: queue.SimpleQueue[Document] = queue.SimpleQueue()
    for path in (JOBSETS, RAY_JOBS, JOBS, WORKLOADS, PODS):
        informers.filtered(path, changes.put)
    quiet, told = _Quiet(), _Told(report)
    pools: dict[str, str] = {}
    while True:
        began = time.monotonic()
        record = read_record(informers)
        pools |= record.node_pools
        states = job_states(record)
        quiet.see(states)
        told.tell(states)
        left = quiet.seconds_left(states)
        is_settled = left <= 0 or (all(state.word in OVER for state in states.values()) and _are_written(record))
        if is_settled or time.monotonic() >= deadline:
            last = read_record(informers.api)  # what the copies have not seen yet, such as Events, is in it
            return Followed(replace(last, node_pools=pools | last.node_pools), is_settled=is_settled)
        now = time.monotonic()
        _await_change(changes, min(deadline - now, left, _QUIET_SECONDS), max(_GATHER_SECONDS, _LOOKS * (now - began)))


def _are_written(record: Record) -> bool:
    """Whether Kueue has written each end of a job into its Workload, which the timeline tells from."""
    ended = {label(job) for job in record.jobs if is_finished(job)}
    return all(is_true(each, "Finished") for each in record.workloads if owner_label(each) in ended)


class _Told:
    """Reports each change once."""

    def __init__(self, report: Callable[[str], None]) -> None:
        self._report = report
        self._line: str | None = None
        self._waits: dict[str, str] = {}

    def tell(self, states: Mapping[str, State]) -> None:
        """Report the changes."""
        counts = Counter("waiting" if state.word == "coming" else state.word for state in states.values())
        line = ", ".join(f"{count} {word}" for word, count in sorted(counts.items()))
        if line != self._line:
            self._report(": ".join(filter(None, (counted(len(states), "job"), line))))
            self._line = line
        waits = {job: state.why for job, state in states.items() if "waits for capacity" in state.why}
        for job, why in waits.items():
            if self._waits.get(job) != why:
                self._report(f"  {job} {why}")
        self._waits = waits


def _most_failures(states: Mapping[str, State]) -> int:
    return max((state.failures for state in states.values()), default=0)


def _await_change(changes: queue.SimpleQueue[Document], seconds: float, gather: float) -> None:
    """Return `gather` seconds after the next change, or after `seconds` without one."""
    try:
        changes.get(timeout=max(0.0, seconds))
        burst_end = time.monotonic() + gather
        while True:
            changes.get(timeout=max(0.0, burst_end - time.monotonic()))
    except queue.Empty:
        return
