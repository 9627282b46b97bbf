"""Namespaces as the program registers them, and the question to the cluster before one goes."""

from __future__ import annotations

import json
from typing import Any, Final

from components.manifests.namespace import DELETED
from tests.program.harness import Run, run_program, run_stack
from tests.stacks import GCP_PROJECT, PLATFORM_KEY, Stack, a_platform

_URN: Final = (
    "urn:pulumi:test::p::tpu-platform:platform:Platform$tpu-platform:namespaces:Namespaces"
    "$kubernetes:core/v1:Namespace::team-b"
)
_GONE: Final = {
    _URN: {
        "type": "kubernetes:core/v1:Namespace",
        "outputs": {"metadata": {"name": "team-b", "annotations": {DELETED: "with-the-declaration"}}},
    }
}


def _namespaces(stack: Stack) -> dict[str, Any]:
    return {each.name: each for each in run_stack(stack).of("Namespace")}


def test_a_namespace_outlives_its_stack_unless_the_stack_file_allows_its_deletion() -> None:
    entries = [{"name": "team-a"}, {"name": "team-b", "delete": True}]
    made = _namespaces(a_platform().set(namespaces=entries))
    assert made["team-a"].options["retainOnDelete"] is True
    assert made["team-a"].inputs["metadata"] == {"name": "team-a"}
    assert not made["team-b"].options.get("retainOnDelete")
    assert DELETED in made["team-b"].inputs["metadata"]["annotations"]


def test_a_namespace_is_still_registered_when_the_stack_file_no_longer_names_it() -> None:
    before = [{"name": "team-a", "delete": False}, {"name": "team-b", "delete": True}]
    run = run_stack(a_platform().after(namespaces=before))
    assert [each.name for each in run.of("Namespace")] == ["team-a"]
    assert run.outputs["namespaces"] == [{"name": "team-a", "delete": False}]


def _after(before: dict[str, object]) -> Run:
    configuration = {"gcp:project": GCP_PROJECT, PLATFORM_KEY: json.dumps(a_platform().platform)}
    return run_program("test", configuration, before={"namespaces": [], **before}, state=_GONE)


def test_an_update_that_deletes_a_namespace_asks_the_cluster_or_is_refused() -> None:
    run = _after({"kubeconfig": "not: a-kubeconfig"})
    ((level, text),) = run.log
    assert (level, run.exit_code, run.resources) == ("error", 32, [])
    assert "the cluster ml cannot be asked for objects and users of others" in text
    assert "nothing was changed" in text


def test_nothing_is_asked_where_nothing_was_up() -> None:
    assert _after({}).exit_code is None
