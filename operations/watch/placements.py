"""The timeline's entries about pods that were given nodes: one per slice of a JobSet, one per burst of a Job."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from components.model.findings import counted
from kubeapi.documents import section
from operations.watch.entry import Entry, Rank, order_of, time_of
from operations.watch.record import label, label_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from kubeapi.documents import Document
    from operations.watch.record import Record

_SCHEDULED: Final = re.compile(r"Successfully assigned \S+ to (\S+)")
_POD_OF_SLICE: Final = re.compile(r"(?P<replicated>.+)-(?P<slice>\d+)-(?P<host>\d+)-[a-z0-9]{5}")
"""What follows the JobSet's name in the name of its pod."""
_POD_OF_JOB: Final = re.compile(r"(?:\d+-)?[a-z0-9]{5}")
"""What follows a Job's name in the name of its pod; with an index where the Job is Indexed."""
BURST_SECONDS: Final = 5.0
"""What happens to several pods or nodes for one cause comes closer together than this."""


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
            yield _entry(record, job, slice_, round_)
    for job, bindings in jobs.items():
        for burst in _bursts(bindings):
            yield _entry(record, job, counted(len(burst), "pod"), burst)


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
    burst: list[_Binding] = []
    for binding in sorted(bindings, key=lambda each: (each.time, each.order)):
        if burst and binding.time > burst[-1].time + BURST_SECONDS:
            yield burst
            burst = []
        burst.append(binding)
    if burst:
        yield burst


def _entry(record: Record, job: str, what: str, bindings: Sequence[_Binding]) -> Entry:
    last = max(bindings, key=lambda each: (each.time, each.order))
    pools = sorted({record.node_pools.get(each.node, "a node that is gone") for each in bindings})
    nodes = sorted({each.node for each in bindings})
    return Entry(last.time, Rank.OTHER, last.order, job, f"{what} placed on {', '.join(pools)}: {', '.join(nodes)}")
