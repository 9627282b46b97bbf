"""Objects applied, read back, previewed and deleted, over real HTTPS."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from simulator.providers.base import Found, PartlyCreatedError, ProviderError
from simulator.providers.kube.objects import field_manager
from simulator.providers.values import UNKNOWN, Properties
from tests.simulator.providers.kube.builders import CONFIG, QUEUE, Kube, a_config, a_queue, target

if TYPE_CHECKING:
    from components.kubeapi import Document

_CONFIG_PATH = "/api/v1/namespaces/default/configmaps/c"
_QUEUE_PATH = "/apis/kueue.x-k8s.io/v1beta2/clusterqueues/q"


def metadata(outputs: Properties) -> dict[str, Any]:
    """The metadata among outputs."""
    found = outputs["metadata"]
    assert isinstance(found, dict)
    return found


def refusal(kube: Kube, inputs: Properties, *, preview: bool = False) -> str:
    """The text with which a creation fails."""
    with pytest.raises(ProviderError) as caught:
        kube.provider.create(replace(CONFIG, new=inputs, preview=preview))
    return str(caught.value)


def test_an_object_is_applied_by_a_manager_of_its_own(kube: Kube) -> None:
    created = kube.provider.create(replace(CONFIG, new=a_config(a="1")))
    (asked,) = kube.cluster.sent("PATCH")
    assert (asked.path, asked.body) == (_CONFIG_PATH, a_config(a="1"))
    assert asked.query == {"fieldManager": field_manager(CONFIG.urn), "force": "false"}
    assert field_manager(CONFIG.urn) != field_manager(QUEUE.urn)
    assert created.id == "default/c"
    assert created.outputs["data"] == {"a": "1"}
    assert metadata(created.outputs)["uid"]
    assert "managedFields" not in metadata(created.outputs)
    assert created.outputs["__fieldManager"] == field_manager(CONFIG.urn)
    assert created.outputs["__initialApiVersion"] == "v1"


def test_the_id_of_a_cluster_wide_object_is_its_name(kube: Kube) -> None:
    assert kube.provider.create(replace(QUEUE, new=a_queue(cohort="all"))).id == "q"


def test_force_comes_from_the_provider_or_the_object(kube: Kube) -> None:
    forced = a_config()
    forced["metadata"] = {"name": "c", "namespace": "default", "annotations": {"pulumi.com/patchForce": "true"}}
    kube.provider.create(replace(CONFIG, new=forced))
    kube.configure(enablePatchForce="true")
    kube.provider.update(replace(CONFIG, id="default/c", new=a_config()))
    assert [asked.query["force"] for asked in kube.cluster.sent("PATCH")] == ["true", "true"]


def test_a_conflict_is_explained(kube: Kube) -> None:
    kube.cluster.conflict = 'Apply failed with 1 conflict: conflict with "kubectl": .data.a'
    assert refusal(kube, a_config(a="1")) == (
        'server-side apply of ConfigMap default/c: Apply failed with 1 conflict: conflict with "kubectl": .data.a\n'
        "Another field manager has changed these fields. Set enable_patch_force on the provider or the annotation"
        ' pulumi.com/patchForce: "true".'
    )


def test_a_refusal_names_the_object(kube: Kube) -> None:
    assert refusal(kube, a_config(namespace="none")) == 'ConfigMap none/c: namespaces "none" not found'


def test_a_kind_that_is_not_served_asks_for_its_crd(kube: Kube) -> None:
    kube.cluster.has_queues = False
    assert refusal(kube, a_queue()) == (
        'no matches for kind "ClusterQueue" in version "kueue.x-k8s.io/v1beta2".'
        " Is the CRD installed, and does the object depend on it?"
    )


def test_a_preview_is_a_dry_run(kube: Kube) -> None:
    created = kube.provider.create(replace(CONFIG, new=a_config(a="1"), preview=True))
    assert (created.id, created.outputs["status"]) == ("default/c", {"phase": "as a dry run leaves it"})
    outputs = kube.provider.update(replace(CONFIG, id="default/c", new=a_config(a="2"), preview=True))
    assert outputs["status"] == {"phase": "as a dry run leaves it"}
    assert [asked.query["dryRun"] for asked in kube.cluster.sent("PATCH")] == ["All", "All"]
    assert _CONFIG_PATH not in kube.cluster.objects


def test_a_preview_shows_a_refusal(kube: Kube) -> None:
    kube.cluster.conflict = "Apply failed with 1 conflict"
    assert refusal(kube, a_config(), preview=True).startswith("server-side apply of ConfigMap default/c: Apply failed")


def test_a_successor_of_the_same_name_is_not_applied_to_the_old_object_at_preview(kube: Kube) -> None:
    kube.cluster.put(_CONFIG_PATH, {"kind": "ConfigMap", "metadata": {"name": "c"}})
    created = kube.provider.create(replace(CONFIG, new=a_config(a="1"), preview=True))
    assert created.outputs == a_config(a="1")
    assert kube.cluster.sent("PATCH") == []


def test_what_cannot_be_judged_yet_stands_as_it_is_at_preview(kube: Kube) -> None:
    kube.cluster.has_queues = False
    unknown: Properties = {**a_config(), "data": {"a": UNKNOWN}}
    for inputs in (a_queue(cohort="a"), a_config(namespace="later"), unknown):
        assert kube.provider.create(replace(CONFIG, new=inputs, preview=True)).outputs == inputs
    assert len(kube.cluster.sent("PATCH")) == 1, "only the namespace has to be asked for"


def test_an_object_whose_name_is_not_known_has_no_id_at_preview(kube: Kube) -> None:
    inputs: Properties = {**a_config(), "metadata": {"name": UNKNOWN, "namespace": "default"}}
    assert kube.provider.create(replace(CONFIG, new=inputs, preview=True)).id == ""


def test_an_object_that_does_not_become_ready_is_kept(kube: Kube) -> None:
    def fail(document: Document) -> None:
        condition = {"type": "Failed", "status": "True", "reason": "BackoffLimitExceeded", "message": "two pods"}
        document["status"] = {"conditions": [condition]}

    kube.cluster.then = fail
    job: Properties = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "j", "namespace": "default"}}
    with pytest.raises(PartlyCreatedError) as caught:
        kube.provider.create(replace(target("kubernetes:batch/v1:Job"), new=job, timeout=5))
    error = caught.value
    assert (error.id, error.inputs, error.reasons) == (
        "default/j",
        job,
        ["Job j failed: BackoffLimitExceeded: two pods"],
    )
    assert metadata(error.outputs)["uid"]


def test_what_is_read_is_cut_to_what_the_program_speaks_of(kube: Kube) -> None:
    group = {"coveredResources": ["google.com/tpu"], "flavors": [{"name": "f", "nominal": "24", "added": "x"}]}
    live: Document = {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "ClusterQueue",
        "metadata": {"name": "q", "labels": {"by": "somebody"}},
        "spec": {"resourceGroups": [group, {"more": 1}], "queueingStrategy": "BestEffortFIFO"},
        "status": {"pendingWorkloads": 3},
    }
    kube.cluster.put(_QUEUE_PATH, live)
    inputs = a_queue(
        resourceGroups=[{"coveredResources": ["google.com/tpu"], "flavors": [{"name": "f", "nominal": "16"}]}], gone=1
    )
    found = kube.provider.read(replace(QUEUE, id="q", old=inputs))
    assert found is not None
    assert found.inputs == a_queue(
        resourceGroups=[
            {"coveredResources": ["google.com/tpu"], "flavors": [{"name": "f", "nominal": "24"}]},
            {"more": 1},
        ]
    )
    assert found.outputs["status"] == {"pendingWorkloads": 3}


def test_an_import_declares_everything_but_what_the_server_fills_in(kube: Kube) -> None:
    live: Document = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c", "namespace": "default"}}
    kube.cluster.put(_CONFIG_PATH, {**live, "data": {"a": "1"}, "status": {"x": 1}})
    found = kube.provider.read(replace(CONFIG, id="default/c"))
    assert isinstance(found, Found)
    assert (found.id, found.inputs) == ("default/c", {**live, "data": {"a": "1"}})


@pytest.mark.parametrize(
    ("type_", "id_", "path"),
    [
        ("kubernetes:core/v1:Namespace", "team", "/api/v1/namespaces/team"),
        ("kubernetes:apps/v1:Deployment", "team/d", "/apis/apps/v1/namespaces/team/deployments/d"),
        (
            "kubernetes:kueue.x-k8s.io/v1beta2:LocalQueue",
            "team/l",
            "/apis/kueue.x-k8s.io/v1beta2/namespaces/team/localqueues/l",
        ),
    ],
)
def test_an_import_finds_its_path_from_type_and_id(kube: Kube, type_: str, id_: str, path: str) -> None:
    assert kube.provider.read(replace(target(type_), id=id_)) is None
    assert kube.cluster.server.asked[-1].path == path


def test_what_is_gone_or_of_a_kind_that_is_gone_is_none(kube: Kube) -> None:
    assert kube.provider.read(replace(CONFIG, id="default/c", old=a_config())) is None
    kube.cluster.has_queues = False
    assert kube.provider.read(replace(QUEUE, id="q", old=a_queue())) is None


def test_a_deletion_takes_dependants_along_and_nothing_else_of_the_name(kube: Kube) -> None:
    created = kube.provider.create(replace(CONFIG, new=a_config()))
    kube.provider.delete(replace(CONFIG, id="default/c", old=a_config(), outputs=created.outputs, timeout=5))
    (asked,) = kube.cluster.sent("DELETE")
    assert asked.path == _CONFIG_PATH
    assert asked.body["propagationPolicy"] == "Foreground"
    assert asked.body["preconditions"] == {"uid": metadata(created.outputs)["uid"]}
    kube.provider.delete(replace(CONFIG, id="default/c", old=a_config(), outputs=created.outputs, timeout=5))
    assert len(kube.cluster.sent("DELETE")) == 1, "it is gone already"


def test_a_deletion_follows_the_objects_own_policy(kube: Kube) -> None:
    annotations = {"pulumi.com/deletionPropagationPolicy": "orphan"}
    kube.cluster.put(
        _CONFIG_PATH,
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": "c", "namespace": "default", "annotations": annotations},
        },
    )
    kube.provider.delete(replace(CONFIG, id="default/c", old=a_config(), timeout=5))
    assert kube.cluster.sent("DELETE")[0].body["propagationPolicy"] == "Orphan"


def test_a_deletion_that_hangs_names_the_finalizers(kube: Kube) -> None:
    live = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "c", "namespace": "default", "finalizers": ["a/b", "c/d"]},
    }
    kube.cluster.put(_CONFIG_PATH, live)
    kube.cluster.server.routes[f"DELETE {_CONFIG_PATH}"] = {}
    with pytest.raises(ProviderError) as caught:
        kube.provider.delete(replace(CONFIG, id="default/c", old=a_config(), timeout=0.05))
    assert str(caught.value) == (
        "waited 0 s for ConfigMap c to be deleted; last seen: no status yet; it is held by its finalizers a/b, c/d"
    )


def test_a_deletion_that_is_refused_is_told(kube: Kube) -> None:
    kube.provider.create(replace(CONFIG, new=a_config()))
    kube.cluster.server.routes[f"DELETE {_CONFIG_PATH}"] = (403, {"message": "a webhook says no"})
    with pytest.raises(ProviderError, match=r"^a webhook says no$"):
        kube.provider.delete(replace(CONFIG, id="default/c", old=a_config(), timeout=5))


def test_a_server_that_refuses_to_be_read_is_told(kube: Kube) -> None:
    kube.cluster.server.routes[f"GET {_CONFIG_PATH}"] = (403, {"message": "you may not look"})
    with pytest.raises(ProviderError, match=r"^ConfigMap default/c: you may not look$"):
        kube.provider.read(replace(CONFIG, id="default/c", old=a_config()))
