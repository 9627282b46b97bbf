"""What `tpu timeline` prints: the timeline and tables, now or once all has settled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from operations.watch.requests import unit_of
from operations.watch.states import OVER, job_states
from operations.watch.tables import node_table, pod_table, queue_table, service_table, workload_table
from operations.watch.timeline import entries_of, peak, rendered

if TYPE_CHECKING:
    from collections.abc import Iterator

    from operations.watch.record import Record


def story(record: Record, now: float, *, is_settled: bool) -> Iterator[str]:
    """The story as lines.

    Args:
        record: the cluster.
        now: seconds since the epoch.
        is_settled: whether it is known that nothing changes any more.
    """
    if record.jobs or record.workloads:
        yield from _timeline(record, now)
    else:
        yield from _platform(record)
    if record.services:
        yield ""
        yield from service_table(record, now)
    left = {job: state for job, state in job_states(record).items() if state.word not in OVER}
    if left:
        yield ""
        yield "these wait, and nothing changes any more:" if is_settled else "not over:"
        yield from (f"  {job} {state.why or 'is running'}" for job, state in left.items())


def _timeline(record: Record, now: float) -> Iterator[str]:
    found, unit = entries_of(record), unit_of(record)
    yield from rendered(found, unit, record.shown)
    pace = record.shown.pace(found[0].time, now) if found else 1.0
    if pace > 1:
        yield f"times are simulated; each may be up to {pace:g} s off, because the API server keeps whole real seconds"
    if unit is not None:
        yield f"at most {peak(found)} {unit} were admitted at one moment"
    if record.workloads:
        yield ""
        yield from workload_table(record, now)
    yield ""
    yield from pod_table(record, now)


def _platform(record: Record) -> Iterator[str]:
    """The queues and nodes, when there are no jobs yet."""
    yield "no jobs"
    if record.queues:
        yield ""
        yield from queue_table(record)
    yield ""
    yield from node_table(record)
