"""What a program is started in, without a pod that runs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from simulator.certificates import Authority
from simulator.pods.container_environment import EnvironmentSource
from simulator.pods.programs import Surroundings
from simulator.pods.volumes import Volumes
from tests.simulator.memory_api import MemoryApi
from tests.simulator.pods.storage_double import StorageDouble

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.simulator.pods.podspecs import PodBuilder


@dataclass
class Preparation:
    """A cluster in memory and a folder for one pod."""

    folder: Path
    cluster: MemoryApi = field(default_factory=MemoryApi)
    authority: Authority = field(default_factory=lambda: Authority.new("cluster-ca"))
    ports: dict[int, int] = field(default_factory=dict[int, int])
    """Loopback port by container port, as they are asked for."""
    free_port: Callable[[], int] | None = None
    """Where loopback ports come from; without it they are counted from 40000."""
    storage: StorageDouble = field(default_factory=StorageDouble)

    def surroundings(self, pod: PodBuilder) -> Surroundings:
        """Those of the pod's first container, with its volumes in place."""
        container = pod.document["spec"]["containers"][0]
        volumes = Volumes(pod.document, self.folder / "volumes", self.cluster.api, self.storage, self.folder / "nodes")
        volumes.sync()
        volumes.make_sub_paths(container)
        source = EnvironmentSource(
            pod=pod.document, address="10.0.0.1", api=self.cluster.api, service_port=lambda _n, _s, port: 30000 + port
        )
        return Surroundings(
            pod=pod.document,
            container=container,
            folder=self.folder,
            volumes=volumes,
            kubeconfig=self.folder / "kubeconfig",
            port=self._port,
            api=self.cluster.api,
            authority=self.authority,
            releases={
                name: {tag: self.folder / f"{name}-{tag}" for tag in ("v2", "v1")} for name in ("kueue", "jobset")
            },
            environment=source.environment(container),
        )

    def _port(self, container_port: int) -> int:
        if container_port not in self.ports:
            self.ports[container_port] = self.free_port() if self.free_port else 40000 + len(self.ports)
        return self.ports[container_port]
