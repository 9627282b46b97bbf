"""An autoscaler over the simulated cloud and an API server in memory, where the cloud's nodes are registered."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from simulator.cloud.api import Body, Kind
from simulator.cloud.stock import Stock
from simulator.nodes import ANNOTATION_BROKEN
from simulator.scaling import autoscaler as autoscaler_module
from simulator.scaling.scaling import Scaling
from simulator.scaling.times import Times
from tests.eventually import eventually
from tests.simulator.conftest import CLUSTER, FakeClock, RecordingMachines, World, opened
from tests.simulator.memory_api import MemoryApi
from tests.simulator.scaling.builders import Waiting, a_request, a_template

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from components.kubeapi import Document
    from simulator.cloud.machines import Node

_PODS = "/api/v1/namespaces/team/pods"


def _request(name: str) -> str:
    return f"/apis/autoscaling.x-k8s.io/v1/namespaces/team/provisioningrequests/{name}"


@dataclass
class RegisteringMachines(RecordingMachines):
    """Doubles `Machines`, and registers the nodes with the API server in memory, Ready at once."""

    api: MemoryApi = field(default_factory=MemoryApi)

    def add_nodes(self, cluster: str, nodes: list[Node]) -> None:
        super().add_nodes(cluster, nodes)
        for node in nodes:
            ready = {**node["status"], "conditions": [{"type": "Ready", "status": "True"}]}
            self.api.put(f"/api/v1/nodes/{node['metadata']['name']}", {**node, "status": ready})

    def break_nodes(self, cluster: str, names: list[str]) -> None:
        super().break_nodes(cluster, names)
        for name in names:
            change = {
                "metadata": {"annotations": {ANNOTATION_BROKEN: "true"}},
                "status": {"conditions": [{"type": "Ready", "status": "Unknown"}]},
            }
            self.api.merge(f"/api/v1/nodes/{name}", change)

    def remove_nodes(self, cluster: str, names: list[str]) -> None:
        super().remove_nodes(cluster, names)
        for path, document in list(self.api.objects.items()):
            if document.get("spec", {}).get("nodeName") in names:
                self.api.delete(path, {"gracePeriodSeconds": 0})
        for name in names:
            self.api.delete(f"/api/v1/nodes/{name}")


@dataclass
class Scene(World):
    """A cloud whose cluster `tpus` is autoscaled; pods are bound and ended by the test."""

    memory: MemoryApi = field(default_factory=MemoryApi)
    scaling: Scaling | None = None
    _probes: int = 0

    def begin(self, cluster: Body | None = None) -> Scaling:
        """Make the cluster unless it is there, and start its autoscaler; also in the place of one that has ended."""
        if not self.machines.clusters:
            self.make_cluster(cluster)
        self.scaling = Scaling(self.cloud, self.clock, self.stock, Times(scan=0, queue=0, back_off=100))
        self.scaling.began(CLUSTER, self.memory.informers)
        return self.scaling

    def pool(self, name: str, body: Body) -> str:
        """A node pool; the result is its API name."""
        self.make(Kind.NODE_POOL, f"{CLUSTER}/nodePools/{name}", body)
        return f"{CLUSTER}/nodePools/{name}"

    def submit(self, *pods: Waiting) -> None:
        """Pods that the scheduler found no node for."""
        for pod in pods:
            self.memory.put(f"{_PODS}/{pod.name}", pod.document)

    def ask(self, name: str, pod: Waiting, count: int, **changes: object) -> None:
        """A ProvisioningRequest for so many pods like that one; `changes` are of its spec."""
        template = a_template(f"ppt-{name}", pod)
        self.memory.put(f"/api/v1/namespaces/team/podtemplates/ppt-{name}", template)
        document = a_request(name, (f"ppt-{name}", count))
        self.memory.put(_request(name), {**document, "spec": {**document["spec"], **changes}})

    def withdraw(self, name: str) -> None:
        """The request is deleted."""
        self.memory.delete(_request(name))

    def conditions(self, name: str) -> dict[str, tuple[str, str]]:
        """Status and reason of each condition of a request."""
        found = self.memory.get(_request(name)).get("status", {}).get("conditions", [])
        assert {each["observedGeneration"] for each in found} <= {1}
        return {each["type"]: (each["status"], each["reason"]) for each in found}

    def dates(self, name: str) -> dict[str, str]:
        """When each condition of a request was written."""
        found = self.memory.get(_request(name))["status"]["conditions"]
        return {each["type"]: each["lastTransitionTime"] for each in found}

    def date(self, name: str, moment: str) -> None:
        """Let all conditions of a request have been written at that moment."""
        found = self.memory.get(_request(name))["status"]["conditions"]
        dated = [{**each, "lastTransitionTime": moment} for each in found]
        self.memory.merge(f"{_request(name)}/status", {"status": {"conditions": dated}})

    def message(self, name: str, type_: str) -> str:
        """What a condition of a request says."""
        found = self.memory.get(_request(name))["status"]["conditions"]
        return next(each["message"] for each in found if each["type"] == type_)

    def details(self, name: str) -> dict[str, str]:
        """What a request's user is told about its nodes."""
        return self.memory.get(_request(name))["status"]["provisioningClassDetails"]

    def await_condition(self, name: str, type_: str, status: str = "True", reason: str = "") -> str:
        """The message of a condition of a request once it has that status, and that reason when one is given."""
        wanted = (status, reason or type_)
        eventually(lambda: self.conditions(name).get(type_), lambda seen: seen == wanted)
        return self.message(name, type_)

    def bind(self, pod: str, node: str) -> None:
        """The scheduler found one."""
        document = self.memory.get(f"{_PODS}/{pod}")
        bound = {**document, "spec": {**document["spec"], "nodeName": node}, "status": {"phase": "Running"}}
        self.memory.put(f"{_PODS}/{pod}", bound)

    def end(self, *pods: str) -> None:
        """The pods' containers have ended."""
        for pod in pods:
            self.memory.merge(f"{_PODS}/{pod}", {"status": {"phase": "Succeeded"}})

    def nodes(self, pool: str) -> list[str]:
        """Names of the registered nodes of a pool, sorted."""
        label = "cloud.google.com/gke-nodepool"
        found = self.memory.items("/api/v1/nodes", {"labelSelector": f"{label}={pool}"})
        return sorted(node["metadata"]["name"] for node in found)

    def await_nodes(self, pool: str, count: int) -> list[str]:
        """The nodes of a pool once there are so many of them."""
        return eventually(lambda: self.nodes(pool), lambda names: len(names) == count)

    def await_event(self, pod: str, reason: str) -> str:
        """The message of the newest event of a reason on a pod."""
        return eventually(lambda: self._messages(pod, reason))[-1]

    def looked_at(self) -> None:
        """Return when the autoscaler has seen all that was done before."""
        self._probes += 1
        name = f"probe-{self._probes}"
        self.submit(Waiting(name).selecting(gke_nodepool="none"))
        self.await_event(name, "NotTriggerScaleUp")
        self.memory.delete(f"{_PODS}/{name}")

    def pools(self) -> list[str]:
        """Short names of the cluster's pools."""
        return [body["name"] for body in self.cloud.list(Kind.NODE_POOL, f"{CLUSTER}/")]

    def _messages(self, pod: str, reason: str) -> list[str]:
        events: list[Document] = self.memory.items("/api/v1/namespaces/team/events")
        return [
            event["message"]
            for event in sorted(events, key=lambda event: int(event["metadata"]["resourceVersion"]))
            if event["reason"] == reason and event["involvedObject"]["name"] == pod
        ]


@pytest.fixture
def scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Scene]:
    """A Standard cluster in us-west4 whose autoscaler runs."""
    monkeypatch.setattr(autoscaler_module, "_PAUSE_SECONDS", 0.002)
    monkeypatch.setattr("components.kubeapi.informers._RETRY_SECONDS", 0.01)
    memory = MemoryApi()
    machines, clock, state = RegisteringMachines(api=memory), FakeClock(), tmp_path / "cloud.json"
    stock = Stock(tmp_path / "stock.json")
    made = Scene(opened(state, machines, clock, stock), machines, clock, state, stock, memory)
    yield made
    memory.close()
    if made.scaling is not None:
        made.scaling.ends(CLUSTER)
    made.cloud.close()
