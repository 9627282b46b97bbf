"""The entries of the timeline: what happened to jobs, Kueue's Workloads, pods and nodes, and when.

- Jobs and JobSets themselves: those that Kueue does not manage, and restarts of any.
- Workloads: queued, waiting, quota reserved and released, finished. Kueue also releases quota before a job is over, and
  admits others with it at once: of a JobSet the quota of each of its Jobs that has succeeded; of a Job with several
  pods the quota of each pod that has succeeded and that no other pod follows. Source: Kueue 0.16, `ReclaimablePods` in
  pkg/controller/jobs/jobset and pkg/controller/jobs/job.
- Pods that were given nodes: one entry per slice of a JobSet, one per burst of a Job.
- Pods without a node: capacity is missing, a higher priority took it, or it failed. Messages about many pods of a job
  for one cause make one entry, and so does a message that is repeated without another one in between.
- Nodes: they come, they are lost or not ready, they go; one entry per pool and burst.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import IntEnum
from itertools import groupby
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

from components.kubeapi.documents import Document, condition, entries, section
from components.kubeapi.jobs import (
    admitted_by,
    condition_time,
    end_of,
    job_of_pod,
    label,
    label_of,
    owner_label,
    owner_uid,
    pool_of,
    seconds,
)
from components.model.facts import gke
from components.model.findings import counted
from components.pod_sets import accelerators_of
from tpu.watch.capacity import AUTOSCALER_REASONS, FAILED, NOT_TRIGGERED, TRIGGERED, UNSCHEDULABLE
from tpu.watch.requests import asks_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from components.kubeapi.jobs import End
    from tpu.watch.record import Record


_Item = TypeVar("_Item")


class Rank(IntEnum):
    """The order of entries within one second."""

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
    """The job or the node pool that it is about."""
    text: str
    chips: int = 0
    """How the chips and GPUs under admission change: taken above 0, given back below."""


def release_rank(taken: float | None, released: float) -> Rank:
    """Where quota that is given back at `released` stands within that second: not before it was taken."""
    return Rank.OTHER if taken == released else Rank.RELEASED


def time_of(event: Document) -> float:
    """When an event was first seen; both the core and the events.k8s.io form of the field."""
    first = event.get("firstTimestamp") or event.get("eventTime") or event["metadata"]["creationTimestamp"]
    return float(int(seconds(first)))


def last_time_of(event: Document) -> float:
    """When an event was last seen."""
    last = event.get("lastTimestamp") or section(event, "series").get("lastObservedTime")
    return max(time_of(event), float(int(seconds(last))))


def order_of(document: Document) -> int:
    """Place of the last write of an object in the API server's own order."""
    return int(document["metadata"]["resourceVersion"])


_SCHEDULED: Final = re.compile(r"Successfully assigned \S+ to (\S+)")
_POD_OF_SLICE: Final = re.compile(r"(?P<replicated>.+)-(?P<slice>\d+)-(?P<host>\d+)-[a-z0-9]{5}")
"""What follows the JobSet's name in the name of its pod."""
_POD_OF_JOB: Final = re.compile(r"(?:\d+-)?[a-z0-9]{5}")
"""What follows a Job's name in the name of its pod; with an index where the Job is Indexed."""
BURST_SECONDS: Final = 5.0
"""Events of several pods or nodes closer together than this have one cause."""


@dataclass(frozen=True, slots=True)
class _Binding:
    time: float
    order: int
    pod: str
    node: str


def placements(record: Record) -> Iterator[Entry]:
    """Where pods of jobs were bound to nodes, each time."""
    slices: dict[tuple[str, str], list[tuple[str, _Binding]]] = {}
    jobs: dict[str, list[_Binding]] = {}
    names = [label(job) for job in record.jobs]
    for binding in _bindings(record.events):
        found = _slice_pod(binding.pod, names)
        if found is not None:
            slices.setdefault(found[:2], []).append((found[2], binding))
        elif (job := job_of(binding.pod, names)) is not None:
            jobs.setdefault(job, []).append(binding)
    for (job, slice_), hosts in slices.items():
        for round_ in _rounds(hosts):
            yield _placement(record, job, slice_, round_)
    for job, bindings in jobs.items():
        for burst in _bursts(bindings):
            yield _placement(record, job, counted(len(burst), "pod"), burst)


def _bindings(events: Iterable[Document]) -> Iterator[_Binding]:
    for event in events:
        bound = _SCHEDULED.match(str(event.get("message"))) if event.get("reason") == "Scheduled" else None
        if bound is not None:
            yield _Binding(time_of(event), order_of(event), pod_label(event), bound[1])


def pod_label(event: Document) -> str:
    """The pod that an event is about, with its namespace."""
    about = section(event, "involvedObject")
    return label_of(about.get("namespace"), str(about.get("name")))


def job_of(pod: str, jobs: Sequence[str]) -> str | None:
    """The job of a pod by the pod's name: the one with the longest name that fits, None for a pod of none."""
    for job in sorted(jobs, key=len, reverse=True):
        rest = pod.removeprefix(f"{job}-")
        if rest != pod and (_POD_OF_JOB.fullmatch(rest) or _POD_OF_SLICE.fullmatch(rest)):
            return job
    return None


def _slice_pod(pod: str, jobs: Sequence[str]) -> tuple[str, str, str] | None:
    """Job, slice (such as `slice 0`) and host index of a pod of a JobSet; None for any other."""
    job = job_of(pod, jobs)
    found = _POD_OF_SLICE.fullmatch(pod.removeprefix(f"{job}-")) if job is not None else None
    return (job, f"{found['replicated']} {found['slice']}", found["host"]) if job and found else None


def _groups(items: Iterable[_Item], continues: Callable[[_Item, _Item], bool]) -> Iterator[list[_Item]]:
    """Items in groups: each but the first continues the one before it."""
    group: list[_Item] = []
    for each in items:
        if group and not continues(group[-1], each):
            yield group
            group = []
        group.append(each)
    if group:
        yield group


def _rounds(hosts: Sequence[tuple[str, _Binding]]) -> Iterator[list[_Binding]]:
    """The bindings of one slice from start to start: a host that is bound again begins a new round."""
    current: dict[str, _Binding] = {}
    for host, binding in sorted(hosts, key=lambda each: (each[1].time, each[1].order)):
        if host in current:
            yield list(current.values())
            current = {}
        current[host] = binding
    if current:
        yield list(current.values())


def _bursts(bindings: Sequence[_Binding]) -> Iterator[list[_Binding]]:
    ordered = sorted(bindings, key=lambda each: (each.time, each.order))
    yield from _groups(ordered, lambda before, each: each.time <= before.time + BURST_SECONDS)


def _placement(record: Record, job: str, what: str, bindings: Sequence[_Binding]) -> Entry:
    last = max(bindings, key=lambda each: (each.time, each.order))
    pools = sorted({record.node_pools.get(each.node, "a node that is gone") for each in bindings})
    nodes = sorted({each.node for each in bindings})
    return Entry(last.time, Rank.OTHER, last.order, job, f"{what} placed on {', '.join(pools)}: {', '.join(nodes)}")


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


_REGISTERED: Final = "RegisteredNode"
_TEXTS: Final = {
    _REGISTERED: ("node came", "nodes came"),
    "RemovingNode": ("node went", "nodes went"),
    "NodeNotReady": ("node is not ready", "nodes are not ready"),
}
"""One and many, by the reason of the event that kube-controller-manager writes about the Node."""


@dataclass(frozen=True, slots=True, order=True)
class _Change:
    pool: str
    reason: str
    time: float
    order: int
    node: str


def node_entries(record: Record) -> Iterator[Entry]:
    """Entries about nodes; those that are gone without a trace of their pool count to `-`."""
    yield from map(_entry, _groups(sorted(_changes(record)), _is_of_burst))


def _is_of_burst(before: _Change, each: _Change) -> bool:
    is_alike = (each.pool, each.reason) == (before.pool, before.reason)
    return is_alike and each.time <= before.time + BURST_SECONDS


def _changes(record: Record) -> Iterator[_Change]:
    there = {node["metadata"]["name"]: node for node in record.nodes}
    for name, node in there.items():
        if "creationTimestamp" in node["metadata"]:
            yield _Change(pool_of(node), _REGISTERED, seconds(node["metadata"]["creationTimestamp"]), 0, name)
    came: set[str] = set()
    for event in record.events:
        about, reason = section(event, "involvedObject"), str(event.get("reason"))
        name = str(about.get("name"))
        if about.get("kind") != "Node" or reason not in _TEXTS:
            continue
        # A controller that starts again registers every node again; a node that is there says itself when it came.
        if reason == _REGISTERED and (name in there or name in came):
            continue
        if reason == _REGISTERED:
            came.add(name)
        yield _Change(record.node_pools.get(name, "-"), reason, time_of(event), order_of(event), name)


def _entry(group: list[_Change]) -> Entry:
    first = group[0]
    nodes = sorted({change.node for change in group})
    text = f"{len(nodes)} {_TEXTS[first.reason][len(nodes) != 1]}: {', '.join(nodes)}"
    about = f"pool {first.pool}" if first.pool != "-" else "nodes"
    return Entry(first.time, Rank.OTHER, first.order, about, text)


_SUCCEEDED: Final = "Succeeded"


class _Part(NamedTuple):
    """A part of a job that has succeeded."""

    ended: float
    """Seconds since the epoch, whole."""
    order: int
    pods: int
    accelerators: int
    """Chips and GPUs that it gave back."""


def reclaimed(record: Record, workload: Document) -> list[Entry]:
    """An entry for each second in which a Workload gave back a part of its quota, before its end, oldest first."""
    taken, over = condition_time(workload, "QuotaReserved"), condition_time(workload, "Finished")
    if taken is None:
        return []
    job = owner_label(workload)
    parts = [*_jobs_of(record, job), *_pods_of(record, job)]
    early = sorted(part for part in parts if taken <= part.ended and (over is None or part.ended < over))
    return [
        _reclaimed(job, taken, ended, list(together)) for ended, together in groupby(early, lambda part: part.ended)
    ]


def _reclaimed(job: str, taken: float, ended: float, parts: list[_Part]) -> Entry:
    pods = sum(part.pods for part in parts)
    back = sum(part.accelerators for part in parts)
    whose = "pods have succeeded: Kueue releases their" if pods > 1 else "pod has succeeded: Kueue releases its"
    return Entry(
        ended, release_rank(taken, ended), max(part.order for part in parts), job, f"{pods} {whose} quota", -back
    )


def _jobs_of(record: Record, jobset: str) -> Iterator[_Part]:
    """The Jobs of a JobSet that have succeeded."""
    for job in record.child_jobs:
        completed = section(job, "status").get("completionTime")
        if owner_label(job) == jobset and completed:
            pods = int(section(job, "spec").get("parallelism", 1))
            yield _Part(seconds(completed), order_of(job), pods, accelerators_of(job))


def _pods_of(record: Record, name: str) -> Iterator[_Part]:
    """The pods of a Job that have succeeded, as far as none follows them."""
    job = next((each for each in record.jobs if label(each) == name and "template" in section(each, "spec")), None)
    parallelism = int(section(job, "spec").get("parallelism", 1)) if job is not None else 1
    if job is None or parallelism == 1:
        return
    followed = int(section(job, "spec").get("completions", parallelism)) - parallelism
    ended = sorted((_end_of(pod), order_of(pod)) for pod in record.pods if _has_succeeded(pod, name))
    for moment, order in ended[followed:]:
        yield _Part(moment, order, 1, accelerators_of(job) // parallelism)


def _has_succeeded(pod: Document, job: str) -> bool:
    is_of_jobset = gke.LABEL_JOBSET_NAME in section(pod, "metadata", "labels")
    return not is_of_jobset and job_of_pod(pod) == job and section(pod, "status").get("phase") == _SUCCEEDED


def _end_of(pod: Document) -> float:
    """When the last container of a pod ended."""
    states = (section(each, "state", "terminated") for each in entries(pod, "status", "containerStatuses"))
    return max((seconds(state.get("finishedAt")) for state in states), default=0.0)


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
    """Messages about pods of jobs, in the order of time."""
    jobs = [label(job) for job in record.jobs]
    placed = _placed(record.events)
    messages_by_job: dict[str, list[_Said]] = {}
    for event in record.events:
        reason = str(event.get("reason"))
        pod = pod_label(event)
        if reason not in _BEGINNINGS or section(event, "involvedObject").get("kind") != "Pod":
            continue
        job = job_of(pod, jobs)
        said = _Said(time_of(event), order_of(event), reason, pod, _message(event, jobs, record.events))
        if job is not None and not _was_brief(said, event, placed):
            messages_by_job.setdefault(job, []).append(said)
    for job, messages in messages_by_job.items():
        for group in _groups(sorted(messages, key=lambda each: (each.time, each.order)), _continues):
            first, pods = group[0], len({each.pod for each in group})
            text = f"{_BEGINNINGS[first.reason]} ({counted(pods, 'pod')}): {first.message}"
            yield Entry(first.time, Rank.OTHER, first.order, job, text)


def _continues(before: _Said, each: _Said) -> bool:
    """Whether a message has the reason of the one before; losses of nodes must come in one burst, too."""
    is_wait = each.reason == UNSCHEDULABLE or each.reason in AUTOSCALER_REASONS
    return each.reason == before.reason and (is_wait or each.time <= before.time + BURST_SECONDS)


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


_CREATED: Final = "CreatedWorkload"
_RESERVED: Final = "QuotaReserved"
_RELEASING: Final = ("Evicted", "Preempted")
"""Beginnings of the reasons of events that say that quota was given back."""


def workload_entries(record: Record) -> Iterator[Entry]:
    """Entries about Workloads: from their conditions, and from the events about them."""
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
            yield Entry(finished, rank, order_of(workload), job, text, -left if admitted_by(workload) else 0)


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
