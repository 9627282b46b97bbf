"""The story of the workloads in the order of time: queued, waiting and why, admitted, placed, evicted, finished.

The API server keeps times in whole seconds. Within one second, released quota comes before reserved quota, because
Kueue can only reserve free quota, unless the released quota was reserved in that second too; other entries are in the
order in which the API server wrote them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from simulator.shown import REAL, Shown
from tpu.watch.entries import (
    job_entries,
    node_entries,
    placements,
    pod_entries,
    restart_entries,
    workload_entries,
)
from tpu.watch.requests import unit_of
from tpu.watch.states import OVER, job_states
from tpu.watch.tables import node_table, pod_table, queue_table, service_table, workload_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tpu.watch.entries import Entry
    from tpu.watch.record import Record


def entries_of(record: Record) -> list[Entry]:
    """Everything that happened, in order; of the nodes, what happened since the first job."""
    found = [
        *workload_entries(record),
        *job_entries(record),
        *restart_entries(record),
        *pod_entries(record),
        *placements(record),
    ]
    since = min((entry.time for entry in found), default=None)
    if since is not None:
        found += [entry for entry in node_entries(record) if entry.time >= since]
    return sorted(found)


def rendered(found: Sequence[Entry], unit: str | None = "chips", shown: Shown = REAL) -> Iterator[str]:
    """The timeline as lines: seconds since the first entry, what is under admission, job, what happened.

    Args:
        found: the entries, in order.
        unit: what admission is counted in; None leaves the column out.
        shown: which moments a reader is shown.
    """
    if not found:
        yield "nothing happened yet"
        return
    start, in_use = shown.at(found[0].time), 0
    width = max(len("job"), *(len(entry.job) for entry in found))
    wide = max(5, len(unit or ""))
    yield f"{'time':>7}  {_column(unit, unit or '', wide)}{'job':<{width}}  what happened"
    for entry in found:
        in_use += entry.chips
        time, used = shown.at(entry.time) - start, _column(unit, str(in_use), wide)
        yield f"{time:>+6.0f}s  {used}{entry.job:<{width}}  {entry.text}"


def _column(unit: str | None, text: str, wide: int) -> str:
    return f"{text:>{wide}}  " if unit else ""


def peak(found: Iterable[Entry]) -> int:
    """The most chips and GPUs that were under admission at one moment."""
    in_use = most = 0
    for entry in found:
        in_use += entry.chips
        most = max(most, in_use)
    return most


def story(record: Record, now: float, *, is_settled: bool) -> Iterator[str]:
    """The timeline and tables as lines, now or once all has settled.

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


def timeline_data(record: Record, *, is_settled: bool) -> dict[str, Any]:
    """What happened, and the state of each job.

    `seconds` counts from the first entry, `admitted` is what is under admission after the entry, in `unit`.
    """
    found, admitted = entries_of(record), 0
    lines: list[dict[str, Any]] = []
    for entry in found:
        admitted += entry.chips
        seconds = round(record.lasted(found[0].time, entry.time))
        lines.append({"seconds": seconds, "admitted": admitted, "job": entry.job, "text": entry.text})
    states = {job: {"state": state.word, "why": state.why} for job, state in job_states(record).items()}
    return {
        "entries": lines,
        "unit": unit_of(record),
        "peak": peak(found),
        "jobs": [{"name": job, **state} for job, state in states.items()],
        "settled": is_settled,
    }
