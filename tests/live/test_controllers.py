"""Controllers that a cluster has and the stack would install: which are refused, and with which ways on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast

import pytest

from components.live.check import Change
from components.live.controllers import CHECK
from components.live.state import Made
from tests.stacks import Stack, in_existing_cluster

if TYPE_CHECKING:
    from components.kubeapi import Document
    from components.live.cluster import LiveCluster
    from components.model.findings import Finding

_BOTH: Final = ("jobset", "kueue")


@dataclass
class _Cluster:
    """Doubles the running cluster: the documents that a test writes."""

    documents: list[Document]

    def items(self, api_version: str, kind: str, namespace: str | None = None) -> list[Document]:
        """The documents of a kind, in one namespace or in all."""
        return [
            each
            for each in self.documents
            if (each["apiVersion"], each["kind"]) == (api_version, kind)
            and namespace in (None, each["metadata"].get("namespace"))
        ]


def _change(stack: Stack, *had: str, is_adopting: bool = False) -> Change:
    made = [Made(kind="Release", namespace="", name=name, section="controllers", outputs={}) for name in had]
    return Change(plan=stack.plan(), before={}, made=made, is_adopting=is_adopting)


def _found(*documents: Document, had: tuple[str, ...] = ()) -> list[Finding]:
    change = _change(in_existing_cluster(), *had)
    return list(CHECK.findings(change, cast("LiveCluster", _Cluster([*documents]))))


def _stored(name: str, status: str, revision: int = 1) -> Document:
    labels = {"owner": "helm", "name": name, "status": status, "version": str(revision)}
    metadata = {"name": f"sh.helm.release.v1.{name}.v{revision}", "namespace": f"{name}-system", "labels": labels}
    return {"apiVersion": "v1", "kind": "Secret", "type": "helm.sh/release.v1", "metadata": metadata}


def _deployment(name: str, image: str, **annotations: str) -> Document:
    template = {"spec": {"containers": [{"image": image}]}}
    metadata = {"name": name, "namespace": "theirs", "annotations": annotations}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": {"template": template}}


def _definition(plural: str, group: str, **metadata: Any) -> Document:  # noqa: ANN401  any part of it
    named = {"name": f"{plural}.{group}", **metadata}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": named,
        "spec": {"group": group},
    }


_OWNED: Final = {
    "labels": {"app.kubernetes.io/managed-by": "Helm"},
    "annotations": {"meta.helm.sh/release-name": "kueue", "meta.helm.sh/release-namespace": "kueue-system"},
}


def test_a_release_of_another_stack_is_refused_with_both_ways_on() -> None:
    (finding,) = _found(_stored("kueue", "superseded"), _stored("kueue", "deployed", 2), had=("jobset",))
    assert str(finding.place) == "cluster.existing"
    assert "the Helm release kueue in the namespace kueue-system" in finding.says
    assert "controllers: {kueue: {install: false}}" in finding.remedy
    assert "docs/adoption.md" in finding.remedy


@pytest.mark.parametrize("status", ["failed", "pending-install", "uninstalled"])
def test_a_release_that_is_not_whole_is_refused_with_how_it_is_removed(status: str) -> None:
    (finding,) = _found(_stored("jobset", status))
    assert f"whose status is {status}" in finding.says
    assert "`make recover`" in finding.remedy
    assert "`helm uninstall jobset --namespace jobset-system`" in finding.remedy


@pytest.mark.parametrize(
    "deployment",
    [
        _deployment("kueue-controller-manager", "mirror.example.com/queueing:1"),
        _deployment("manager", "mirror.example.com:5000/k8s/kueue:v0.19.2@sha256:00"),
        _deployment("theirs-kueue-controller-manager", "a", **{"meta.helm.sh/release-name": "theirs"}),
    ],
    ids=["by its name", "by its image", "of a release of another name"],
)
def test_a_controller_that_runs_is_refused(deployment: Document) -> None:
    (finding,) = _found(deployment)
    assert f"the Deployment {deployment['metadata']['name']} in the namespace theirs" in finding.says
    assert "install: false" in finding.remedy


def test_other_deployments_and_definitions_are_nothing() -> None:
    assert _found(_deployment("web", "jobset.example.com/web:1"), _definition("jobs", "ray.io")) == []


def test_definitions_of_jobset_alone_are_nothing_because_helm_skips_them() -> None:
    assert _found(_definition("jobsets", "jobset.x-k8s.io")) == []


def test_definitions_of_kueue_that_helm_takes_over_are_nothing() -> None:
    assert _found(_definition("workloads", "kueue.x-k8s.io", **_OWNED)) == []


def test_definitions_of_kueue_that_helm_does_not_take_over_are_refused() -> None:
    (finding,) = _found(_definition("workloads", "kueue.x-k8s.io"), _definition("clusterqueues", "kueue.x-k8s.io"))
    assert "workloads.kueue.x-k8s.io and clusterqueues.kueue.x-k8s.io" in finding.says
    assert "meta.helm.sh/release-name=kueue" in finding.remedy


def test_the_cluster_is_asked_only_for_what_the_state_does_not_have() -> None:
    stack = in_existing_cluster()
    assert CHECK.is_needed(_change(stack))
    assert CHECK.is_needed(_change(stack, "jobset"))
    assert not CHECK.is_needed(_change(stack, *_BOTH))
    assert not CHECK.is_needed(_change(stack, is_adopting=True))
    assert not CHECK.is_needed(
        _change(stack.set(controllers={name: {"install": False} for name in _BOTH}).set(workloads=[], queues=[]))
    )
