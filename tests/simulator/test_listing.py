"""`gcloud` and `kubectl` of the simulator: what they print, and that they refuse what they do not answer."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import pytest

from simulator.cloud.api import Kind
from simulator.commands import clusters, listing
from simulator.commands.listing import ListingError, gcloud, kubectl
from simulator.home import Home

if TYPE_CHECKING:
    from pathlib import Path

_POOLS = "projects/p/locations/us-west4/clusters"
_CLOUD: dict[Kind, list[dict[str, Any]]] = {
    Kind.NODE_POOL: [
        {"name": "a", "apiName": f"{_POOLS}/one/nodePools/a"},
        {"name": "b", "apiName": f"{_POOLS}/two/nodePools/b"},
    ],
    Kind.CLUSTER: [
        {"name": name, "apiName": f"projects/{project}/locations/{place}/clusters/{name}"}
        for name, project, place in (("one", "p", "us-west4"), ("two", "p", "us-east5"), ("three", "pp", "us-west4"))
    ],
    Kind.SERVICE: [{"name": "projects/p/services/file.googleapis.com", "apiName": "x"}],
    Kind.IAM_MEMBER: [
        {"apiName": "x", "resource": "projects/p", "role": "roles/viewer", "member": "user:b@example.com"},
        {"apiName": "y", "resource": "projects/p", "role": "roles/viewer", "member": "user:a@example.com"},
        {"apiName": "z", "resource": "b/bucket", "role": "roles/owner", "member": "user:a@example.com"},
    ],
}


def _no_daemon(_: Home) -> None:
    """Doubles the start of the daemon."""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """A simulator whose daemon is doubled by documents of a cloud."""

    class Cloud:
        def __init__(self, client: object) -> None:
            """Nobody is asked."""

        def list(self, kind: Kind) -> list[dict[str, Any]]:
            """As `CloudApi.list`."""
            return _CLOUD[kind]

    monkeypatch.setattr(listing, "RemoteCloud", Cloud)
    for module in (listing, clusters):
        monkeypatch.setattr(module, "ensure", _no_daemon)
    return Home(tmp_path)


def _printed(home: Home, words: str) -> Any:  # noqa: ANN401  JSON
    return json.loads("".join(gcloud(home, words.split())))


def test_documents_are_printed_as_the_api_has_them(home: Home) -> None:
    pools = _printed(home, "container node-pools list --cluster one --location us-west4 --format=json")
    services = _printed(home, "services list --enabled --format=json")

    assert pools == [{"name": "a"}]
    assert services[0]["config"] == {"name": "file.googleapis.com"}


@pytest.mark.parametrize(
    ("flags", "names"),
    [
        ("", ["one", "two", "three"]),
        ("--location us-west4", ["one", "three"]),
        ("--region us-east5", ["two"]),
        ("--project p", ["one", "two"]),
        ("--project p --location us-west4", ["one"]),
    ],
)
def test_what_is_elsewhere_is_not_listed(home: Home, flags: str, names: list[str]) -> None:
    found = _printed(home, f"container clusters list {flags} --format=json")

    assert [each["name"] for each in found] == names


def test_members_of_a_project_are_one_policy(home: Home) -> None:
    found = _printed(home, "projects get-iam-policy p --format=json")

    assert found == {"bindings": [{"members": ["user:a@example.com", "user:b@example.com"], "role": "roles/viewer"}]}


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("container clusters delete dev --format=json", "is not supported here"),
        ("container clusters list", "is not supported here"),
        ("container clusters list --format=json --filter=x", "unrecognized arguments: --filter=x"),
        ("container node-pools list --format=json", "needs --cluster and --location"),
    ],
)
def test_gcloud_refuses_what_it_does_not_answer(home: Home, words: str, says: str) -> None:
    with pytest.raises(ListingError) as caught:
        list(gcloud(home, words.split()))
    assert says in str(caught.value)


class _Server:
    """Doubles an API server with pods and Workloads."""

    _ANSWERS: Final = {
        "/apis": {"groups": [{"preferredVersion": {"groupVersion": "kueue.x-k8s.io/v1beta2"}}]},
        "/api/v1": {"resources": [{"name": "pods"}, {"name": "pods/log"}]},
        "/apis/kueue.x-k8s.io/v1beta2": {"resources": [{"name": "workloads"}, {"name": "pods"}]},
    }
    closed = False

    def get(self, path: str) -> dict[str, Any]:
        """As `Api.get`."""
        return self._ANSWERS[path]

    def items(self, path: str) -> list[dict[str, Any]]:
        """As `Api.items`; an object is told by its path."""
        return [{"path": path}]

    def close(self) -> None:
        """As `Api.close`."""
        self.closed = True


@pytest.mark.parametrize(
    ("kinds", "paths"),
    [
        ("pods,workloads", ["/api/v1/pods", "/apis/kueue.x-k8s.io/v1beta2/workloads"]),
        ("workloads.kueue.x-k8s.io", ["/apis/kueue.x-k8s.io/v1beta2/workloads"]),
    ],
)
def test_kinds_are_found_in_the_version_that_the_server_prefers(
    home: Home, monkeypatch: pytest.MonkeyPatch, kinds: str, paths: list[str]
) -> None:
    server = _Server()
    monkeypatch.setattr(listing, "api_of", lambda *_: server)  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    found = json.loads("".join(kubectl(home, ["get", kinds, "-A", "-o", "json"])))

    assert (found["kind"], [each["path"] for each in found["items"]], server.closed) == ("List", paths, True)
    with pytest.raises(ListingError, match='the server doesn\'t have a resource type "jobs"'):
        list(kubectl(home, ["get", "jobs", "-A", "-o", "json"]))


@pytest.mark.parametrize("flag", ["-o", "--output"])
def test_kubectl_prints_yaml_as_the_real_one_does(home: Home, monkeypatch: pytest.MonkeyPatch, flag: str) -> None:
    server, script = _Server(), "echo 1\nsleep 60\n"
    same = {"a": 1}
    found = [{"metadata": {"name": "é"}, "data": {"run.sh": script, "on": "yes"}, "spec": [same, same]}]
    monkeypatch.setattr(server, "items", lambda _path: found)  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    monkeypatch.setattr(listing, "api_of", lambda *_: server)  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    printed = "\n".join(kubectl(home, ["get", "pods", "-A", flag, "yaml"]))
    assert printed == (
        "apiVersion: v1\nitems:\n- data:\n    'on': 'yes'\n    run.sh: |\n      echo 1\n      sleep 60\n"
        "  metadata:\n    name: é\n  spec:\n  - a: 1\n  - a: 1\nkind: List\nmetadata:\n  resourceVersion: ''"
    )


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("get pods -A -o wide", "-o json or -o yaml"),
        ("delete pods -A -o json", "is not supported here"),
        ("get pods -A", "is not supported here"),
        ("get pods -A -o json", "there is no cluster"),
        ("get pods -w -o json", "unrecognized arguments: -w"),
    ],
)
def test_kubectl_refuses_what_it_does_not_answer(home: Home, words: str, says: str) -> None:
    with pytest.raises(ListingError) as caught:
        list(kubectl(home, words.split()))
    assert says in str(caught.value)
