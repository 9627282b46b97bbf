"""The timeline's entries about pods without a node: capacity is missing, a higher priority took it, or it failed.

Messages about many pods of a job for one cause make one entry, and so does a message that is repeated without another
one in between.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from components.model.findings import counted
from kubeapi.documents import section
from operations.watch.capacity import AUTOSCALER_REASONS, FAILED, NOT_TRIGGERED, TRIGGERED, UNSCHEDULABLE
from operations.watch.entry import Entry, Rank, last_time_of, order_of, time_of
from operations.watch.placements import BURST_SECONDS, job_of, pod_label
from operations.watch.record import label

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kubeapi.documents import Document
    from operations.watch.record import Record

_PREEMPTED: Final = "Preempted"
_EVICTED: Final = "TaintManagerEviction"
_NOT_READY: Final = "NodeNotReady"
_BEGINNINGS: Final = {
    UNSCHEDULABLE: "waits for capacity",
    TRIGGERED: "nodes are ordered",
    NOT_TRIGGERED: "the autoscaler adds no node",
    FAILED: "waits for capacity",
    _EVICTED: "evicted from a failed node",
    _NOT_READY: "runs on a node that is not ready",
    _PREEMPTED: "preempted by the scheduler",
}
"""How the entry of each reason begins. Source of the reasons: kube-scheduler 1.34, the autoscaler, kube-controller-
manager's taint eviction and node lifecycle."""
LOSSES: Final = (_BEGINNINGS[_PREEMPTED], _BEGINNINGS[_EVICTED])
"""How the entries begin that say that a job lost pods, whose quota it keeps."""


_TAKEN: Final = re.compile(r"Preempted by pod (?P<uid>\S+) on node (?P<node>\S+)")
"""Source: kube-scheduler, pkg/scheduler/framework/preemption. From 1.36 on its events have no related object."""


@dataclass(frozen=True, slots=True)
class _Said:
    """One thing said of one pod at one time."""

    time: float
    order: int
    reason: str
    pod: str
    message: str


def pod_entries(record: Record) -> Iterator[Entry]:
    """What was said of pods of jobs, in the order of time."""
    jobs = [label(job) for job in record.jobs]
    placed = _placed(record.events)
    told: dict[str, list[_Said]] = {}
    for event in record.events:
        reason = str(event.get("reason"))
        pod = pod_label(event)
        if reason not in _BEGINNINGS or section(event, "involvedObject").get("kind") != "Pod":
            continue
        job = job_of(pod, jobs)
        said = _Said(time_of(event), order_of(event), reason, pod, _message(event, jobs, record.events))
        if job is not None and not _was_brief(said, event, placed):
            told.setdefault(job, []).append(said)
    for job, all_said in told.items():
        for group in _groups(sorted(all_said, key=lambda each: (each.time, each.order))):
            first, pods = group[0], len({each.pod for each in group})
            text = f"{_BEGINNINGS[first.reason]} ({counted(pods, 'pod')}): {first.message}"
            yield Entry(first.time, Rank.OTHER, first.order, job, text)


def _groups(told: Sequence[_Said]) -> Iterator[list[_Said]]:
    """Messages of one reason without another in between; losses of nodes only when they come in one burst."""
    group: list[_Said] = []
    for each in told:
        if group and not _continues(group, each):
            yield group
            group = []
        group.append(each)
    if group:
        yield group


def _continues(group: Sequence[_Said], each: _Said) -> bool:
    is_wait = each.reason == UNSCHEDULABLE or each.reason in AUTOSCALER_REASONS
    return each.reason == group[-1].reason and (is_wait or each.time <= group[-1].time + BURST_SECONDS)


def _placed(events: Sequence[Document]) -> dict[str, float]:
    """When each pod was bound, by its name."""
    return {pod_label(event): time_of(event) for event in events if event.get("reason") == "Scheduled"}


def _was_brief(said: _Said, event: Document, placed: dict[str, float]) -> bool:
    """Whether the scheduler found no node at first and one soon after: the slice was not complete yet."""
    bound = placed.get(said.pod)
    return said.reason == UNSCHEDULABLE and bound is not None and bound <= min(said.time, last_time_of(event)) + 2


def preemptor(event: Document, events: Sequence[Document]) -> tuple[str, str] | None:
    """The pod for which the scheduler preempted another one, and the node, by the event about that.

    The event names the pod by its uid; every pod that was bound is named by another event. None for other events, and
    where the pod is not known.
    """
    found = _TAKEN.fullmatch(str(event.get("message"))) if event.get("reason") == _PREEMPTED else None
    if found is None:
        return None
    named = (pod_label(each) for each in events if section(each, "involvedObject").get("uid") == found["uid"])
    pod = next(named, None)
    return None if pod is None else (pod, found["node"])


def _message(event: Document, jobs: Sequence[str], events: Sequence[Document]) -> str:
    """The event's words; of a preemption the job for which it was done."""
    taken = preemptor(event, events)
    if taken is None:
        return str(event.get("message"))
    pod, node = taken
    return f"{job_of(pod, jobs) or pod} takes node {node}"
