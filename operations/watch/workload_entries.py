"""The timeline's entries about Kueue's Workloads: queued, waiting, quota taken and given back, finished."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubeapi.documents import condition, section
from operations.watch.entry import Entry, Rank, last_time_of, order_of, release_rank, time_of
from operations.watch.reclaimed import reclaimed
from operations.watch.record import admitted_by, condition_time, owner_label, owner_uid, seconds
from operations.watch.requests import accelerators_of, asks_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kubeapi.documents import Document
    from operations.watch.record import Record

_CREATED: Final = "CreatedWorkload"
_RESERVED: Final = "QuotaReserved"
_RELEASING: Final = ("Evicted", "Preempted")
"""Beginnings of the reasons of events that say that quota was given back."""


def workload_entries(record: Record) -> Iterator[Entry]:
    """What became of the Workloads: from their conditions, and from the events about them."""
    yield from _condition_entries(record)
    yield from _event_entries(record)


def _condition_entries(record: Record) -> Iterator[Entry]:
    made = {str(event.get("message")): order_of(event) for event in record.events if event.get("reason") == _CREATED}
    for workload in record.workloads:
        job, metadata = owner_label(workload), workload["metadata"]
        spec = section(workload, "spec")
        priority = section(spec, "priorityClassRef")
        named = f", priority {priority['name']} ({spec.get('priority', 0)})" if priority else ""
        queued = f"queued in {spec.get('queueName')}: {asks_text(workload)}{named}"
        created = seconds(metadata["creationTimestamp"])
        order = made.get(f"Created Workload: {metadata['namespace']}/{metadata['name']}", 0)
        yield Entry(created, Rank.QUEUED, order, job, queued)
        before = reclaimed(record, workload)
        yield from before
        finished = condition_time(workload, "Finished")
        if finished is not None:
            reason = condition(workload, "Finished")
            text = f"finished: {reason.get('reason')}, {reason.get('message')}"
            left = accelerators_of(workload) + sum(entry.chips for entry in before)
            rank = release_rank(condition_time(workload, _RESERVED), finished)
            order = int(metadata["resourceVersion"])
            yield Entry(finished, rank, order, job, text, -left if admitted_by(workload) else 0)


def _event_entries(record: Record) -> Iterator[Entry]:
    workloads = {each["metadata"]["uid"]: each for each in (*record.workloads, *record.variants)}
    holding: set[str] = set()
    taken: dict[str, float] = {}
    for time, order, event in _occurrences(record.events):
        workload = workloads.get(section(event, "involvedObject").get("uid", ""))
        if workload is None:
            continue
        job = owner_label(workloads.get(owner_uid(workload), workload))
        uid, chips = workload["metadata"]["uid"], accelerators_of(workload)
        reason, message = str(event.get("reason")), str(event.get("message"))
        if reason == _RESERVED:
            holding.add(uid)
            taken[uid] = time
            yield Entry(time, Rank.OTHER, order, job, message, chips)
        elif reason.startswith(_RELEASING):
            rank = release_rank(taken.get(uid), time)
            yield Entry(time, rank, order, job, f"{reason}: {message}", -chips if uid in holding else 0)
            holding.discard(uid)
        elif reason != "Admitted":
            yield Entry(time, Rank.OTHER, order, job, f"{'waits' if reason == 'Pending' else reason}: {message}")


def _occurrences(events: Iterable[Document]) -> list[tuple[float, int, Document]]:
    """Time, place in the API server's order and event, in that order.

    The API server only counts an event that repeats another word for word. For events about quota, the last time counts
    too: a Workload that waits equally long twice is admitted with the same words.
    """
    found: list[tuple[float, int, Document]] = []
    for event in events:
        first, last = time_of(event), last_time_of(event)
        repeated = last > first and str(event.get("reason")).startswith((_RESERVED, *_RELEASING))
        found.append((first, 0 if repeated else order_of(event), event))
        if repeated:
            found.append((last, order_of(event), event))
    return sorted(found, key=lambda occurrence: occurrence[:2])
