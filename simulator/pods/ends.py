"""Ends the pods that kwok plays when their command would end, in simulated time, whatever its speed was meanwhile.

A pod that begins to run ends after the seconds that admission wrote on it. A pod that was deleted, whose machine
failed, or that Kubernetes would start again does not end here.
"""

from __future__ import annotations

import datetime as dt
import threading
import time
from typing import TYPE_CHECKING, Any, Final

from kubeapi import ApiError, UnreachableError
from kubeapi.documents import entries, section
from operations.watch.record import PODS
from simulator.nodes import ANNOTATION_LOST
from simulator.pods.admission import ANNOTATION_EXIT_CODE, ANNOTATION_SECONDS
from simulator.pods.host_status import terminated

if TYPE_CHECKING:
    from kubeapi import Informers
    from kubeapi.documents import Document
    from simulator.clock import SpeedClock

_RETRY_SECONDS: Final = 0.5
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


class ClusterEnds:
    """Ends the pods of one cluster, between `start` and `stop`."""

    def __init__(self, cluster: str, informers: Informers, clock: SpeedClock) -> None:
        """`cluster` is an API name, `informers` are the lists of its API server as administrator."""
        self._api = informers.api
        self._clock = clock
        self._ends: dict[str, float] = {}
        """When the running pods end, in simulated seconds since 1970, by uid; infinite for one that was ended."""
        self._over = threading.Event()
        self._woken = threading.Event()
        self._pods = informers.filtered(PODS, self._changed, _ends_by_itself)
        self._thread = threading.Thread(target=self._run, name=f"pod-ends-{cluster}", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End; pods that run go on."""
        self._over.set()
        self._pods.stop()
        self._woken.set()
        self._thread.join()

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

    def _changed(self, _: Document) -> None:
        self._woken.set()

    def _run(self) -> None:
        while not self._over.is_set():
            self._woken.clear()
            try:
                moment = self.look()
            except (ApiError, UnreachableError):
                self._over.wait(_RETRY_SECONDS)
                continue
            if moment == _NEVER:
                self._woken.wait()
            else:
                self._clock.sleep_until(moment, self._woken)


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
    stamp = dt.datetime.fromtimestamp(now, dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    state = {"terminated": terminated(pod["status"]["startTime"], code, stamp)}
    reason = "PodCompleted" if code == 0 else "PodFailed"
    over = {"status": "False", "reason": reason, "lastTransitionTime": stamp}
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
