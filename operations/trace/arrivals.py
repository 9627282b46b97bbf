"""What asked for chips, when, and how long it ran: the part of a record that a rehearsal repeats."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from operations.trace.lines import (
    SECOND,
    Admitted,
    Asked,
    Evicted,
    Finished,
    Gone,
    OfWorkload,
    Ready,
    Released,
    Reserved,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubeapi.documents import Document
    from operations.trace.lines import Line, PodSet

_REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"


@dataclass(frozen=True, slots=True)
class Arrival:
    """A Workload of a record."""

    asked: Asked
    """When it asked, and everything that decides where Kueue admits it."""
    seconds: float
    """How long it ran since its pods started for the last time, or since it was admitted where nobody saw them."""
    is_over: bool
    """Whether it ran to its end; if not, it would have run longer."""
    evictions: int
    admitted: int | None
    """When the record says that it was admitted first, in milliseconds since the epoch; None if never."""
    flavors: frozenset[str]
    """The flavors of its last admission."""


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
    affinity = {"nodeAffinity": {_REQUIRED: pods.node_affinity}} if pods.node_affinity else None
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
        self.asked = asked
        self.begun: int | None = None
        self.first: int | None = None
        self.is_over = False
        self.evictions = 0
        self.seconds = 0.0
        self.flavors: frozenset[str] = frozenset()

    def take(self, line: OfWorkload) -> None:
        match line:
            case Reserved():
                self.begun = None
                self.flavors = frozenset(name for each in line.pod_sets for name in each.flavors.values())
            case Admitted():
                self.begun = line.at
                self.first = line.at if self.first is None else self.first
            case Ready():
                self.begun = line.at
            case Evicted():
                self.evictions += 1
            case Released() | Finished() | Gone():
                self.stop(line.at)
                self.is_over = isinstance(line, Finished)
            case _:
                pass

    def stop(self, at: int) -> None:
        if self.begun is not None:
            self.seconds, self.begun = max(0, at - self.begun) / SECOND, None

    def arrival(self) -> Arrival:
        return Arrival(self.asked, self.seconds, self.is_over, self.evictions, self.first, self.flavors)


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
    for course in courses.values():
        course.stop(last)
    found = [course.arrival() for course in courses.values()]
    return sorted(found, key=lambda each: (each.asked.at, each.asked.uid))
