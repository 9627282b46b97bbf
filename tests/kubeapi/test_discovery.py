"""Paths by kind, asked of the server once."""

from __future__ import annotations

from typing import Final

import pytest

from components.kubeapi import Api, ApiError, Discovery, Document, UnknownKindError
from tests.kubeapi.server import FakeApiServer, one_after_another

_CORE: Final[Document] = {
    "resources": [
        {"name": "namespaces", "kind": "Namespace", "namespaced": False},
        {"name": "pods", "kind": "Pod", "namespaced": True},
        {"name": "pods/log", "kind": "Pod", "namespaced": True},
        {"name": "pods/eviction", "kind": "Eviction", "namespaced": True},
    ]
}
_KUEUE: Final = "kueue.x-k8s.io/v1beta2"
_QUEUES: Final[Document] = {"resources": [{"name": "clusterqueues", "kind": "ClusterQueue", "namespaced": False}]}


def test_paths_follow_from_what_the_server_publishes(server: FakeApiServer, api: Api) -> None:
    server.routes["GET /api/v1"] = _CORE
    server.routes[f"GET /apis/{_KUEUE}"] = _QUEUES
    discovery = Discovery(api)
    assert discovery.collection("v1", "Pod", "team") == "/api/v1/namespaces/team/pods"
    assert discovery.collection("v1", "Pod", None) == "/api/v1/namespaces/default/pods"
    assert discovery.collection("v1", "Namespace", "team") == "/api/v1/namespaces"
    queue = {"apiVersion": _KUEUE, "kind": "ClusterQueue", "metadata": {"name": "q"}}
    assert discovery.path(queue) == f"/apis/{_KUEUE}/clusterqueues/q"
    assert discovery.is_namespaced("v1", "Pod")
    assert not discovery.is_namespaced(_KUEUE, "ClusterQueue")


def test_a_group_is_asked_for_once(server: FakeApiServer, api: Api) -> None:
    server.routes["GET /api/v1"] = _CORE
    discovery = Discovery(api)
    for _ in range(3):
        discovery.collection("v1", "Pod", None)
        discovery.collection("v1", "Namespace", None)
    assert server.paths() == ["GET /api/v1"]


def test_a_kind_that_was_missing_is_found_once_it_is_served(server: FakeApiServer, api: Api) -> None:
    gone = (404, "404 page not found\n")
    server.routes[f"GET /apis/{_KUEUE}"] = one_after_another(gone, {"resources": []}, _QUEUES)
    discovery = Discovery(api)
    for _ in range(2):
        with pytest.raises(UnknownKindError) as caught:
            discovery.collection(_KUEUE, "ClusterQueue", None)
        assert str(caught.value) == 'no matches for kind "ClusterQueue" in version "kueue.x-k8s.io/v1beta2"'
    assert discovery.collection(_KUEUE, "ClusterQueue", None) == f"/apis/{_KUEUE}/clusterqueues"


def test_a_subresource_is_no_kind(server: FakeApiServer, api: Api) -> None:
    server.routes["GET /api/v1"] = _CORE
    with pytest.raises(UnknownKindError, match="Eviction"):
        Discovery(api).collection("v1", "Eviction", None)


def test_a_refusal_is_not_taken_for_absence(server: FakeApiServer, api: Api) -> None:
    server.routes["GET /api/v1"] = (403, {"message": "forbidden"})
    with pytest.raises(ApiError, match=r"^forbidden$"):
        Discovery(api).collection("v1", "Pod", None)


def test_everything_in_namespaces_that_can_be_listed_comes_in_one_version(server: FakeApiServer, api: Api) -> None:
    listed = {"namespaced": True, "verbs": ["get", "list"]}
    server.routes["GET /api/v1"] = {
        "resources": [
            {"name": "pods", "kind": "Pod", **listed},
            {"name": "pods/log", "kind": "Pod", **listed},
            {"name": "bindings", "kind": "Binding", "namespaced": True, "verbs": ["create"]},
            {"name": "nodes", "kind": "Node", "namespaced": False, "verbs": ["list"]},
        ]
    }
    group = {
        "name": "kueue.x-k8s.io",
        "versions": [{"groupVersion": "kueue.x-k8s.io/v1beta1"}, {"groupVersion": _KUEUE}],
        "preferredVersion": {"groupVersion": _KUEUE},
    }
    server.routes["GET /apis"] = {"groups": [group]}
    local, old = {"name": "localqueues", "kind": "LocalQueue", **listed}, {"name": "olds", "kind": "Old", **listed}
    server.routes[f"GET /apis/{_KUEUE}"] = {"resources": [local]}
    server.routes["GET /apis/kueue.x-k8s.io/v1beta1"] = {"resources": [local, old]}
    discovery = Discovery(api)
    assert list(discovery.namespaced_kinds()) == [
        ("v1", "Pod"),
        (_KUEUE, "LocalQueue"),
        ("kueue.x-k8s.io/v1beta1", "Old"),
    ]
    assert discovery.versions("kueue.x-k8s.io") == [_KUEUE, "kueue.x-k8s.io/v1beta1"]
    assert discovery.versions("none.example") == []
