"""What `recover` does about Helm releases, about resources that a destroy dropped, and about what no state has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest

from simulator.cloud.api import CloudApi, Kind
from simulator.commands.recover import failure, mend_release
from simulator.commands.strays import has_strays
from simulator.pending import RELEASE, PendingOperation, creations, dropped

if TYPE_CHECKING:
    from simulator.providers.kube.helm import HelmTool


class _Helm:
    """Doubles the real Helm: knows one release in a state, and notes the commands that it is given."""

    def __init__(self, state: str | None) -> None:
        self.state = state
        self.ran: list[list[str]] = []

    def status(self, _kubeconfig: str, _namespace: str, _name: str) -> dict[str, Any] | None:
        return None if self.state is None else {"info": {"status": self.state}}

    def run(self, _kubeconfig: str, arguments: list[str]) -> str:
        self.ran.append(arguments)
        return ""


def _operation(verb: str) -> PendingOperation:
    return PendingOperation(
        verb=verb,
        urn="urn:pulumi:small::tpu-platform::kubernetes:helm.sh/v3:Release::kueue",
        type=RELEASE,
        inputs={"namespace": "kueue-system", "name": "kueue"},
        parent="",
        provider_inputs={"kubeconfig": "{}"},
    )


@pytest.mark.parametrize(
    ("verb", "state", "command"),
    [
        ("creating", "pending-install", "uninstall"),
        ("creating", "failed", "uninstall"),
        ("creating", "deployed", "uninstall"),
        ("updating", "pending-upgrade", "rollback"),
        ("updating", "failed", "rollback"),
        ("deleting", "uninstalling", "uninstall"),
        ("create", "pending-install", "uninstall"),
    ],
)
def test_a_release_in_the_middle_of_something_is_brought_out_of_it(verb: str, state: str, command: str) -> None:
    helm = _Helm(state)
    assert list(mend_release(cast("HelmTool", helm), _operation(verb))) == [f"  helm {command} kueue: it was {state}"]
    assert helm.ran == [[command, "kueue", "--namespace=kueue-system", "--wait"]]


@pytest.mark.parametrize(
    ("verb", "state"),
    [
        ("updating", "deployed"),
        ("deleting", "deployed"),
        ("deleting", None),
        ("creating", None),
        ("create", "deployed"),
    ],
)
def test_a_release_that_helm_can_go_on_with_is_left(verb: str, state: str | None) -> None:
    helm = _Helm(state)
    assert list(mend_release(cast("HelmTool", helm), _operation(verb))) == []
    assert helm.ran == []


_CLUSTER: dict[str, Any] = {"urn": "cluster", "created": "2026-11-23T10:00:00Z"}
_PROVIDER: dict[str, Any] = {"urn": "provider", "dependencies": ["cluster"]}
_FOLDER: dict[str, Any] = {"urn": "folder"}
_RELEASE: dict[str, Any] = {
    "urn": "release",
    "deletedWith": "cluster",
    "provider": "provider::1",
    "parent": "folder",
    "dependencies": ["pool"],
}
_POOL: dict[str, Any] = {"urn": "pool", "deletedWith": "cluster"}
_BUCKET: dict[str, Any] = {"urn": "bucket"}
_BEFORE = [_CLUSTER, _FOLDER, _POOL, _PROVIDER, _BUCKET, _RELEASE]


def test_what_goes_with_a_cluster_that_is_there_was_dropped_and_so_was_what_it_refers_to() -> None:
    assert dropped([_CLUSTER], _BEFORE) == [_FOLDER, _POOL, _PROVIDER, _RELEASE]
    assert dropped([_CLUSTER, _PROVIDER, _FOLDER, _POOL], _BEFORE) == [_RELEASE]


def test_what_went_with_an_earlier_cluster_of_the_same_name_is_gone() -> None:
    assert dropped([{**_CLUSTER, "created": "2026-11-23T12:00:00Z"}], _BEFORE) == []


def test_nothing_was_dropped_where_the_cluster_is_gone_or_all_is_there() -> None:
    assert dropped([_BUCKET], _BEFORE) == []
    assert dropped([_CLUSTER, _POOL, _RELEASE], _BEFORE) == []


def test_a_replaced_resource_that_waits_for_its_deletion_was_not_dropped() -> None:
    assert dropped([_CLUSTER], [_CLUSTER, {**_POOL, "delete": True}]) == []


_POOL_URN = "urn:pulumi:small::tpu-platform::gcp:container/nodePool:NodePool::v5e1"
_GCP = "urn:pulumi:small::tpu-platform::pulumi:providers:gcp::gcp"
_STATE: dict[str, Any] = {
    "deployment": {
        "resources": [{"urn": _GCP, "type": "pulumi:providers:gcp", "inputs": {"project": "p"}}],
    }
}


def test_what_a_preview_would_create_is_told_with_its_parent_and_the_settings_of_its_provider() -> None:
    pool = {"urn": _POOL_URN, "type": "gcp:container/nodePool:NodePool", "inputs": {"name": "v5e1"}, "parent": "urn:p"}
    steps = [
        {"op": "same", "urn": _GCP, "newState": _STATE["deployment"]["resources"][0]},
        {"op": "create", "urn": _POOL_URN, "newState": {**pool, "provider": f"{_GCP}::0b1c"}},
    ]
    (begun,) = creations(_STATE, {"steps": steps})
    assert (begun.verb, begun.name, begun.parent) == ("create", "v5e1", "urn:p")
    assert (begun.inputs, begun.provider_inputs) == ({"name": "v5e1"}, {"project": "p"})


class _Cloud:
    """Doubles the cloud: lists resources of given API names, by kind."""

    def __init__(self, **names: str) -> None:
        self.names = names

    def list(self, kind: Kind, prefix: str = "") -> list[dict[str, Any]]:
        return [{"apiName": name} for name in self.names.values() if name.startswith(prefix) and _KINDS[kind] in name]


_KINDS = dict.fromkeys(Kind, "/none/") | {Kind.NETWORK: "/networks/", Kind.CLUSTER: "/clusters/", Kind.SERVICE: "/s/"}


@pytest.mark.parametrize(
    ("name", "is_stray"),
    [
        ("projects/p/global/networks/ml", False),
        ("projects/p/global/networks/default", False),
        ("projects/p/global/networks/other", True),
        ("projects/p/locations/us-west4/clusters/ml", True),
        ("projects/p/locations/us-west4/clusters/of-another-stack", False),
        ("projects/p/s/container.googleapis.com", False),
    ],
)
def test_what_no_state_has_is_seen_where_it_could_not_be_created_again(name: str, *, is_stray: bool) -> None:
    known = {"projects/p/global/networks/ml", "projects/p/locations/us-west4/clusters/of-another-stack"}
    assert has_strays(cast("CloudApi", _Cloud(name=name)), known) is is_stray


def test_a_failed_command_shows_all_diagnostics_and_else_the_end_of_its_output() -> None:
    errors = [f"  resource {number}:" for number in range(20)]
    out = "\n".join(["Refreshing (dev):", "", "Diagnostics:", *errors, "", "Duration: 2s", ""])
    assert failure(out, "warning: another") == "\n  ".join([*errors, "Duration: 2s"])
    assert failure("an answer", "\n".join(errors)) == "\n  ".join(errors[-8:])
    assert failure("error: no stack\n", "") == "error: no stack"
