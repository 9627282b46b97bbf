"""The workloads and pods as kubectl prints them, with the node pool added."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubeapi.documents import entries, is_true, section
from watch.record import admitted_by, seconds

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kubeapi.documents import Document
    from watch.record import Record


def workload_table(record: Record, now: float) -> Iterator[str]:
    """Kueue's Workloads: NAME, QUEUE, RESERVED IN, ADMITTED, FINISHED, AGE; `now` in seconds since the epoch."""
    rows = [
        (
            workload["metadata"]["name"],
            str(section(workload, "spec").get("queueName", "")),
            admitted_by(workload),
            "True" if is_true(workload, "Admitted") else "",
            "True" if is_true(workload, "Finished") else "",
            _age(workload, now),
        )
        for workload in record.workloads
    ]
    yield from table(("NAME", "QUEUE", "RESERVED IN", "ADMITTED", "FINISHED", "AGE"), rows)


def pod_table(record: Record, now: float) -> Iterator[str]:
    """Pods: NAME, READY, STATUS, RESTARTS, AGE, NODE POOL; `now` in seconds since the epoch."""
    rows: list[tuple[str, ...]] = []
    for pod in record.pods:
        statuses = entries(pod, "status", "containerStatuses")
        ready = sum(1 for status in statuses if status.get("ready"))
        node = str(section(pod, "spec").get("nodeName", ""))
        rows.append(
            (
                pod["metadata"]["name"],
                f"{ready}/{len(entries(pod, 'spec', 'containers'))}",
                _status(pod, statuses),
                str(sum(int(status.get("restartCount", 0)) for status in statuses)),
                _age(pod, now),
                record.node_pools.get(node, "-"),
            )
        )
    yield from table(("NAME", "READY", "STATUS", "RESTARTS", "AGE", "NODE POOL"), rows)


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Rows under a header, each column as wide as its longest cell."""
    widths = [max(len(row[column]) for row in (header, *rows)) for column in range(len(header))]
    for row in (header, *rows):
        yield "   ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def age(seconds_: float) -> str:
    """A duration as kubectl writes it.

    >>> age(151), age(59), age(7200)
    ('2m31s', '59s', '120m')
    """
    whole = max(0, round(seconds_))
    minutes, rest = divmod(whole, 60)
    if minutes == 0:
        return f"{rest}s"
    return f"{minutes}m{rest}s" if minutes < 10 and rest else f"{minutes}m"  # noqa: PLR2004  kubectl's own border


def _age(document: Document, now: float) -> str:
    return age(now - seconds(document["metadata"]["creationTimestamp"]))


def _status(pod: Document, statuses: Sequence[Document]) -> str:
    if section(pod, "metadata").get("deletionTimestamp"):
        return "Terminating"
    for status in statuses:
        state = section(status, "state")
        reason = section(state, "waiting").get("reason") or section(state, "terminated").get("reason")
        if reason:
            return str(reason)
    return str(section(pod, "status").get("phase", "Unknown"))
