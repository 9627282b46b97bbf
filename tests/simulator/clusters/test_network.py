"""What stands behind the addresses of a cluster's network."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import pytest

from simulator.clusters.network import HostAddresses, ListeningPod, Routes
from tests.simulator.memory_api import MemoryApi

if TYPE_CHECKING:
    from components.kubeapi import Document

_POD_ADDRESS: Final = "10.64.15.253"


@dataclass
class Pod:
    """Doubles a host pod: a name, and loopback ports by container port."""

    name: str = "kueue-0"
    ports: dict[int, int] = field(default_factory=lambda: {9443: 40001})

    def loopback_port(self, container_port: int) -> int | None:
        return self.ports.get(container_port)


class Pods:
    """Doubles the pod runner: one pod runs here."""

    def by_address(self, address: str) -> ListeningPod | None:
        return Pod() if address == _POD_ADDRESS else None


@pytest.fixture
def memory() -> MemoryApi:
    """An empty cluster."""
    return MemoryApi()


@pytest.fixture
def routes(memory: MemoryApi) -> Routes:
    """The routes of the cluster."""
    return Routes(memory.api, Pods(), 30001)


def put_service(memory: MemoryApi, *ports: Document, ready: bool = True, pod: str = _POD_ADDRESS) -> None:
    """The Service `team/hooks` with the address 10.20.0.7, and its endpoints."""
    metadata = {"name": "hooks", "namespace": "team"}
    spec = {"clusterIP": "10.20.0.7", "ports": list(ports)}
    memory.put("/api/v1/namespaces/team/services/hooks", {"metadata": metadata, "spec": spec})
    endpoints: Document = {
        "metadata": {"name": "hooks-x", "namespace": "team", "labels": {"kubernetes.io/service-name": "hooks"}},
        "ports": [{"name": port.get("name", ""), "port": port["targetPort"]} for port in ports],
        "endpoints": [
            {"addresses": ["10.64.15.1"], "conditions": {"ready": True}},
            {"addresses": [pod], "conditions": {"ready": ready}},
        ],
    }
    memory.put("/apis/discovery.k8s.io/v1/namespaces/team/endpointslices/hooks-x", endpoints)


def test_every_kubelet_is_the_same(routes: Routes) -> None:
    assert routes("10.0.0.9", 10250) == routes("10.0.0.10", 10250) == 30001


@pytest.mark.parametrize("host", ["hooks.team.svc", "10.20.0.7"])
def test_a_service_leads_to_the_pod_that_runs_here(routes: Routes, memory: MemoryApi, host: str) -> None:
    put_service(memory, {"port": 443, "targetPort": 9443})
    assert routes(host, 443) == 40001


def test_the_name_of_a_service_port_chooses_the_target(routes: Routes, memory: MemoryApi) -> None:
    put_service(
        memory,
        {"name": "metrics", "port": 8443, "targetPort": 8443},
        {"name": "https", "port": 443, "targetPort": 9443},
    )
    assert routes("hooks.team.svc", 443) == 40001
    assert routes("hooks.team.svc", 8443) == "kueue-0 does not listen on 8443"


@pytest.mark.parametrize("host", ["other.team.svc", "hooks.other.svc", "10.20.0.8"])
def test_another_address_is_no_service(routes: Routes, memory: MemoryApi, host: str) -> None:
    put_service(memory, {"port": 443, "targetPort": 9443})
    assert routes(host, 443) == f"no Service has the address {host}"


@pytest.mark.parametrize(
    ("ready", "pod", "port"),
    [(False, _POD_ADDRESS, 443), (True, "10.64.15.2", 443), (True, _POD_ADDRESS, 80)],
    ids=["not ready", "a pod that kwok plays", "another port"],
)
def test_a_service_without_an_endpoint_here_leads_nowhere(
    routes: Routes, memory: MemoryApi, *, ready: bool, pod: str, port: int
) -> None:
    put_service(memory, {"name": "https", "port": 443, "targetPort": 9443}, ready=ready, pod=pod)
    assert routes("hooks.team.svc", port) == f"Service team/hooks has no ready endpoint for port {port}"


def test_while_the_api_server_is_away_only_kubelets_are_found(routes: Routes, memory: MemoryApi) -> None:
    memory.away = True
    assert routes("hooks.team.svc", 443) == "https://127.0.0.1:6443 does not answer: it is away"
    assert routes("10.0.0.9", 10250) == 30001


def test_host_pods_get_addresses_from_the_end_of_the_range() -> None:
    addresses = HostAddresses("10.64.0.0/20")
    assert [addresses() for _ in range(3)] == ["10.64.15.253", "10.64.15.252", "10.64.15.251"]
