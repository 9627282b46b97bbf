"""The state of a cluster now: queues and their quota, nodes, Workloads, what waits and why."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from tpu.watch.record import Record, read_record
from tpu.watch.states import OVER, job_states
from tpu.watch.tables import node_table, queue_table, service_table, table, usage_table, workload_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from components.kubeapi import Api

_CLEAR: Final = "\x1b[H\x1b[2J"
"""Cursor home, then clear the screen (ECMA-48)."""


def status_lines(record: Record, now: float) -> Iterator[str]:
    """The state as tables; `now` in seconds since the epoch."""
    if record.queues:
        yield from queue_table(record)
        yield ""
        yield from usage_table(record)
    else:
        yield "no ClusterQueue"
    yield ""
    yield from node_table(record)
    if record.workloads:
        yield ""
        yield from workload_table(record, now)
    yield from _jobs(record)
    if record.services:
        yield ""
        yield from service_table(record, now)


def show(
    api: Api, *, interval: float, wait: Callable[[float], bool], write: Callable[[str], object], is_terminal: bool
) -> None:
    """Write the state every `interval` seconds until `wait` says that it is enough.

    On a terminal each state takes the place of the one before; elsewhere they follow one another, each under its time.

    Raises:
        kubeapi.ApiError, kubeapi.UnreachableError: the cluster could not be read.
    """
    while True:
        now = time.time()
        at = time.strftime("%H:%M:%S", time.localtime(now))
        lines = "\n".join(status_lines(read_record(api), now))
        write(f"{_CLEAR if is_terminal else ''}{at}, every {interval:g} s\n\n{lines}\n\n")
        if wait(interval):
            return


def _jobs(record: Record) -> Iterator[str]:
    """The jobs that are not over: JOB, STATE, WHY."""
    rows = [(job, state.word, state.why) for job, state in job_states(record).items() if state.word not in OVER]
    if rows:
        yield ""
        yield from table(("JOB", "STATE", "WHY"), rows)
    elif not record.jobs:
        yield ""
        yield "no jobs"
