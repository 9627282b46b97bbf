"""What the program asks of a running cluster, against a double of its API server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from components.live.cluster import LiveCluster, NotAskedError
from simulator.clusters.pki import write_cluster_files
from tests.kubeapi.server import FakeApiServer, listed

if TYPE_CHECKING:
    from collections.abc import Generator

_LISTED: Final = {"namespaced": True, "verbs": ["get", "list"]}
_OLD, _NEW = "kueue.x-k8s.io/v1beta1", "kueue.x-k8s.io/v1beta2"


@pytest.fixture
def server(tmp_path_factory: pytest.TempPathFactory) -> Generator[FakeApiServer]:
    """A server with pods, and with LocalQueues in two versions."""
    fake = FakeApiServer(write_cluster_files(tmp_path_factory.mktemp("pki"), "10.0.0.1"))
    versions = [{"groupVersion": _OLD}, {"groupVersion": _NEW}]
    group = {"name": "kueue.x-k8s.io", "versions": versions, "preferredVersion": versions[1]}
    queues = {"resources": [{"name": "localqueues", "kind": "LocalQueue", **_LISTED}]}
    fake.routes |= {
        "GET /apis": {"groups": [group]},
        "GET /api/v1": {"resources": [{"name": "pods", "kind": "Pod", **_LISTED}]},
        f"GET /apis/{_NEW}": queues,
        f"GET /apis/{_OLD}": queues,
    }
    yield fake
    fake.close()


def _named(name: str) -> dict[str, object]:
    return {"metadata": {"name": name, "namespace": "team", "uid": name}}


def test_a_kind_is_read_in_the_version_that_the_server_prefers(server: FakeApiServer) -> None:
    server.routes[f"GET /apis/{_NEW}/localqueues"] = listed("LocalQueue", _named("a"))
    with LiveCluster(server.kubeconfig()) as cluster:
        assert [each["metadata"]["name"] for each in cluster.of_kind("kueue.x-k8s.io", "LocalQueue")] == ["a"]
        assert cluster.of_kind("ray.io", "RayJob") == []


def test_everything_in_a_namespace_is_read_once(server: FakeApiServer) -> None:
    server.routes["GET /api/v1/namespaces/team/pods"] = listed("Pod", _named("p"))
    server.routes[f"GET /apis/{_NEW}/namespaces/team/localqueues"] = listed("LocalQueue", _named("q"))
    with LiveCluster(server.kubeconfig()) as cluster:
        assert [(each["kind"], each["metadata"]["name"]) for each in cluster.inside("team")] == [
            ("Pod", "p"),
            ("LocalQueue", "q"),
        ]


def test_a_server_that_refuses_was_not_asked(server: FakeApiServer) -> None:
    server.routes["GET /apis"] = (403, {"message": "no"})
    with LiveCluster(server.kubeconfig()) as cluster, pytest.raises(NotAskedError, match="no"):
        list(cluster.inside("team"))
