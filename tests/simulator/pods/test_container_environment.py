"""The variables of a container, as a kubelet makes them."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any, Final

import pytest

from simulator.pods.container_environment import ContainerConfigError, EnvironmentSource, expanded
from tests.simulator.memory_api import MemoryApi
from tests.simulator.pods.podspecs import a_pod

if TYPE_CHECKING:
    from components.kubeapi import Document

_NAMESPACE: Final = "/api/v1/namespaces/team"


@pytest.fixture
def cluster() -> MemoryApi:
    """A cluster with a Secret, a ConfigMap and some Services."""
    memory = MemoryApi()
    password = base64.b64encode(b"p$w").decode()
    memory.put(f"{_NAMESPACE}/secrets/keys", {"metadata": {"name": "keys"}, "data": {"password": password}})
    memory.put(f"{_NAMESPACE}/configmaps/settings", {"metadata": {"name": "settings"}, "data": {"mode": "fast"}})
    put_service(memory, "redis-leader", "10.20.0.7", {"port": 6379})
    put_service(
        memory, "web", "10.20.0.8", {"name": "http", "port": 80}, {"name": "dns", "port": 53, "protocol": "UDP"}
    )
    put_service(memory, "headless", "None", {"port": 1})
    put_service(memory, "kubernetes", "10.20.0.1", {"port": 443})
    return memory


def put_service(memory: MemoryApi, name: str, address: str, *ports: Document) -> None:
    """A Service of the pod's namespace."""
    spec = {"clusterIP": address, "ports": list(ports)}
    memory.put(f"{_NAMESPACE}/services/{name}", {"metadata": {"name": name, "namespace": "team"}, "spec": spec})


def environment(cluster: MemoryApi, links: bool | None = False, **container: Any) -> dict[str, str]:  # noqa: ANN401, FBT001, FBT002
    """The variables of a container with those fields; `links` is the pod's enableServiceLinks."""
    pod = a_pod().container(**container).document
    pod["metadata"]["labels"]["app"] = "queue"
    if links is not None:
        pod["spec"]["enableServiceLinks"] = links
    source = EnvironmentSource(
        pod=pod, address="10.0.0.1", api=cluster.api, service_port=lambda _namespace, _service, port: 30000 + port
    )
    return source.environment(pod["spec"]["containers"][0])


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("$(A)/$(B)", "1/2"),
        ("$(A)$(A)", "11"),
        ("$(C)", "$(C)"),
        ("$$(A)", "$(A)"),
        ("$$$(A)", "$1"),
        ("$A ${A} cost: $5", "$A ${A} cost: $5"),
        ("$(A", "$(A"),
    ],
)
def test_references_are_replaced_as_kubernetes_does(text: str, result: str) -> None:
    assert expanded(text, {"A": "1", "B": "2"}) == result


def test_variables_come_from_secrets_config_maps_and_fields(cluster: MemoryApi) -> None:
    found = environment(
        cluster,
        env=[
            {"name": "PASSWORD", "valueFrom": {"secretKeyRef": {"name": "keys", "key": "password"}}},
            {"name": "MODE", "valueFrom": {"configMapKeyRef": {"name": "settings", "key": "mode"}}},
            {"name": "POD", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
            {"name": "APP", "valueFrom": {"fieldRef": {"fieldPath": "metadata.labels['app']"}}},
            {"name": "IP", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}},
            {"name": "EMPTY"},
            {"name": "URL", "value": "redis://:$(PASSWORD)@$(POD)/$(LATER)"},
            {"name": "LATER", "value": "0"},
        ],
    )
    assert found == {
        "PASSWORD": "p$w",
        "MODE": "fast",
        "POD": "p",
        "APP": "queue",
        "IP": "10.0.0.1",
        "EMPTY": "",
        "URL": "redis://:p$w@p/$(LATER)",
        "LATER": "0",
    }


def test_whole_objects_come_with_a_prefix_and_yield_to_single_variables(cluster: MemoryApi) -> None:
    found = environment(
        cluster,
        envFrom=[{"secretRef": {"name": "keys"}, "prefix": "REDIS_"}, {"configMapRef": {"name": "settings"}}],
        env=[{"name": "mode", "value": "slow"}],
    )
    assert found == {"REDIS_password": "p$w", "mode": "slow"}


def test_services_are_found_on_loopback(cluster: MemoryApi) -> None:
    found = environment(cluster, links=None, env=[{"name": "WEB_PORT", "value": "own:$(WEB_SERVICE_PORT)"}])
    assert found == {
        "REDIS_LEADER_SERVICE_HOST": "127.0.0.1",
        "REDIS_LEADER_SERVICE_PORT": "36379",
        "REDIS_LEADER_PORT": "tcp://127.0.0.1:36379",
        "REDIS_LEADER_PORT_6379_TCP": "tcp://127.0.0.1:36379",
        "REDIS_LEADER_PORT_6379_TCP_PROTO": "tcp",
        "REDIS_LEADER_PORT_6379_TCP_PORT": "36379",
        "REDIS_LEADER_PORT_6379_TCP_ADDR": "127.0.0.1",
        "WEB_SERVICE_HOST": "127.0.0.1",
        "WEB_SERVICE_PORT": "30080",
        "WEB_SERVICE_PORT_HTTP": "30080",
        "WEB_PORT": "own:30080",
        "WEB_PORT_80_TCP": "tcp://127.0.0.1:30080",
        "WEB_PORT_80_TCP_PROTO": "tcp",
        "WEB_PORT_80_TCP_PORT": "30080",
        "WEB_PORT_80_TCP_ADDR": "127.0.0.1",
    }


def test_a_pod_without_service_links_gets_none(cluster: MemoryApi) -> None:
    assert environment(cluster, links=False) == {}


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ({"secretKeyRef": {"name": "none", "key": "k"}}, 'secret "none" not found'),
        ({"secretKeyRef": {"name": "keys", "key": "k"}}, "couldn't find key k in Secret team/keys"),
        ({"configMapKeyRef": {"name": "none", "key": "k"}}, 'configmap "none" not found'),
        ({"configMapKeyRef": {"name": "settings", "key": "k"}}, "couldn't find key k in ConfigMap team/settings"),
        (
            {"resourceFieldRef": {"resource": "limits.cpu"}},
            "variable V is taken from resourceFieldRef, which the simulator does not model",
        ),
        (
            {"fieldRef": {"fieldPath": "status.hostIP"}},
            (
                "field status.hostIP is not modelled by the simulator; it knows metadata.name, metadata.namespace, "
                "metadata.uid, spec.nodeName, spec.serviceAccountName, status.podIP, status.podIPs"
            ),
        ),
    ],
)
def test_what_cannot_be_had_is_told_as_a_kubelet_does(cluster: MemoryApi, source: Document, text: str) -> None:
    with pytest.raises(ContainerConfigError) as caught:
        environment(cluster, env=[{"name": "V", "valueFrom": source}])
    assert str(caught.value) == text


@pytest.mark.parametrize("name", ["none", "keys"])
def test_what_is_optional_is_left_out(cluster: MemoryApi, name: str) -> None:
    reference = {"name": name, "key": "other", "optional": True}
    assert environment(cluster, env=[{"name": "V", "valueFrom": {"secretKeyRef": reference}}]) == {}
