"""The kubelet of pods that really run: their processes, restarts, readiness and status.

It watches every pod that is bound to a node and not played by kwok. A pod's process gets its volumes, environment,
credentials and loopback ports; the runner writes the pod's status as a kubelet would. When a pod is deleted its process
gets SIGTERM and the grace period, then the pod is removed. Only readiness is probed: a process that hangs is not
started again.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from components.kubeapi import ApiError, UnreachableError
from components.kubeapi.documents import Document, section
from simulator.pods.admission import ANNOTATION_SECONDS
from simulator.pods.host_pod import HostPod
from simulator.pods.host_status import ENDED

if TYPE_CHECKING:
    from simulator.pods.host import Host


class PodRunner:
    """Runs the host pods of one cluster until it is stopped."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._pods: dict[str, HostPod] = {}
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="pod-runner", daemon=True)

    def start(self) -> None:
        """Begin to watch."""
        self._thread.start()

    def stop(self) -> None:
        """End every process and the watch; the pods stay in the API server as they are."""
        self._stopping.set()
        self._host.api.close()
        with self._lock:
            leaving = list(self._pods.values())
            self._pods.clear()
        for pod in leaving:
            pod.stop()

    def find(self, namespace: str, name: str) -> HostPod | None:
        """The running pod of that name."""
        with self._lock:
            return next((p for p in self._pods.values() if (p.namespace, p.name) == (namespace, name)), None)

    def by_address(self, address: str) -> HostPod | None:
        """The running pod with that pod IP."""
        with self._lock:
            return next((pod for pod in self._pods.values() if pod.address == address), None)

    def pods(self) -> list[HostPod]:
        """Every running pod, sorted by namespace and name."""
        with self._lock:
            return sorted(self._pods.values(), key=lambda pod: (pod.namespace, pod.name))

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                for event in self._host.api.watch("/api/v1/pods"):
                    if self._stopping.is_set():
                        return
                    self._see(event.object, deleted=event.type == "DELETED")
            except (ApiError, UnreachableError):
                self._stopping.wait(0.5)  # the API server is away; its supervisor brings it back

    def _see(self, document: Document, *, deleted: bool) -> None:
        metadata = document["metadata"]
        played = ANNOTATION_SECONDS in section(metadata, "annotations")
        if played or not section(document, "spec").get("nodeName"):
            return
        uid = metadata["uid"]
        with self._lock:
            known = self._pods.get(uid)
            if deleted:
                self._pods.pop(uid, None)
            elif known is None and not self._stopping.is_set():
                known = self._pods[uid] = HostPod(document, self._host)
                if section(document, "status").get("phase") in ENDED:
                    known.set_ended()
                else:
                    known.start()
        if known is None:
            return
        known.see(document)
        if deleted:
            known.stop()
            known.forget()
        elif metadata.get("deletionTimestamp"):
            known.terminate()
