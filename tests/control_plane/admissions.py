"""Watches Kueue's Workloads while a test goes on, so that every state is seen in the order in which it was written."""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from components.kubeapi import Api, ApiError, UnreachableError
from components.kubeapi.documents import Document, entries, is_true, section
from components.kubeapi.jobs import WORKLOADS, owner_label
from components.model.facts import gke
from components.model.facts.quantities import parse

if TYPE_CHECKING:
    from collections.abc import Callable

    from components.kubeapi.client import Event

_SECONDS: Final = 600.0


@dataclass
class Admissions:
    """What was seen of the Workloads, by job."""

    states: list[dict[str, int]] = field(default_factory=list[dict[str, int]])
    """After each change: the chips and GPUs of every job that held quota."""
    whole: list[set[str]] = field(default_factory=list[set[str]])
    """After each change: the jobs of which no pod had given its quota back yet."""
    peaks: Counter[str] = field(default_factory=Counter[str])
    """The most of each resource that Kueue had booked at one moment, in thousandths."""
    _holding: dict[str, int] = field(default_factory=dict[str, int])
    _ending: set[str] = field(default_factory=set[str])
    """Jobs that hold quota and have given a part of it back."""
    _booked: dict[str, Counter[str]] = field(default_factory=dict[str, Counter[str]])
    """What every job that holds quota holds of each resource, in thousandths."""
    _known: set[str] = field(default_factory=set[str])
    """Uids of the Workloads that were seen."""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def watch(self, connect: Callable[[], Api | None]) -> threading.Event:
        """Begin to watch, as soon as `connect` leads to an API server that serves Workloads; set the result to end."""
        over = threading.Event()
        threading.Thread(target=self._run, args=(connect, over), daemon=True).start()
        return over

    def peak(self) -> int:
        """The most chips and GPUs that were held at one moment."""
        with self._lock:
            return max((sum(state.values()) for state in self.states), default=0)

    def together(self) -> list[set[str]]:
        """The sets of jobs that held their quota at one moment, each once, in order; the empty set is left out.

        A job that ends gives it back pod by pod, and others may be admitted on that before it is over: it is left out
        from its first pod on.
        """
        with self._lock:
            found: list[set[str]] = []
            for jobs in self.whole:
                if jobs and jobs not in found[-1:]:
                    found.append(set(jobs))
            return found

    def _run(self, connect: Callable[[], Api | None], over: threading.Event) -> None:
        while not over.is_set():
            api = connect()
            try:
                if api is not None:
                    for event in api.watch(WORKLOADS, seconds=_SECONDS):
                        self._see(event)
                        if over.is_set():
                            return
            except (ApiError, UnreachableError):
                pass  # not served yet, or the cluster is just being made
            over.wait(0.2)

    def _see(self, event: Event) -> None:
        workload = event.object
        job, uid = owner_label(workload), workload["metadata"]["uid"]
        is_gone = event.type == "DELETED"
        holds = bool(section(workload, "status", "admission")) and not is_true(workload, "Finished") and not is_gone
        with self._lock:
            # A watch that broke begins with a list, one object after another: what is known halfway was never so.
            is_repeated = event.type == "ADDED" and uid in self._known
            self._known.add(uid)
            self._ending.discard(job)
            if holds:
                if section(workload, "status").get("reclaimablePods"):
                    self._ending.add(job)
                self._booked[job] = booked = _booked(workload)
                self._holding[job] = (booked[gke.RESOURCE_TPU] + booked[gke.RESOURCE_GPU]) // 1000
            else:
                self._holding.pop(job, None)
                self._booked.pop(job, None)
            if not is_repeated:
                self.states.append(dict(self._holding))
                self.whole.append(self._holding.keys() - self._ending)
                self._raise_peaks()

    def _raise_peaks(self) -> None:
        held: Counter[str] = Counter()
        for booked in self._booked.values():
            held.update(booked)
        self.peaks |= held


def _booked(workload: Document) -> Counter[str]:
    """What a Workload holds of the quota, in thousandths by resource: what it was given, less its pods that are done.

    Kueue takes back the quota of each pod that has succeeded (`reclaimablePods`); the admission stays as it was.
    """
    done = {each["name"]: int(each["count"]) for each in entries(workload, "status", "reclaimablePods")}
    found: Counter[str] = Counter()
    for assignment in entries(workload, "status", "admission", "podSetAssignments"):
        pods = int(assignment["count"])
        for resource, amount in section(assignment, "resourceUsage").items():
            found[resource] += parse(str(amount)).milli * (pods - done.get(assignment["name"], 0)) // pods
    return found
