"""A scenario: machines that fail, and stock that changes, at moments in the life of a workload.

Each step waits until a pod of its workload runs that started after the step before, and then for some simulated
seconds. So a step after a failure counts from the moment at which the workload runs again. The daemon plays one
scenario at a time, and none after it has started again.
"""

from __future__ import annotations

import datetime as dt
import sys
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from components.kubeapi.documents import Document, section
from components.kubeapi.jobs import job_of_pod
from components.kubeapi.owners import PODS
from simulator.cloud.api import CloudError
from simulator.scaling.times import UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from components.kubeapi import FilteredList, Informers
    from simulator.clock import SpeedClock
    from simulator.scaling.scaling import Scaling

_LOOK_SECONDS: Final = 0.5
"""Real time between two looks at the pods. Idle time is skipped only after three seconds, so no moment is missed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What happens to machines, and when. Names and forms are those of `tpu simulator lose` and `stock`."""

    workload: str
    """A Job or JobSet, as NAME, or as NAMESPACE/NAME outside of the namespace `default`."""
    seconds: float
    """Simulated seconds after the workload began to run."""
    lose: tuple[str, ...] = ()
    """Nodes or node pools whose machines fail."""
    lose_slice: bool = False
    """Whether the machines of a slice on which the workload runs fail, or the one machine of a pod on no slice."""
    out: tuple[str, ...] = ()
    """Machines that run out of stock."""
    back: tuple[str, ...] = ()
    """Machines that come back into stock."""

    @property
    def text(self) -> str:
        """The step in words."""
        acts = [
            *(f"lose {name}" for name in self.lose),
            *(["lose its slice"] if self.lose_slice else []),
            *(f"{name} out of stock" for name in self.out),
            *(f"{name} back in stock" for name in self.back),
        ]
        return f"{', '.join(acts)} {self.seconds:g} s after {self.workload} runs"

    @staticmethod
    def of(document: dict[str, Any]) -> Step:
        """From its fields as JSON has them."""
        fields: dict[str, Any] = {**document, **{name: tuple(document[name]) for name in ("lose", "out", "back")}}
        return Step(**fields)


class Scenario:
    """Plays the steps of one scenario. Implements `simulator.clusters.fleet.Follower`."""

    def __init__(self, clock: SpeedClock, scaling: Scaling) -> None:
        self._clock = clock
        self._scaling = scaling
        self._lock = threading.Lock()
        self._pods: dict[str, FilteredList] = {}
        self._over = threading.Event()
        self._thread: threading.Thread | None = None
        self._acts = False
        self.lines: list[str] = []
        """What the scenario has done, and the step that it waits for; for people."""

    def began(self, cluster: str, informers: Informers) -> None:
        """A cluster runs."""
        with self._lock:
            self._pods[cluster] = informers.filtered(PODS)

    def ends(self, cluster: str) -> None:
        """A cluster is about to be stopped."""
        with self._lock:
            self._pods.pop(cluster, None)

    def is_at_work(self) -> bool:
        """Whether a step happens right now."""
        return self._acts

    def play(self, steps: list[dict[str, Any]]) -> None:
        """Play these steps, one after another, instead of the scenario before; no steps end it."""
        self.stop()
        self._over = threading.Event()
        self.lines = []
        if steps:
            arguments = ([Step.of(each) for each in steps], self._over)
            self._thread = threading.Thread(target=self._run, args=arguments, name="scenario", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """End the scenario."""
        self._over.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _run(self, steps: Sequence[Step], over: threading.Event) -> None:
        since = 0.0
        for step in steps:
            self.lines.append(f"waits: {step.text}")
            started = self._start(step, since, over)
            if started is not None:
                self._clock.sleep_until(self._clock.shown.at(started) + step.seconds, over)
            if over.is_set():
                return
            since = self._happen(step)

    def _start(self, step: Step, since: float, over: threading.Event) -> float | None:
        """The real moment, not before `since`, at which a pod of the workload started; None when it is over."""
        while not over.is_set():
            starts = [start for start in map(_started, self._running(step.workload)) if start >= since]
            if starts:
                return min(starts)
            over.wait(_LOOK_SECONDS)
        return None

    def _running(self, workload: str) -> list[Document]:
        """The pods of a workload that run."""
        with self._lock:
            views = list(self._pods.values())
        return [pod for view in views for pod in view.objects() if job_of_pod(pod) == workload and _runs(pod)]

    def _happen(self, step: Step) -> float:
        """Do what the step says; returns the real moment afterwards."""
        self._acts = True
        try:
            for name in (*step.lose, *(self._host(step.workload) if step.lose_slice else ())):
                self._scaling.lose(name)
            if step.out or step.back:
                self._scaling.change_stock(list(step.out), list(step.back))
            self.lines[-1] = f"done: {step.text}"
        except (CloudError, UnknownNameError) as error:
            self.lines[-1] = f"failed: {step.text}: {error}"
        finally:
            self._acts = False
        sys.stderr.write(f"{time.strftime('%H:%M:%S')} scenario {self.lines[-1]}\n")
        return time.time()

    def _host(self, workload: str) -> list[str]:
        """The node of one of its pods, by name.

        Raises:
            UnknownNameError: none of its pods runs any more.
        """
        nodes = sorted(section(pod, "spec").get("nodeName", "") for pod in self._running(workload))
        if not nodes:
            raise UnknownNameError(f"no pod of {workload} runs")
        return nodes[:1]


def _runs(pod: Document) -> bool:
    status = section(pod, "status")
    return status.get("phase") == "Running" and "startTime" in status


def _started(pod: Document) -> float:
    return dt.datetime.fromisoformat(section(pod, "status")["startTime"]).timestamp()
