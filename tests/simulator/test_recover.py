"""What `recover` does about Helm releases and about resources that a destroy dropped."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest

from simulator.commands.recover import mend_release
from simulator.pending import RELEASE, PendingOperation, dropped

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
    ],
)
def test_a_release_in_the_middle_of_something_is_brought_out_of_it(verb: str, state: str, command: str) -> None:
    helm = _Helm(state)
    assert list(mend_release(cast("HelmTool", helm), _operation(verb))) == [f"  helm {command} kueue: it was {state}"]
    assert helm.ran == [[command, "kueue", "--namespace=kueue-system", "--wait"]]


@pytest.mark.parametrize(
    ("verb", "state"), [("updating", "deployed"), ("deleting", "deployed"), ("deleting", None), ("creating", None)]
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
