"""The services of this machine that the pods of one cluster use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from simulator.pods.volumes import Volumes

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from components.kubeapi import Api, Informers
    from components.kubeapi.documents import Document
    from simulator.certificates import Authority
    from simulator.cloud.clock import Clock
    from simulator.pods.programs import Releases
    from simulator.pods.storage import Storage


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """The settings that all host pods of a cluster share."""

    api: Api
    """The API server as its administrator."""
    informers: Informers
    """Its lists."""
    authority: Authority
    authority_path: Path
    folder: Path
    """Folder with one folder per pod."""
    releases: Releases
    free_port: Callable[[], int]
    pod_address: Callable[[], str]
    """A pod IP that no other pod has."""
    service_port: Callable[[str, str, int], int]
    """The loopback port that leads to a port of a Service, by namespace and name."""
    storage: Storage
    """The storage in the cloud that the cluster reaches."""
    clock: Clock
    """Simulated time, in which scripts run."""

    def volumes(self, pod: Document) -> Volumes:
        """The volumes of a pod."""
        folder = self.folder / pod["metadata"]["uid"] / "volumes"
        return Volumes(pod, folder, self.api, self.storage, self.folder.parent / "nodes")
