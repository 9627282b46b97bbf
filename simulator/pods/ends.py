"""Ends the pods that kwok plays when their command would end, in simulated time, whatever its speed was meanwhile.

A pod that begins to run ends after the seconds that admission wrote on it. A pod that was deleted, whose machine
failed, or that Kubernetes would start again does not end here.
"""

from __future__ import annotations

import datetime as dt
import threading
import time
from typing import TYPE_CHECKING, Any, Final

from components.kubeapi.documents import Document, entries, section, stamp
from components.kubeapi.owners import PODS
from simulator.nodes import ANNOTATION_LOST
from simulator.pods.admission import ANNOTATION_EXIT_CODE, ANNOTATION_SECONDS
from simulator.pods.host_status import terminated
from simulator.pods.watching import Watcher

if TYPE_CHECKING:
    from components.kubeapi import Informers
    from simulator.clock import SpeedClock

_NEVER: Final = float("inf")


class PodEnds:
    """Ends the pods of every cluster that runs. Implements `simulator.clusters.fleet.Follower`."""

    def __init__(self, clock: SpeedClock) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._clusters: dict[str, ClusterEnds] = {}

    def began(self, cluster: str, informers: Informers) -> None:
        """A cluster runs."""
        ends = ClusterEnds(cluster, informers, self._clock)
        with self._lock:
            self._clusters[cluster] = ends
        ends.start()

    def ends(self, cluster: str) -> None:
        """A cluster is about to be stopped."""
        with self._lock:
            ends = self._clusters.pop(cluster, None)
        if ends is not None:
            ends.stop()


class ClusterEnds(Watcher):
    """Ends the pods of one cluster, between `start` and `stop`."""

    def __init__(self, cluster: str, informers: Informers, clock: SpeedClock) -> None:
        """`cluster` is an API name, `informers` are the lists of its API server as administrator."""
        super().__init__(f"pod-ends-{cluster}", informers)
        self._api = informers.api
        self._clock = clock
        self._ends: dict[str, float] = {}
        """When the running pods end, in simulated seconds since 1970, by uid; infinite for one that was ended."""
        self._pods = self.listed(PODS, _ends_by_itself)

    def turn(self) -> None:
        """Look, then sleep until the next end."""
        moment = self.look()
        if moment == _NEVER:
            self.rest(soon=False)
        else:
            self._clock.sleep_until(moment, self.woken)

    def look(self) -> float:
        """End the pods whose time is over, the earliest first; returns the simulated moment of the next end, or `inf`.

        Raises:
            ApiError, UnreachableError: the API server refused, as for a pod that has just gone, or is away.
        """
        pods = {pod["metadata"]["uid"]: pod for pod in self._pods.objects()}
        self._ends = {uid: self._ends.get(uid) or self._end(pod) for uid, pod in pods.items()}
        for uid, moment in sorted(self._ends.items(), key=lambda end: end[1]):
            if moment > self._clock.now():
                break
            self._finish(pods[uid])
            self._ends[uid] = _NEVER
        return min(self._ends.values(), default=_NEVER)

    def _end(self, pod: Document) -> float:
        """When a running pod ends: it began now, or at the latest at the end of the second that its status names."""
        seconds = float(pod["metadata"]["annotations"][ANNOTATION_SECONDS])
        started = dt.datetime.fromisoformat(pod["status"]["startTime"]).timestamp()
        return min(self._clock.now(), self._clock.shown.at(started + 1)) + seconds

    def _finish(self, pod: Document) -> None:
        metadata = pod["metadata"]
        path = f"/api/v1/namespaces/{metadata['namespace']}/pods/{metadata['name']}/status"
        self._api.merge(path, {"metadata": {"uid": metadata["uid"]}, "status": ended_status(pod, time.time())})


def _ends_by_itself(pod: Document) -> bool:
    annotations = section(pod, "metadata", "annotations")
    return (
        ANNOTATION_SECONDS in annotations
        and ANNOTATION_LOST not in annotations
        and "deletionTimestamp" not in pod["metadata"]
        and section(pod, "status").get("phase") == "Running"
        and section(pod, "spec").get("restartPolicy") in ("Never", "OnFailure")
    )


def ended_status(pod: Document, now: float) -> dict[str, Any]:
    """The status changes of a running pod whose command has ended at `now`, in seconds since the epoch."""
    code = int(pod["metadata"]["annotations"][ANNOTATION_EXIT_CODE])
    moment = stamp(now)
    state = {"terminated": terminated(pod["status"]["startTime"], code, moment)}
    reason = "PodCompleted" if code == 0 else "PodFailed"
    over = {"status": "False", "reason": reason, "lastTransitionTime": moment}
    conditions = [
        {**each, **over} if each["type"] in ("ContainersReady", "Ready") else each
        for each in entries(pod, "status", "conditions")
    ]
    containers = [
        {**each, "ready": False, "started": False, "state": state}
        for each in entries(pod, "status", "containerStatuses")
    ]
    phase = "Succeeded" if code == 0 else "Failed"
    return {"phase": phase, "conditions": conditions, "containerStatuses": containers}
