"""The timeline's entries about Jobs and JobSets themselves: those that Kueue does not manage, and restarts of any."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubeapi.documents import section
from operations.watch.ends import end_of
from operations.watch.entry import Entry, Rank, order_of, time_of
from operations.watch.record import label, label_of, owner_label, seconds
from operations.watch.requests import asks_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubeapi.documents import Document
    from operations.watch.ends import End
    from operations.watch.record import Record

_RESTARTS: Final = ("RestartJobSet", "FailJobSet", "ExclusivePlacementViolation")
"""Beginnings of the reasons of JobSet's events that say what a failure led to. Source: JobSet 0.12, pkg/constants."""


def job_entries(record: Record) -> Iterator[Entry]:
    """Creation and end of the jobs that have no Workload."""
    managed = {owner_label(workload) for workload in record.workloads}
    for job in record.jobs:
        if label(job) in managed or "creationTimestamp" not in job["metadata"]:
            continue
        created = seconds(job["metadata"]["creationTimestamp"])
        yield Entry(created, Rank.QUEUED, 0, label(job), f"created: {asks_text(job)}")
        end = end_of(job)
        if end is not None:
            yield _end(job, end)


def _end(job: Document, end: End) -> Entry:
    said = f", {end.message}" if end.message else ""
    how = "failed" if end.is_failure else "finished"
    return Entry(end.moment, Rank.RELEASED, order_of(job), label(job), f"{how}: {end.reason}{said}")


def restart_entries(record: Record) -> Iterator[Entry]:
    """What JobSet did about failures of its Jobs."""
    for event in record.events:
        about = section(event, "involvedObject")
        if about.get("kind") == "JobSet" and str(event.get("reason")).startswith(_RESTARTS):
            job = label_of(about.get("namespace"), str(about.get("name")))
            text = f"{event['reason']}: {event.get('message')}"
            yield Entry(time_of(event), Rank.OTHER, order_of(event), job, text)
