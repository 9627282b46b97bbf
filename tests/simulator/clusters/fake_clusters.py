"""Clusters that consist of their folder: for tests of the fleet."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import TYPE_CHECKING

from simulator.clusters.supervisor import Incident, ProcessError
from tests.simulator.memory_api import MemoryApi

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from components.kubeapi import Informers
    from simulator.cloud.machines import ClusterSpec
    from simulator.clusters.settings import SharedSettings


@dataclass
class FakeSupervisor:
    """Doubles the supervisor of a cluster: processes that are ready, or not."""

    incidents: list[Incident] = field(default_factory=list[Incident])
    failure: str | None = None

    def pid(self, name: str) -> int | None:
        return {"etcd": 11, "kube-apiserver": 12}.get(name)

    def is_given_up(self, name: str) -> bool:
        return name == "kwok"

    def wait_ready(self, processes: Sequence[object], seconds: float) -> None:
        assert (len(processes), seconds) == (2, 60.0)
        if self.failure is not None:
            raise ProcessError(self.failure)


class FakeCluster:
    """Doubles `Cluster`: no process; its API is in memory, and its life is noted."""

    def __init__(self, made: FakeClusters, folder: Path, spec: ClusterSpec) -> None:
        self.folder = folder
        self.spec = spec
        self.memory = MemoryApi()
        self.api = self.memory.api
        self.informers = self.memory.informers
        self.life: list[str] = []
        self.settings = SimpleNamespace(endpoint=f"127.0.0.1:{len(made.all) + 20001}")
        self.certificate_authority = f"PEM of {spec.name}"
        self.supervisor = FakeSupervisor()
        log = folder / "logs"
        names = ("etcd", "kube-apiserver", "kwok")
        self.processes = [SimpleNamespace(name=name, log=log / f"{name}.log") for name in names]
        pod = SimpleNamespace(
            namespace="kueue-system",
            name="kueue-0",
            program="kueue",
            pid=13,
            restarts=1,
            log=SimpleNamespace(path=folder / "pods" / "uid" / "container.log"),
        )
        self.pods = SimpleNamespace(pods=lambda: [pod])
        self._failure = made.failures.get(spec.name)

    def start(self) -> None:
        self.life.append("start")
        if self._failure is not None:
            raise self._failure

    def stop(self) -> None:
        self.life.append("stop")

    def delete(self) -> None:
        self.life.append("delete")
        shutil.rmtree(self.folder)


@dataclass
class FakeClusters:
    """Makes clusters in the place of `Cluster`."""

    all: list[FakeCluster] = field(default_factory=list[FakeCluster])
    failures: dict[str, Exception] = field(default_factory=dict[str, Exception])
    """What the start of a cluster raises, by its name."""

    def __call__(self, folder: Path, spec: ClusterSpec, shared: SharedSettings) -> FakeCluster:
        assert shared.token
        self.all.append(FakeCluster(self, folder, spec))
        return self.all[-1]

    def stop(self, cluster: FakeCluster) -> None:
        """As `Cluster.stop`, named by the class."""
        cluster.stop()


@dataclass
class Listening:
    """A `Follower` that records each call."""

    told: list[str] = field(default_factory=list[str])

    def began(self, cluster: str, informers: Informers) -> None:
        self.told.append(f"{cluster} began at {informers.api.connection.server}")

    def ends(self, cluster: str) -> None:
        self.told.append(f"{cluster} ends")
