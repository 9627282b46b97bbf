"""Mounts of the pods that kwok plays: none of them starts before its volumes are there.

Admission marks such a pod, and kwok leaves it alone until the mark is gone. A mount that fails is tried again, with an
Event in the driver's words and `ContainerCreating` in the pod's status, as with a kubelet. The folders of a pod's
volumes are those of `Volumes`, for whoever reads or writes in the pod's place.
"""

from __future__ import annotations

import contextlib
import shutil
from typing import TYPE_CHECKING, Any

from components.kubeapi.documents import Document, entries, section
from components.kubeapi.owners import PODS
from simulator.pods.admission import ANNOTATION_SECONDS, ANNOTATION_UNMOUNTED
from simulator.pods.csi.request import VolumeError
from simulator.pods.events import about_mount
from simulator.pods.host_status import ENDED
from simulator.pods.volumes import Volumes, must_be_mounted
from simulator.pods.watching import Watcher

if TYPE_CHECKING:
    from simulator.pods.host import Host


class PlayedMounts(Watcher):
    """Mounts the volumes of one cluster's played pods, between `start` and `stop`."""

    def __init__(self, host: Host) -> None:
        """`host` has what all pods of the cluster share."""
        super().__init__("played-mounts", host.informers)
        self._host = host
        self._mounted: dict[str, Volumes] = {}
        """The volumes of pods that were mounted since the start, by uid."""
        self._failed: dict[str, str] = {}
        """Why pods wait, by uid."""
        self._pods = self.listed(PODS, _is_played)

    def turn(self) -> None:
        """Look once."""
        self.rest(soon=self.look())

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


def _is_played(pod: Document) -> bool:
    volumes = entries(section(pod, "spec"), "volumes")
    return ANNOTATION_SECONDS in section(pod, "metadata", "annotations") and any(map(must_be_mounted, volumes))


def _has_ended(pod: Document) -> bool:
    return section(pod, "status").get("phase") in ENDED


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
