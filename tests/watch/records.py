"""Records of what happened, written as a story: what is told later was written later by the API server."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from tpu.watch.record import Record

if TYPE_CHECKING:
    from components.kubeapi import Document

START: Final = dt.datetime(2026, 11, 21, 2, 33, 50, tzinfo=dt.UTC)
_POOLS: Final = ("np1", "np2", "np3")


def stamp(second: float) -> str:
    """A time of the story, in whole seconds as the API server keeps it."""
    return f"{START + dt.timedelta(seconds=int(second)):%Y-%m-%dT%H:%M:%SZ}"


def condition(type_: str, second: float, reason: str = "", message: str = "") -> Document:
    """A condition that became True."""
    return {
        "type": type_,
        "status": "True",
        "reason": reason or type_,
        "message": message,
        "lastTransitionTime": stamp(second),
    }


@dataclass
class Story:
    """Workloads, events and pods as they come about; `record` is what an API server would hold at the end."""

    workloads: dict[str, Document] = field(default_factory=dict[str, "Document"])
    """By the name of their job."""
    events: list[Document] = field(default_factory=list["Document"])
    _version: int = 100

    def queued(self, second: float, job: str, chips: int, *, priority: tuple[str, int] | None = None) -> None:
        """A JobSet of one slice per 8 chips is created, and Kueue makes its Workload."""
        template = {"spec": {"containers": [{"resources": {"limits": {"google.com/tpu": "4"}}}]}}
        spec: Document = {
            "queueName": "team-queue",
            "priority": priority[1] if priority else 0,
            "podSets": [{"name": "slice", "count": chips // 4, "template": template if chips else {"spec": {}}}],
        }
        if priority is not None:
            spec["priorityClassRef"] = {"name": priority[0]}
        self.workloads[job] = {
            "metadata": {
                "name": f"jobset-{job}",
                "namespace": "default",
                "uid": f"Workload-{job}",
                "creationTimestamp": stamp(second),
                "resourceVersion": self._next(),
                "ownerReferences": [{"kind": "JobSet", "name": job}],
            },
            "spec": spec,
            "status": {"conditions": []},
        }
        self.event(second, "JobSet", job, "CreatedWorkload", f"Created Workload: default/jobset-{job}")

    def waits(self, second: float, job: str, why: str) -> None:
        """Kueue cannot admit it, and says so three times: the API server counts the last two."""
        self.event(second, "Workload", job, "Pending", why, count=3, last=second + 1)

    def admitted(self, second: float, job: str, *, last: float | None = None) -> None:
        """Kueue reserves quota and admits; with `last`, once more in the same words at that time."""
        self._status(job)["admission"] = {"clusterQueue": "cluster-queue"}
        self._status(job)["conditions"] += [condition("QuotaReserved", last or second), condition("Admitted", second)]
        count = 1 if last is None else 2
        self.event(second, "Workload", job, "QuotaReserved", "Quota reserved", count=count, last=last)
        self.event(second, "Workload", job, "Admitted", "Admitted")

    def preempted(self, second: float, job: str, by: str) -> None:
        """Kueue takes the quota back."""
        del self._status(job)["admission"]
        kept = [each for each in self._status(job)["conditions"] if each["type"] not in ("QuotaReserved", "Admitted")]
        self._status(job)["conditions"] = kept
        self.event(second, "Workload", job, "EvictedDueToPreempted", f"Preempted to accommodate {by}")
        self.event(second, "Workload", job, "Preempted", f"Preempted to accommodate {by}")

    def placed(self, second: float, pod: str, node: str) -> None:
        """The scheduler binds a pod; it writes the other form of events, with fractions of a second."""
        moment = START + dt.timedelta(seconds=second)
        message = f"Successfully assigned default/{pod} to {node}"
        self.event(second, "Pod", pod, "Scheduled", message)
        self.events[-1] |= {"firstTimestamp": None, "lastTimestamp": None, "eventTime": f"{moment:%FT%T.%f}Z"}

    def finished(self, second: float, job: str, reason: str = "Succeeded", message: str = "jobset completed") -> None:
        """Kueue declares the Workload finished."""
        self._status(job)["conditions"].append(condition("Finished", second, reason, message))
        self.workloads[job]["metadata"]["resourceVersion"] = self._next()

    def event(
        self,
        second: float,
        kind: str,
        name: str,
        reason: str,
        message: str,
        *,
        count: int = 1,
        last: float | None = None,
    ) -> None:
        """An event about an object."""
        about = f"jobset-{name}" if kind == "Workload" else name
        self.events.append(
            {
                "metadata": {"resourceVersion": self._next(), "creationTimestamp": stamp(second)},
                "involvedObject": {"kind": kind, "name": about, "uid": f"{kind}-{name}"},
                "reason": reason,
                "message": message,
                "count": count,
                "firstTimestamp": stamp(second),
                "lastTimestamp": stamp(second if last is None else last),
                "eventTime": None,
            }
        )

    def in_newer_form(self) -> None:
        """Every event so far as events.k8s.io has it: a time with fractions, and repetitions as a series."""
        for each in self.events:
            first, last = each["firstTimestamp"], each["lastTimestamp"]
            series = {"count": each["count"], "lastObservedTime": f"{last.removesuffix('Z')}.250000Z"}
            each |= {"eventTime": f"{first.removesuffix('Z')}.500000Z", "series": series if last != first else None}
            each |= {"count": None, "firstTimestamp": None, "lastTimestamp": None}

    def record(self, **more: Any) -> Record:  # noqa: ANN401  fields of Record
        """What `read_record` would find: three node pools `np1` to `np3` of the nodes `npX-1` and `npX-2`."""
        parts: dict[str, Any] = {
            "workloads": list(self.workloads.values()),
            "jobs": [{"metadata": {"name": job}} for job in self.workloads],
            "child_jobs": [],
            "pods": [],
            "events": sorted(self.events, key=lambda event: int(event["metadata"]["resourceVersion"])),
            "nodes": [],
            "node_pools": {f"{pool}-{host}": pool for pool in _POOLS for host in (1, 2)},
            "queues": [],
            "local_queues": [],
            "requests": [],
            "services": [],
        }
        return Record(**{**parts, **more})

    def _status(self, job: str) -> Document:
        return self.workloads[job]["status"]

    def _next(self) -> str:
        self._version += 1
        return str(self._version)
