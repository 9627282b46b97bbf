"""The story of the workloads in the order of time: queued, waiting and why, admitted, placed, evicted, finished.

The API server keeps times in whole seconds. Within one second, quota that is given back comes before quota that is
taken, because Kueue can only give what it has; among others the order is that in which the API server wrote them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Final

from kubeapi.documents import condition, section
from watch.record import admitted_by, chips_of, condition_time, owner_name, seconds

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from kubeapi.documents import Document
    from watch.record import Record

_SCHEDULED: Final = re.compile(r"Successfully assigned \S+ to (\S+)")
_POD_OF_SLICE: Final = re.compile(r"(?P<job>.+)-(?P<replicated>[a-z0-9-]+)-(?P<slice>\d+)-(?P<host>\d+)-[a-z0-9]{5}")
_RELEASING: Final = ("Evicted", "Preempted")


class Rank(IntEnum):
    """What comes first within one second."""

    QUEUED = 0
    RELEASED = 1
    OTHER = 2


@dataclass(frozen=True, slots=True, order=True)
class Entry:
    """One thing that happened."""

    time: float
    """Seconds since the epoch, whole where the API server keeps whole ones."""
    rank: Rank
    order: int
    """Place in the API server's own order of writes."""
    job: str
    text: str
    chips: int = 0
    """How the chips under admission change: taken above 0, given back below."""


def entries_of(record: Record) -> list[Entry]:
    """Everything that happened, in order."""
    jobs = [job["metadata"]["name"] for job in record.jobs]
    found = [
        *_workload_entries(record.workloads),
        *_event_entries(record),
        *_placements(record, jobs),
    ]
    return sorted(found)


def rendered(found: Sequence[Entry]) -> Iterator[str]:
    """The timeline as lines: seconds since the first entry, chips under admission, job, what happened."""
    if not found:
        yield "nothing happened yet"
        return
    start, in_use = found[0].time, 0
    width = max(len(entry.job) for entry in found)
    yield f"{'time':>7}  {'chips':>5}  {'job':<{width}}  what happened"
    for entry in found:
        in_use += entry.chips
        yield f"{entry.time - start:>+6.0f}s  {in_use:>5}  {entry.job:<{width}}  {entry.text}"


def peak(found: Iterable[Entry]) -> int:
    """The most chips that were under admission at one moment."""
    in_use = most = 0
    for entry in found:
        in_use += entry.chips
        most = max(most, in_use)
    return most


def _workload_entries(workloads: Sequence[Document]) -> Iterator[Entry]:
    for workload in workloads:
        job, metadata = owner_name(workload), workload["metadata"]
        spec = section(workload, "spec")
        asked = f"asks for {chips_of(workload)} chips" if chips_of(workload) else "asks for no chips"
        priority = section(spec, "priorityClassRef")
        named = f", priority {priority['name']} ({spec.get('priority', 0)})" if priority else ""
        queued = f"queued in {spec.get('queueName')}: {asked}{named}"
        created = seconds(metadata["creationTimestamp"])
        yield Entry(created, Rank.QUEUED, 0, job, queued)
        finished = condition_time(workload, "Finished")
        if finished is not None:
            reason = condition(workload, "Finished")
            text = f"finished: {reason.get('reason')}, {reason.get('message')}"
            given_back = -chips_of(workload) if admitted_by(workload) else 0
            yield Entry(finished, Rank.RELEASED, int(metadata["resourceVersion"]), job, text, given_back)


def _event_entries(record: Record) -> Iterator[Entry]:
    workloads = {workload["metadata"]["uid"]: workload for workload in record.workloads}
    holding: set[str] = set()
    for event in record.events:
        workload = workloads.get(section(event, "involvedObject").get("uid", ""))
        if workload is None:
            continue
        uid, reason, message = workload["metadata"]["uid"], str(event.get("reason")), str(event.get("message"))
        rank, text, chips = Rank.OTHER, "", 0
        if reason == "QuotaReserved":
            holding.add(uid)
            text, chips = message, chips_of(workload)
        elif reason.startswith(_RELEASING):
            rank, text = Rank.RELEASED, f"{reason}: {message}"
            chips = -chips_of(workload) if uid in holding else 0
            holding.discard(uid)
        elif reason == "Pending":
            text = f"waits: {message}"
        elif reason != "Admitted":
            text = f"{reason}: {message}"
        if text:
            yield Entry(_time(event), rank, _order(event), owner_name(workload), text, chips)


def _placements(record: Record, jobs: Sequence[str]) -> Iterator[Entry]:
    """One entry per slice: the node pool and nodes that its pods were bound to, each time."""
    groups: dict[tuple[str, str, int], list[tuple[float, int, str]]] = {}
    rounds: dict[str, int] = {}
    for event in record.events:
        bound = _SCHEDULED.match(str(event.get("message"))) if event.get("reason") == "Scheduled" else None
        named = _POD_OF_SLICE.fullmatch(str(section(event, "involvedObject").get("name")))
        if bound is None or named is None or named["job"] not in jobs:
            continue
        host = f"{named['job']}/{named['slice']}/{named['host']}"
        rounds[host] = rounds.get(host, 0) + 1
        key = (named["job"], named["slice"], rounds[host])
        groups.setdefault(key, []).append((_time(event), _order(event), bound[1]))
    for (job, slice_, _), bindings in groups.items():
        time, order, _ = max(bindings)
        pools = sorted({record.node_pools.get(node, "a node that is gone") for _, _, node in bindings})
        nodes = sorted({node for _, _, node in bindings})
        yield Entry(time, Rank.OTHER, order, job, f"slice {slice_} placed on {', '.join(pools)}: {', '.join(nodes)}")


def _time(event: Document) -> float:
    """When an event was first seen; both the core and the events.k8s.io form of the field."""
    first = event.get("firstTimestamp") or event.get("eventTime") or event["metadata"]["creationTimestamp"]
    return float(int(seconds(first)))


def _order(event: Document) -> int:
    return int(event["metadata"]["resourceVersion"])
