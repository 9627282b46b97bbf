"""The story of the workloads in the order of time: queued, waiting and why, admitted, placed, evicted, finished.

The API server keeps times in whole seconds. Within one second, quota that is given back comes before quota that is
taken, because Kueue can only give what it has, unless it was taken in that second too; among others the order is that
in which the API server wrote them.
"""

from __future__ import annotations

import re
from collections import Counter
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
_POD_OF_SLICE: Final = re.compile(r"(?P<replicated>.+)-(?P<slice>\d+)-(?P<host>\d+)-[a-z0-9]{5}")
"""What follows the JobSet's name in the name of its pod."""
_CREATED: Final = "CreatedWorkload"
_RESERVED: Final = "QuotaReserved"
_RELEASING: Final = ("Evicted", "Preempted")
"""Beginnings of the reasons of events that say that quota was given back."""


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
        *_workload_entries(record),
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


def _workload_entries(record: Record) -> Iterator[Entry]:
    made = {str(event.get("message")): _order(event) for event in record.events if event.get("reason") == _CREATED}
    for workload in record.workloads:
        job, metadata = owner_name(workload), workload["metadata"]
        spec = section(workload, "spec")
        asked = f"asks for {chips_of(workload)} chips" if chips_of(workload) else "asks for no chips"
        priority = section(spec, "priorityClassRef")
        named = f", priority {priority['name']} ({spec.get('priority', 0)})" if priority else ""
        queued = f"queued in {spec.get('queueName')}: {asked}{named}"
        created = seconds(metadata["creationTimestamp"])
        order = made.get(f"Created Workload: {metadata['namespace']}/{metadata['name']}", 0)
        yield Entry(created, Rank.QUEUED, order, job, queued)
        finished = condition_time(workload, "Finished")
        if finished is not None:
            reason = condition(workload, "Finished")
            text = f"finished: {reason.get('reason')}, {reason.get('message')}"
            given_back = -chips_of(workload) if admitted_by(workload) else 0
            rank = _release_rank(condition_time(workload, _RESERVED), finished)
            yield Entry(finished, rank, int(metadata["resourceVersion"]), job, text, given_back)


def _event_entries(record: Record) -> Iterator[Entry]:
    workloads = {workload["metadata"]["uid"]: workload for workload in record.workloads}
    holding: set[str] = set()
    taken: dict[str, float] = {}
    for time, order, event in _occurrences(record.events):
        workload = workloads.get(section(event, "involvedObject").get("uid", ""))
        if workload is None:
            continue
        uid, job, chips = workload["metadata"]["uid"], owner_name(workload), chips_of(workload)
        reason, message = str(event.get("reason")), str(event.get("message"))
        if reason == _RESERVED:
            holding.add(uid)
            taken[uid] = time
            yield Entry(time, Rank.OTHER, order, job, message, chips)
        elif reason.startswith(_RELEASING):
            rank = _release_rank(taken.get(uid), time)
            yield Entry(time, rank, order, job, f"{reason}: {message}", -chips if uid in holding else 0)
            holding.discard(uid)
        elif reason != "Admitted":
            yield Entry(time, Rank.OTHER, order, job, f"{'waits' if reason == 'Pending' else reason}: {message}")


def _release_rank(taken: float | None, time: float) -> Rank:
    """Where quota that is given back at `time` stands within that second: not before it was taken."""
    return Rank.OTHER if taken == time else Rank.RELEASED


def _occurrences(events: Iterable[Document]) -> list[tuple[float, int, Document]]:
    """Time, place in the API server's order and event, in that order.

    An event that repeats another word for word is only counted there. Of those about quota, the last time is told too:
    a Workload that waits equally long twice is admitted with the same words.
    """
    found: list[tuple[float, int, Document]] = []
    for event in events:
        first, last = _time(event), float(int(seconds(event.get("lastTimestamp"))))
        repeated = last > first and str(event.get("reason")).startswith((_RESERVED, *_RELEASING))
        found.append((first, 0 if repeated else _order(event), event))
        if repeated:
            found.append((last, _order(event), event))
    return sorted(found, key=lambda occurrence: occurrence[:2])


def _placements(record: Record, jobs: Sequence[str]) -> Iterator[Entry]:
    """One entry per slice: the node pool and nodes that its pods were bound to, each time."""
    groups: dict[tuple[str, str, int], list[tuple[float, int, str]]] = {}
    rounds: Counter[tuple[str, str, str]] = Counter()
    for event in record.events:
        bound = _SCHEDULED.match(str(event.get("message"))) if event.get("reason") == "Scheduled" else None
        pod = _slice_pod(str(section(event, "involvedObject").get("name")), jobs)
        if bound is None or pod is None:
            continue
        job, slice_, _ = pod
        rounds[pod] += 1
        groups.setdefault((job, slice_, rounds[pod]), []).append((_time(event), _order(event), bound[1]))
    for (job, slice_, _), bindings in groups.items():
        time, order, _ = max(bindings)
        pools = sorted({record.node_pools.get(node, "a node that is gone") for _, _, node in bindings})
        nodes = sorted({node for _, _, node in bindings})
        yield Entry(time, Rank.OTHER, order, job, f"{slice_} placed on {', '.join(pools)}: {', '.join(nodes)}")


def _slice_pod(name: str, jobs: Sequence[str]) -> tuple[str, str, str] | None:
    """Job, slice (such as `slice 0`) and host index of a pod by its name; None for a pod of none of the `jobs`."""
    for job in sorted(jobs, key=len, reverse=True):
        found = _POD_OF_SLICE.fullmatch(name.removeprefix(f"{job}-")) if name.startswith(f"{job}-") else None
        if found is not None:
            return job, f"{found['replicated']} {found['slice']}", found["host"]
    return None


def _time(event: Document) -> float:
    """When an event was first seen; both the core and the events.k8s.io form of the field."""
    first = event.get("firstTimestamp") or event.get("eventTime") or event["metadata"]["creationTimestamp"]
    return float(int(seconds(first)))


def _order(event: Document) -> int:
    return int(event["metadata"]["resourceVersion"])
