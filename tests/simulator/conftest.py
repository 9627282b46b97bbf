"""A simulated cloud without control planes: doubles of the machine under it and of the clock."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from simulator.cloud.api import Body, CloudError, Kind, Operation
from simulator.cloud.cloud import Cloud
from simulator.cloud.machines import ClusterEndpoint, ClusterSpec, MachinesError, Node

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path

_SECONDS = 10.0
"""Real time after which a wait in a test has failed."""
ZONE = "us-west4-a"
CLUSTER = "projects/acme/locations/us-west4/clusters/tpus"


@dataclass
class RecordingMachines:
    """Doubles `Machines`: no process is started; clusters and nodes are kept in memory, and each call is noted."""

    calls: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """Method and cluster, in order."""
    clusters: dict[str, ClusterSpec] = field(default_factory=dict[str, ClusterSpec])
    nodes: dict[str, dict[str, Node]] = field(default_factory=dict[str, dict[str, Node]])
    """By cluster and node name."""
    failures: dict[str, str] = field(default_factory=dict[str, str])
    """Text of the error that a method raises, by its name."""
    gate: threading.Event = field(default_factory=threading.Event)
    """While clear, calls wait before they do anything."""

    def __post_init__(self) -> None:
        self.gate.set()

    def start_cluster(self, cluster: ClusterSpec) -> ClusterEndpoint:
        self._note("start_cluster", cluster.name)
        self.clusters[cluster.name] = cluster
        self.nodes.setdefault(cluster.name, {})
        return ClusterEndpoint(host="127.0.0.1:16443", ca_certificate="Q0E=")

    def delete_cluster(self, name: str) -> None:
        self._note("delete_cluster", name)
        self.clusters.pop(name, None)
        self.nodes.pop(name, None)

    def add_nodes(self, cluster: str, nodes: list[Node]) -> None:
        self._note("add_nodes", cluster)
        for node in nodes:
            self.nodes[cluster].setdefault(node["metadata"]["name"], node)

    def update_nodes(self, cluster: str, nodes: list[Node]) -> None:
        self._note("update_nodes", cluster)
        for node in nodes:
            self.nodes[cluster][node["metadata"]["name"]] = node

    def remove_nodes(self, cluster: str, names: list[str]) -> None:
        self._note("remove_nodes", cluster)
        for name in names:
            self.nodes[cluster].pop(name, None)

    def _note(self, method: str, cluster: str) -> None:
        assert self.gate.wait(_SECONDS), f"{method} was not let through"
        self.calls.append((method, cluster))
        if method in self.failures:
            raise MachinesError(self.failures[method])


class FakeClock:
    """Doubles `Clock`: time stands still until a test advances it."""

    def __init__(self) -> None:
        self._now = 1_790_000_000.0
        self._moved = threading.Condition()

    def now(self) -> float:
        return self._now

    def sleep_until(self, moment: float, stop: threading.Event) -> None:
        with self._moved:
            while self._now < moment and not stop.is_set():
                self._moved.wait(0.01)

    def advance(self, seconds: float) -> None:
        with self._moved:
            self._now += seconds
            self._moved.notify_all()


@dataclass
class World:
    """A cloud with its doubles, and calls that wait for the end of their operation."""

    cloud: Cloud
    machines: RecordingMachines
    clock: FakeClock
    state: Path

    def create(self, kind: str, name: str, body: Body) -> Operation:
        return self.done(self.cloud.create(kind, name, body))

    def update(self, name: str, changes: Body) -> Operation:
        return self.done(self.cloud.update(name, changes))

    def delete(self, name: str) -> Operation:
        return self.done(self.cloud.delete(name))

    def done(self, operation: Operation) -> Operation:
        ended = self.cloud.wait(operation["name"], _SECONDS)
        assert ended["status"] == "DONE", ended
        return ended

    def make(self, kind: str, name: str, body: Body) -> Body:
        """Create a resource that must succeed, and return it."""
        operation = self.create(kind, name, body)
        assert operation["error"] is None, operation
        return self.cloud.get(name)

    def make_cluster(self, body: Body | None = None) -> str:
        """A Standard cluster in the default network, or one of that body; the result is its name."""
        self.make(Kind.CLUSTER, CLUSTER, body or {"initialNodeCount": 1})
        return CLUSTER

    def refusal(self, call: Callable[[], object]) -> CloudError:
        """The error that a call must raise."""
        with pytest.raises(CloudError) as caught:
            call()
        return caught.value

    def pool_nodes(self, pool: str) -> list[Node]:
        """The nodes that carry a pool's label, sorted by name."""
        found = [
            node
            for nodes in self.machines.nodes.values()
            for node in nodes.values()
            if node["metadata"]["labels"]["cloud.google.com/gke-nodepool"] == pool
        ]
        return sorted(found, key=lambda node: node["metadata"]["name"])

    def restart(self) -> None:
        """Close the cloud and open it again from its state file."""
        self.cloud.close()
        self.cloud = Cloud(state=self.state, machines=self.machines, clock=self.clock)


@pytest.fixture
def world(tmp_path: Path) -> Generator[World]:
    """An empty cloud."""
    machines, clock, state = RecordingMachines(), FakeClock(), tmp_path / "cloud.json"
    opened = World(Cloud(state=state, machines=machines, clock=clock), machines, clock, state)
    yield opened
    machines.gate.set()
    opened.cloud.close()


@pytest.fixture
def slice_body() -> Body:
    """A node pool of one v5e 2x4 slice of two hosts, in the words of the API."""
    return {
        "config": {"machineType": "ct5lp-hightpu-4t"},
        "initialNodeCount": 2,
        "locations": [ZONE],
        "placementPolicy": {"type": "COMPACT", "tpuTopology": "2x4"},
    }
