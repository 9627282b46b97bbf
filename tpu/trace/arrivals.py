"""What asked for chips, when, and how long it ran: the part of a record that a rehearsal repeats."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from tpu.trace.lines import (
    REQUIRED,
    Admitted,
    Asked,
    Evicted,
    Finished,
    Gone,
    OfWorkload,
    Paused,
    Ready,
    Released,
    Reserved,
    Resumed,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from components.kubeapi.documents import Document
    from tpu.trace.lines import Assignment, Line, PodSet

End = Literal["finished", "gone", "paused"]


@dataclass(frozen=True, slots=True)
class Stay:
    """One reservation of quota; moments in milliseconds since the epoch, None for what nobody saw."""

    reserved: int
    queue: str
    """The ClusterQueue."""
    assignments: tuple[Assignment, ...]
    admitted: int | None = None
    ready: int | None = None
    evicted: int | None = None
    ended: int | None = None
    """When its quota was free, or the end of the record."""

    @property
    def flavors(self) -> frozenset[str]:
        """The flavors of its pods."""
        return frozenset(name for each in self.assignments for name in each.flavors.values())


@dataclass(frozen=True, slots=True)
class Arrival:
    """A Workload of a record."""

    asked: Asked
    """When it asked, and everything that decides where Kueue admits it."""
    stays: tuple[Stay, ...]
    """From its first reservation to its last."""
    end: End | None
    """How it ended: its job did, somebody deleted it, or deactivated it; None for one that goes on or waits."""
    last: int
    """The moment of its last line, in milliseconds since the epoch."""

    @property
    def is_over(self) -> bool:
        """Whether it ran to its end; if not, it would have run longer."""
        return self.end == "finished"


def workload_of(asked: Asked) -> Document:
    """The Workload that asks for the same again, as Kueue's API has it; its containers are one with all requests."""
    reference = None if asked.priority_class is None else asked.priority_class.model_dump()
    spec = {
        "active": True,
        "queueName": asked.queue,
        "priority": asked.priority,
        "priorityClassRef": reference,
        "maximumExecutionTimeSeconds": asked.max_seconds,
        "podSets": [_pod_set(each) for each in asked.pod_sets],
    }
    return {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "Workload",
        "metadata": {"name": asked.name, "namespace": asked.namespace},
        "spec": _stated(spec),
    }


def _pod_set(pods: PodSet) -> Document:
    affinity = {"nodeAffinity": {REQUIRED: pods.node_affinity}} if pods.node_affinity else None
    pod = {
        "containers": [{"name": "main", "resources": {"requests": pods.requests}}],
        "nodeSelector": pods.node_selector or None,
        "affinity": affinity,
        "tolerations": list(pods.tolerations) or None,
    }
    own = {"name": pods.name, "count": pods.count, "minCount": pods.min_count, "topologyRequest": pods.topology}
    return {**_stated(own), "template": {"spec": _stated(pod)}}


def _stated(document: Document) -> Document:
    return {key: value for key, value in document.items() if value is not None}


class _Course:
    """One Workload while the record is read."""

    def __init__(self, asked: Asked) -> None:
        self.asked, self._at = asked, asked.at
        self._stays: list[Stay] = []
        self._end: End | None = None

    def take(self, line: OfWorkload) -> None:
        self._at = max(self._at, line.at)
        match line:
            case Reserved():
                self._change(ended=self._at)
                self._stays.append(Stay(self._at, line.cluster_queue, line.pod_sets))
            case Admitted() | Ready() | Evicted():
                self._change(**{line.what: self._at})
            case Released():
                self._change(ended=self._at)
            case Finished() | Gone():
                self._change(ended=self._at)
                self._end = line.what
            case Paused() | Resumed():
                self._end = "paused" if isinstance(line, Paused) else None
            case _:
                pass

    def _change(self, **moments: int) -> None:
        """Add to the reservation that it has, if it has one."""
        if self._stays and self._stays[-1].ended is None:
            self._stays[-1] = replace(self._stays[-1], **moments)

    def arrival(self, last: int) -> Arrival:
        self._change(ended=max(last, self._at))
        return Arrival(self.asked, tuple(self._stays), self._end, self._at)


def arrivals(lines: Iterable[Line]) -> list[Arrival]:
    """The Workloads of a record in the order in which they asked, then of their uids."""
    courses: dict[str, _Course] = {}
    last = 0
    for line in lines:
        last = max(last, line.at)
        if isinstance(line, Asked):
            courses.setdefault(line.uid, _Course(line))
        elif isinstance(line, OfWorkload) and line.uid in courses:
            courses[line.uid].take(line)
    found = [course.arrival(last) for course in courses.values()]
    return sorted(found, key=lambda each: (each.asked.at, each.asked.uid))
