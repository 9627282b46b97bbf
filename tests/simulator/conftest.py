"""A simulated cloud without control planes: doubles of the machine under it and of the clock."""

from __future__ import annotations

import sys
import threading
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import pytest

from simulator.cloud.api import Body, CloudError, Kind, Operation
from simulator.cloud.cloud import Cloud
from simulator.cloud.machines import ClusterEndpoint, ClusterSpec, MachinesError, Node
from simulator.cloud.stock import Stock
from simulator.clusters.pki import ClusterFiles, write_cluster_files
from simulator.providers.base import Difference, Request
from simulator.providers.gcp import GcpProvider
from simulator.toolchain.progress import Progress
from simulator.toolchain.provision import ensure
from simulator.toolchain.tools import POD_SHELL

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path

    from simulator.providers.values import Properties, Value

_SECONDS = 10.0
"""Real time after which a wait in a test has failed."""
ZONE = "us-west4-a"
CLUSTER = "projects/acme/locations/us-west4/clusters/tpus"


@pytest.fixture(scope="session", autouse=True)
def pod_shell() -> None:
    """The interpreter of pods' shell scripts, built in seconds if it is missing: this lane needs no other tool."""
    ensure([POD_SHELL], Progress(sys.stderr))


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> ClusterFiles:
    """The files of a cluster whose own API address is 10.20.0.1."""
    return write_cluster_files(tmp_path_factory.mktemp("pki") / "pki", "10.20.0.1")


@dataclass
class RecordingMachines:
    """Doubles `Machines`: no process is started; clusters and nodes are kept in memory, and each call is noted."""

    calls: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """Method and cluster, in order."""
    clusters: dict[str, ClusterSpec] = field(default_factory=dict[str, ClusterSpec])
    nodes: dict[str, dict[str, Node]] = field(default_factory=dict[str, dict[str, Node]])
    """By cluster and node name."""
    add_ons: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """By cluster."""
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

    def install(self, cluster: str, add_ons: list[str]) -> None:
        self.add_ons[cluster] = add_ons

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

    def break_nodes(self, cluster: str, names: list[str]) -> None:
        self._note("break_nodes", cluster)
        for name in names:
            self.nodes[cluster][name]["status"]["conditions"] = [{"type": "Ready", "status": "Unknown"}]

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
    stock: Stock = field(default_factory=Stock)

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
        self.cloud = opened(self.state, self.machines, self.clock, self.stock)


def opened(state: Path, machines: RecordingMachines, clock: FakeClock, stock: Stock) -> Cloud:
    """The cloud of that state file, with its shares and volumes beside it."""
    shares, volumes = state.parent / "shares", state.parent / "volumes"
    return Cloud(state=state, shares=shares, volumes=volumes, machines=machines, clock=clock, stock=stock)


@pytest.fixture
def world(tmp_path: Path) -> Generator[World]:
    """An empty cloud."""
    machines, clock, state = RecordingMachines(), FakeClock(), tmp_path / "cloud.json"
    stock = Stock()
    stock.queue_seconds = 0.0
    made = World(opened(state, machines, clock, stock), machines, clock, state, stock)
    yield made
    machines.gate.set()
    made.cloud.close()


@dataclass
class RecordingEngine:
    """Doubles `Engine`: keeps what it was told."""

    warnings: list[str] = field(default_factory=list[str])
    states: list[str] = field(default_factory=list[str])

    def warn(self, urn: str, text: str) -> None:
        self.warnings.append(f"{urn.rpartition('::')[2]}: {text}")

    def status(self, urn: str, text: str) -> None:
        self.states.append(f"{urn.rpartition('::')[2]}: {text}")


@dataclass
class Resource:
    """A resource as the engine's state has it."""

    target: Request
    id: str
    inputs: Properties
    outputs: Properties

    @property
    def recorded(self) -> Request:
        return replace(self.target, id=self.id, old=self.inputs, outputs=self.outputs)


@dataclass
class GcpWorld:
    """The gcp provider over a simulated cloud, called as the engine calls it."""

    world: World
    engine: RecordingEngine
    provider: GcpProvider

    def target(self, token: str, name: str) -> Request:
        return Request(urn=f"urn:pulumi:dev::proj::{token}::{name}", type=token, name=name)

    def checked(self, token: str, name: str, inputs: Properties, old: Properties | None = None) -> Properties:
        """The inputs as they are recorded; none may be refused."""
        found = self.provider.check(
            replace(self.target(token, name), old=old or {}, new=inputs, seed=f"seed of {name}".encode())
        )
        assert found.failures == []
        return found.inputs

    def up(self, token: str, name: str, inputs: Properties) -> Resource:
        """Check, preview and create."""
        target, checked = self.target(token, name), self.checked(token, name, inputs)
        self.provider.create(replace(target, new=checked, preview=True))
        created = self.provider.create(replace(target, new=checked))
        return Resource(target, created.id, checked, created.outputs)

    def diff(self, resource: Resource, inputs: Properties, *ignored: str) -> Difference:
        """How the resource would change for other inputs of the program."""
        new = self.checked(resource.target.type, resource.target.name, inputs, resource.inputs)
        return self.provider.diff(replace(resource.recorded, new=new, ignored=ignored))

    def change(self, resource: Resource, inputs: Properties, *ignored: str, preview: bool = False) -> Properties:
        """Update the resource, and record it unless this is a preview."""
        new = self.checked(resource.target.type, resource.target.name, inputs, resource.inputs)
        outputs = self.provider.update(replace(resource.recorded, new=new, ignored=ignored, preview=preview))
        if not preview:
            resource.inputs, resource.outputs = new, outputs
        return outputs

    def refresh(self, resource: Resource) -> bool:
        """Read the resource back into the state; False when it is gone."""
        found = self.provider.read(resource.recorded)
        if found is None:
            return False
        resource.inputs, resource.outputs = found.inputs, found.outputs
        return True

    def destroy(self, resource: Resource) -> None:
        self.provider.delete(resource.recorded)

    def cluster(self, **more: Value) -> Resource:
        """A cluster without a default pool."""
        inputs: Properties = {"name": "tpus", "initialNodeCount": 1, "removeDefaultNodePool": True}
        return self.up("gcp:container/cluster:Cluster", "cluster", inputs | {"deletionProtection": False} | more)


@pytest.fixture
def gcp(world: World) -> GcpWorld:
    """A provider for project acme in us-west4."""
    engine = RecordingEngine()
    provider = GcpProvider(engine, world.cloud)
    provider.configure({"project": "acme", "region": "us-west4", "zone": ZONE})
    return GcpWorld(world, engine, provider)


@pytest.fixture
def slice_inputs() -> Properties:
    """A node pool of one v5e 2x4 slice of two hosts, as a program declares it."""
    return {
        "name": "slice",
        "cluster": "tpus",
        "nodeCount": 2,
        "nodeLocations": [ZONE],
        "nodeConfig": {"machineType": "ct5lp-hightpu-4t"},
        "placementPolicy": {"type": "COMPACT", "tpuTopology": "2x4"},
    }


@pytest.fixture
def slice_body() -> Body:
    """A node pool of one v5e 2x4 slice of two hosts, in the words of the API."""
    return {
        "config": {"machineType": "ct5lp-hightpu-4t"},
        "initialNodeCount": 2,
        "locations": [ZONE],
        "placementPolicy": {"type": "COMPACT", "tpuTopology": "2x4"},
    }
