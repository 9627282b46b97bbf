"""The story of the workloads in the order of time: queued, waiting and why, admitted, placed, evicted, finished.

The API server keeps times in whole seconds. Within one second, released quota comes before reserved quota, because
Kueue can only reserve free quota, unless the released quota was reserved in that second too; other entries are in the
order in which the API server wrote them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from operations.watch.entries import (
    Entry,
    Rank,
    job_entries,
    node_entries,
    placements,
    pod_entries,
    restart_entries,
    workload_entries,
)
from operations.watch.shown import REAL, Shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from operations.watch.record import Record

__all__ = ["Entry", "Rank", "entries_of", "peak", "rendered"]


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
