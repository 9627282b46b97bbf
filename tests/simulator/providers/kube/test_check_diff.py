"""What the provider fills in, and which changes need a new object."""

from __future__ import annotations

from dataclasses import replace

import pytest

from simulator.providers.base import Change, Checked, Failure, Request
from simulator.providers.kube.replacing import needs_replacement
from simulator.providers.values import UNKNOWN, Properties, Value
from tests.simulator.providers.kube.builders import CONFIG, QUEUE, Kube, a_config, a_queue, target


def checked(
    kube: Kube, inputs: Properties, *, about: Request = CONFIG, old: Properties | None = None, seed: bytes = b"s"
) -> Checked:
    """The inputs as the engine would record them."""
    return kube.provider.check(replace(about, old=old or {}, new=inputs, seed=seed))


def changes(kube: Kube, old: Properties, new: Properties, *ignored: str) -> tuple[dict[str, Change], bool]:
    """The changes, and whether the old object goes first."""
    difference = kube.provider.diff(replace(CONFIG, id="id", old=old, new=new, ignored=ignored))
    return difference.changes, difference.delete_before_replace


def test_a_namespaced_object_gets_the_providers_namespace(kube: Kube) -> None:
    assert checked(kube, a_config(namespace=None)).inputs == a_config(namespace="default")
    kube.configure(namespace="team")
    assert checked(kube, a_config(namespace=None)).inputs == a_config(namespace="team")
    assert checked(kube, a_config(namespace="own")).inputs == a_config(namespace="own")


def test_a_cluster_wide_object_gets_none(kube: Kube) -> None:
    kube.configure(namespace="team")
    assert checked(kube, a_queue(), about=QUEUE).inputs == a_queue()


def test_a_kind_that_the_cluster_does_not_know_yet_is_left_as_it_is(kube: Kube) -> None:
    kube.cluster.has_queues = False
    local: Properties = {**a_queue(), "kind": "LocalQueue"}
    assert checked(kube, local).inputs == local


def test_a_name_is_made_from_the_resources_own_and_the_seed(kube: Kube) -> None:
    bare: Properties = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"labels": {"a": "b"}}}
    first, again, other = (checked(kube, bare, seed=seed).inputs["metadata"] for seed in (b"s", b"s", b"t"))
    assert first == again
    assert first != other
    assert isinstance(first, dict)
    name = str(first["name"])
    assert name.startswith("it-")
    assert len(name) == len("it-") + 8
    assert first["annotations"] == {"pulumi.com/autonamed": "true"}
    assert first["labels"] == {"a": "b"}


def test_a_made_name_stays(kube: Kube) -> None:
    bare: Properties = {"apiVersion": "v1", "kind": "ConfigMap"}
    old = checked(kube, bare).inputs
    new = checked(kube, {**bare, "data": {"a": "b"}}, old=old, seed=b"another").inputs
    assert new["metadata"] == old["metadata"]


def test_a_name_that_was_given_and_is_not_any_more_is_made(kube: Kube) -> None:
    metadata = checked(kube, {"apiVersion": "v1", "kind": "ConfigMap"}, old=a_config("given")).inputs["metadata"]
    assert isinstance(metadata, dict)
    assert str(metadata["name"]).startswith("it-")


def a_waiting_config(wait_for: Value) -> Properties:
    """A ConfigMap with that annotation."""
    annotations: Properties = {"pulumi.com/waitFor": wait_for}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c", "annotations": annotations}}


@pytest.mark.parametrize(
    ("inputs", "failures"),
    [
        ({"kind": "ConfigMap"}, [Failure("apiVersion", '"apiVersion" is required, as text')]),
        (
            {"apiVersion": UNKNOWN, "kind": 3},
            [
                Failure("apiVersion", '"apiVersion" is required, as text'),
                Failure("kind", '"kind" is required, as text'),
            ],
        ),
        (
            {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"generateName": "c-"}},
            [Failure("metadata.generateName", "server-side apply needs a whole name: set metadata.name")],
        ),
        (
            a_waiting_config("jsonpath={.data}"),
            [
                Failure(
                    'metadata.annotations["pulumi.com/waitFor"]',
                    "'jsonpath={.data}' is not modelled: the simulator knows condition=TYPE and condition=TYPE=STATUS,"
                    " alone or in a JSON list",
                )
            ],
        ),
    ],
)
def test_what_cannot_be_applied_is_refused(kube: Kube, inputs: Properties, failures: list[Failure]) -> None:
    assert checked(kube, inputs).failures == failures
    assert kube.cluster.server.asked == []


@pytest.mark.parametrize("wait_for", ["condition=Active", UNKNOWN])
def test_a_wait_for_a_condition_is_taken(kube: Kube, wait_for: Value) -> None:
    assert checked(kube, a_waiting_config(wait_for)).failures == []


def test_every_changed_property_is_named(kube: Kube) -> None:
    assert changes(kube, a_queue(a="1", b="2"), a_queue(a="3", c="4")) == (
        {"spec.a": Change.UPDATE, "spec.b": Change.DELETE, "spec.c": Change.ADD},
        False,
    )


def test_an_empty_class_of_a_volume_is_not_kept(kube: Kube) -> None:
    volume: Properties = {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "share"}}
    result = checked(
        kube,
        {**volume, "spec": {"storageClassName": "", "nfs": {}}},
        about=target("kubernetes:core/v1:PersistentVolume"),
    )
    assert (result.failures, result.inputs["spec"]) == ([], {"nfs": {}})


def test_another_name_is_another_object_beside_the_old_one(kube: Kube) -> None:
    assert changes(kube, a_config("a"), a_config("b")) == ({"metadata.name": Change.UPDATE_REPLACE}, False)
    assert changes(kube, a_config(namespace="a"), a_config(namespace="b")) == (
        {"metadata.namespace": Change.UPDATE_REPLACE},
        False,
    )


def test_an_object_of_the_same_name_goes_before_its_successor(kube: Kube) -> None:
    job: Properties = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "j"}, "spec": {"completions": 1}}
    new: Properties = {**job, "spec": {"completions": 2}}
    assert changes(kube, job, new) == ({"spec.completions": Change.UPDATE_REPLACE}, True)


def test_ignored_paths_cover_what_is_below_them(kube: Kube) -> None:
    old, new = a_queue(resourceGroups=[{"a": 1}], cohort="x"), a_queue(resourceGroups=[{"a": 2}], cohort="y")
    assert changes(kube, old, new, "spec.resourceGroups") == ({"spec.cohort": Change.UPDATE}, False)
    assert changes(kube, old, new, "spec.resourceGroup") == (
        {"spec.resourceGroups[0].a": Change.UPDATE, "spec.cohort": Change.UPDATE},
        False,
    )


@pytest.mark.parametrize(
    ("api_version", "kind", "path", "replaces"),
    [
        ("v1", "ConfigMap", "kind", True),
        ("v1", "ConfigMap", "metadata.labels.a", False),
        ("v1", "ConfigMap", "metadata.namespace", True),
        ("v1", "Pod", "spec.containers[0].image", True),
        ("v1", "Service", "spec.clusterIP", True),
        ("v1", "Service", "spec.clusterIPs[0]", False),
        ("v1", "Secret", "data.type", True),
        ("v1", "Secret", "metadata.labels.data", False),
        ("v1", "ConfigMap", "data.a", True),
        ("apps/v1", "Deployment", 'spec.selector.matchLabels["a/b"]', True),
        ("apps/v1", "Deployment", "spec.template.spec.containers[0].image", False),
        ("batch/v1", "Job", "spec.completionMode", False),
        ("batch/v1", "CronJob", "spec.template.x", False),
        ("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", "roleRef.name", True),
        ("storage.k8s.io/v1", "StorageClass", "parameters.tier", True),
        ("storage.k8s.io/v1", "StorageClass", "reclaimPolicy", False),
    ],
)
def test_what_the_official_provider_replaces_does_and_nothing_else(
    api_version: str, kind: str, path: str, *, replaces: bool
) -> None:
    assert needs_replacement(api_version, kind, path) is replaces


def test_a_change_of_the_api_version_replaces(kube: Kube) -> None:
    beta: Properties = {**a_queue(), "apiVersion": "kueue.x-k8s.io/v1beta1"}
    assert changes(kube, beta, a_queue()) == ({"apiVersion": Change.UPDATE_REPLACE}, True)
