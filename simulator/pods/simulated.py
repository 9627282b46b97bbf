"""The logs of pods that kwok plays: the output of their script so far."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

from components.kubeapi.documents import Document, entries, section
from simulator.pods.logs import Log, ScriptLog
from simulator.pods.script import read_script
from simulator.pods.tpu_environment import device_counts

if TYPE_CHECKING:
    from collections.abc import Callable

    from simulator.shown import Shown


def log_of(pod: Document, container: str, now: Callable[[], float], shown: Callable[[], Shown]) -> Log | None:
    """The log of `container` in a simulated pod, None when it has no such container or did not start yet.

    `now` is the real time in seconds since the epoch, `shown` converts real moments to simulated ones.
    """
    named = next((c for c in entries(section(pod, "spec"), "containers") if c["name"] == container), None)
    started = section(pod, "status").get("startTime")
    if named is None or started is None:
        return None
    return ScriptLog(read_script(named, device_counts(pod)), _seconds(started), _ended(pod, container), now, shown)


def _ended(pod: Document, container: str) -> float | None:
    for status in entries(section(pod, "status"), "containerStatuses"):
        finished = section(status, "state", "terminated").get("finishedAt")
        if status["name"] == container and finished:
            # The API server keeps whole seconds: the last line may have been written within the last one.
            return _seconds(finished) + 1
    return None


def _seconds(stamp: str) -> float:
    return dt.datetime.fromisoformat(stamp).timestamp()
