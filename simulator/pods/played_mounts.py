"""Mounts of the pods that kwok plays: none of them starts before its volumes are there.

Admission marks such a pod, and kwok leaves it alone until the mark is gone. A mount that fails is tried again, with an
Event in the driver's words and `ContainerCreating` in the pod's status, as with a kubelet. The folders of a pod's
volumes are those of `Volumes`, for whoever reads or writes in the pod's place.
"""

from __future__ import annotations

import contextlib
import shutil
import threading
from typing import TYPE_CHECKING, Any, Final

from kubeapi import ApiError, UnreachableError
from kubeapi.documents import entries, section
from operations.watch.record import PODS
from simulator.pods.admission import ANNOTATION_SECONDS, ANNOTATION_UNMOUNTED
from simulator.pods.csi.request import VolumeError
from simulator.pods.events import about_mount
from simulator.pods.volumes import must_be_mounted

if TYPE_CHECKING:
    from kubeapi.documents import Document
    from simulator.pods.host import Host
    from simulator.pods.volumes import Volumes

_RETRY_SECONDS: Final = 0.5
_ENDED: Final = ("Succeeded", "Failed")


class PlayedMounts:
    """Mounts the volumes of one cluster's played pods, between `start` and `stop`."""

    def __init__(self, host: Host) -> None:
        """`host` has what all pods of the cluster share."""
        self._host = host
        self._mounted: dict[str, Volumes] = {}
        """The volumes of pods that were mounted since the start, by uid."""
        self._failed: dict[str, str] = {}
        """Why pods wait, by uid."""
        self._over = threading.Event()
        self._woken = threading.Event()
        self._pods = host.informers.filtered(PODS, self._changed, _is_played)
        self._thread = threading.Thread(target=self._run, name="played-mounts", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End; what is mounted stays."""
        self._over.set()
        self._pods.stop()
        self._woken.set()
        if self._thread.is_alive():
            self._thread.join()

    def volumes(self, pod: Document) -> Volumes:
        """The volumes of a played pod; their folders are there once the pod has started."""
        return self._mounted.get(pod["metadata"]["uid"]) or self._host.volumes(pod)

    def look(self) -> bool:
        """Mount what waits, keep what is mounted, forget what is gone; returns whether to look again soon.

        Raises:
            ApiError, UnreachableError: the API server refused, as for a pod that has just gone, or is away.
        """
        pods = {pod["metadata"]["uid"]: pod for pod in self._pods.objects()}
        for uid, pod in pods.items():
            if _waits(pod):
                self._mount(pod)
            elif uid not in self._mounted and _runs(pod):
                self._mounted[uid] = self._again(pod)
        for uid, volumes in self._mounted.items():
            self._keep(volumes)
            if uid not in pods:
                shutil.rmtree(volumes.folder.parent, ignore_errors=True)
        self._mounted = {uid: each for uid, each in self._mounted.items() if uid in pods and not _has_ended(pods[uid])}
        self._failed = {uid: text for uid, text in self._failed.items() if uid in pods}
        return any(_waits(pod) for pod in pods.values()) or any(each.needs_care for each in self._mounted.values())

    def _mount(self, pod: Document) -> None:
        metadata = pod["metadata"]
        uid, path = metadata["uid"], f"/api/v1/namespaces/{metadata['namespace']}/pods/{metadata['name']}"
        volumes = self._host.volumes(pod)
        try:
            volumes.mount()
            for container in entries(section(pod, "spec"), "containers"):
                volumes.make_sub_paths(container)
        except (OSError, VolumeError) as error:
            if self._failed.get(uid) != str(error):
                about_mount(self._host.api, pod, str(error))
                self._host.api.merge(f"{path}/status", {"metadata": {"uid": uid}, "status": _creating(pod)})
                self._failed[uid] = str(error)
            return
        self._failed.pop(uid, None)
        self._mounted[uid] = volumes
        self._host.api.merge(path, {"metadata": {"uid": uid, "annotations": {ANNOTATION_UNMOUNTED: None}}})

    def _again(self, pod: Document) -> Volumes:
        """The volumes of a pod that an earlier simulator mounted."""
        volumes = self._host.volumes(pod)
        with contextlib.suppress(OSError, VolumeError):
            volumes.mount()
        return volumes

    def _keep(self, volumes: Volumes) -> None:
        try:
            volumes.keep()
        except (OSError, VolumeError) as error:
            about_mount(self._host.api, volumes.pod, str(error))

    def _changed(self, _: Document) -> None:
        self._woken.set()

    def _run(self) -> None:
        while not self._over.is_set():
            self._woken.clear()
            try:
                soon = self.look()
            except (ApiError, UnreachableError):
                soon = True
            if soon:
                self._over.wait(_RETRY_SECONDS)
            else:
                self._woken.wait()


def _is_played(pod: Document) -> bool:
    volumes = entries(section(pod, "spec"), "volumes")
    return ANNOTATION_SECONDS in section(pod, "metadata", "annotations") and any(map(must_be_mounted, volumes))


def _has_ended(pod: Document) -> bool:
    return section(pod, "status").get("phase") in _ENDED


def _runs(pod: Document) -> bool:
    return section(pod, "status").get("phase") == "Running"


def _waits(pod: Document) -> bool:
    return (
        ANNOTATION_UNMOUNTED in section(pod, "metadata", "annotations")
        and bool(section(pod, "spec").get("nodeName"))
        and "deletionTimestamp" not in pod["metadata"]
        and section(pod, "status").get("phase") == "Pending"
    )


def _creating(pod: Document) -> dict[str, Any]:
    """The status of a pod whose containers cannot be made yet."""
    return {
        "containerStatuses": [
            {
                "name": container["name"],
                "image": container["image"],
                "imageID": "",
                "ready": False,
                "restartCount": 0,
                "state": {"waiting": {"reason": "ContainerCreating"}},
            }
            for container in entries(section(pod, "spec"), "containers")
        ]
    }
