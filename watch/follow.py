"""Wait until the workloads of a cluster have settled.

They have settled when every job is finished, or when those that are left wait for quota and nothing that runs could
give any back.
"""

from __future__ import annotations

import queue
import threading
import time
from collections import Counter
from typing import TYPE_CHECKING, Final

from kubeapi import ApiError, UnreachableError
from kubeapi.documents import section
from watch.record import JOBS, JOBSETS, PODS, WORKLOADS, is_finished, read_record

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubeapi import Api
    from watch.record import Record

_QUIET_SECONDS: Final = 15.0
"""How long nothing may change before waiting jobs count as stuck; Kueue hands freed quota on within a second or two."""
_GATHER_SECONDS: Final = 0.3
"""Changes come in bursts; one look serves for all of a burst."""


def follow(api: Api, *, timeout: float, report: Callable[[str], None]) -> Record:
    """The record once the workloads have settled, or as it is after `timeout` seconds.

    Args:
        api: the cluster.
        timeout: limit in seconds.
        report: called with a line about the jobs whenever their states have changed.

    Raises:
        kubeapi.UnreachableError: the API server is gone.
    """
    changes: queue.SimpleQueue[str] = queue.SimpleQueue()
    for path in (JOBSETS, JOBS, WORKLOADS, PODS):
        threading.Thread(target=_watch, args=(api, path, timeout, changes), daemon=True).start()
    deadline, quiet_since = time.monotonic() + timeout, time.monotonic()
    last: str | None = None
    while True:
        record = read_record(api)
        states = Counter(job_states(record).values())
        line = ", ".join(f"{count} {state}" for state, count in sorted(states.items()))
        if line != last:
            report(f"{len(record.jobs)} jobs: {line}" if line else "no jobs")
            last, quiet_since = line, time.monotonic()
        now = time.monotonic()
        is_quiet = now >= quiet_since + _QUIET_SECONDS and "running" not in states
        if not set(states) - {"finished"} or is_quiet or now >= deadline:
            return record
        next_look = min(deadline, now + _QUIET_SECONDS if "running" in states else quiet_since + _QUIET_SECONDS)
        _await_change(changes, next_look - now)


def job_states(record: Record) -> dict[str, str]:
    """`finished`, `running` or `waiting` by job name; running means that it has a pod on a node."""
    placed = {
        name
        for pod in record.pods
        if section(pod, "spec").get("nodeName") and section(pod, "status").get("phase") in ("Pending", "Running")
        for name in _job_names(pod["metadata"].get("labels") or {})
    }
    return {
        job["metadata"]["name"]: "finished"
        if is_finished(job)
        else "running"
        if job["metadata"]["name"] in placed
        else "waiting"
        for job in record.jobs
    }


def _job_names(labels: dict[str, str]) -> list[str]:
    keys = ("jobset.sigs.k8s.io/jobset-name", "batch.kubernetes.io/job-name")
    return [labels[key] for key in keys if key in labels]


def _watch(api: Api, path: str, timeout: float, changes: queue.SimpleQueue[str]) -> None:
    """Say that something changed; the end of the watch is a change too, so that the next look finds out why."""
    try:
        for _ in api.watch(path, seconds=timeout):
            changes.put(path)
    except (ApiError, UnreachableError):
        changes.put(path)


def _await_change(changes: queue.SimpleQueue[str], seconds: float) -> None:
    """Return after the next burst of changes, or after `seconds`."""
    try:
        changes.get(timeout=seconds)
        while True:
            changes.get(timeout=_GATHER_SECONDS)
    except queue.Empty:
        return
