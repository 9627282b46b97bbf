"""What the engine hands to policies, read as objects: numbers, secrets, unknown values, empty bags."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pulumi
import pytest
from pulumi_policy import deserialize, proxy
from pulumi_policy.proxy import unknown_checking_proxy
from pulumi_policy.secret import Secret, secrets_preserving_proxy

from components.model.facts import engine, kinds
from policies.objects.values import SECRET, UNKNOWN, Value
from policies.observe import observe, plain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from components.model.facts.kinds import Kind

POOL = "gcp:container/nodePool:NodePool"
JOBSET = "kubernetes:jobset.x-k8s.io/v1alpha2:JobSet"
URN = "urn:pulumi:dev::lab::any::thing"
UNKNOWNS = [
    proxy.UNKNOWN_BOOLEAN_VALUE,
    proxy.UNKNOWN_NUMBER_VALUE,
    proxy.UNKNOWN_STRING_VALUE,
    proxy.UNKNOWN_ARRAY_VALUE,
    proxy.UNKNOWN_ASSET_VALUE,
    proxy.UNKNOWN_ARCHIVE_VALUE,
    proxy.UNKNOWN_OBJECT_VALUE,
]


def read(found: Mapping[str, Any], type_: str = POOL) -> dict[str, Value]:
    """Properties of a resource as rules read them."""
    observed = observe(type_, URN, found, is_protected=False)
    assert observed is not None
    return dict(observed.object.value)


def test_the_marks_of_unknown_values_and_secrets_are_the_sdks() -> None:
    assert sorted(engine.UNKNOWN_TEXTS) == sorted(UNKNOWNS)
    assert engine.UNKNOWN_TEXT == proxy.UNKNOWN_STRING_VALUE
    assert engine.SIGNATURE_KEY == deserialize.SPECIAL_SIG_KEY
    assert engine.SECRET_SIGNATURE == deserialize.SPECIAL_SECRET_SIG


def test_whole_numbers_are_no_floats() -> None:
    found = read({"a": 2.0, "b": 0.5, "c": True, "d": None, "e": "2x4", "f": [1.0]})
    assert found == {"a": 2, "b": 0.5, "c": True, "d": None, "e": "2x4", "f": [1]}
    assert [type(each) for each in found.values()] == [int, float, bool, type(None), str, list]


@pytest.mark.parametrize("found", UNKNOWNS)
def test_every_kind_of_unknown_value_is_unknown(found: str) -> None:
    assert read({"a": found})["a"] is UNKNOWN


def test_an_unknown_value_behind_the_sdks_proxy_is_read_without_its_error() -> None:
    found = unknown_checking_proxy({"nodeConfig": {"machineType": UNKNOWNS[2], "zones": ["a", UNKNOWNS[2]]}})
    with pytest.raises(proxy.UnknownValueError):
        found["nodeConfig"]["machineType"]
    assert read(found) == {"nodeConfig": {"machineType": UNKNOWN, "zones": ["a", UNKNOWN]}}


def test_what_depends_on_a_secret_is_judged_and_noted() -> None:
    later = {"later": Secret(UNKNOWNS[2]), "part": {"a": [Secret({"b": ["c"], "d": 1.0})]}}
    observed = observe(POOL, URN, secrets_preserving_proxy({"name": Secret("slice-a"), **later}), is_protected=False)
    assert observed is not None
    assert observed.object.value == {"name": "slice-a", "later": UNKNOWN, "part": {"a": [{"b": ["c"], "d": 1}]}}
    assert observed.object.name == "slice-a"
    assert observed.secrets == {"slice-a", "c"}


@pytest.mark.parametrize("type_", ["kubernetes:core/v1:Secret", "kubernetes:helm.sh/v3:Release"])
def test_a_secret_where_secrets_belong_is_not_read(type_: str) -> None:
    body = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}}
    found = {**body, "stringData": {"password": Secret("hunter2"), "later": Secret(UNKNOWNS[2]), "clear": "text"}}
    assert read(found, type_)["stringData"] == {"password": SECRET, "later": SECRET, "clear": "text"}


def test_the_content_of_an_asset_is_not_known() -> None:
    assert read({"a": pulumi.StringAsset("text")}) == {"a": UNKNOWN}


def test_what_is_no_property_is_refused() -> None:
    with pytest.raises(TypeError, match="a object, which is not a property of a resource"):
        read({"a": object()})


def test_a_providers_own_notes_are_no_properties() -> None:
    found: dict[str, object] = {"__defaults": [], "a": {"__defaults": ["b"], "c": 1}, "__init__.py": ""}
    assert read(found) == {"a": {"c": 1}, "__init__.py": ""}


def test_a_resource_of_google_cloud_has_its_own_name_its_urn_and_its_protection() -> None:
    observed = observe(POOL, URN, {"name": "slice-a", "nodeCount": 2}, is_protected=True)
    assert observed is not None
    assert observed.unread is None
    made = observed.object
    assert (made.kind, made.name, made.place.origin, made.is_protected) == (kinds.NODE_POOL, "slice-a", URN, True)
    assert made.whole("nodeCount") == 2


def test_a_manifest_is_known_by_what_it_says_not_by_its_type() -> None:
    body = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "train", "namespace": "team"}}
    observed = observe("kubernetes:batch/v1:Job", URN, body, is_protected=False)
    assert observed is not None
    assert (observed.object.kind, observed.object.name, observed.object.namespace) == (kinds.JOB, "train", "team")


@pytest.mark.parametrize(
    "type_",
    [
        "pulumi:pulumi:Stack",
        "pulumi:providers:kubernetes",
        "gcp:pubsub/topic:Topic",
        "kubernetes:core/v1:ReplicationController",
        "kubernetes:core/v1:NamespacePatch",
        "kubernetes:yaml/v2:ConfigGroup",
    ],
)
def test_a_resource_that_no_rule_knows_is_left_out(type_: str) -> None:
    body = {"apiVersion": "v1", "kind": "Namespace"} if type_.endswith("Patch") else {}
    assert observe(type_, URN, body, is_protected=False) is None
    assert observe(type_, URN, {"metadata": {"name": "a"}}, is_protected=False) is None


def test_a_release_whose_name_the_engine_makes_up_is_called_as_in_the_program() -> None:
    urn = "urn:pulumi:dev::lab::kubernetes:helm.sh/v3:Release::controllers"
    observed = observe("kubernetes:helm.sh/v3:Release", urn, {"chart": "kueue"}, is_protected=False)
    assert observed is not None
    assert str(observed.object) == "Release controllers"


@pytest.mark.parametrize(
    ("type_", "kind"),
    [
        (JOBSET, kinds.JOBSET),
        ("kubernetes:core/v1:Secret", kinds.SECRET),
        ("kubernetes:batch/v1:Job", kinds.JOB),
        ("kubernetes:scheduling.k8s.io/v1:PriorityClass", kinds.PRIORITY_CLASS),
        ("kubernetes:helm.sh/v3:Release", kinds.RELEASE),
        (POOL, kinds.NODE_POOL),
    ],
)
def test_of_an_empty_bag_only_the_kind_is_known(type_: str, kind: Kind) -> None:
    observed = observe(type_, URN, {}, is_protected=False)
    assert observed is not None
    assert observed.object.kind is kind
    assert observed.unread is not None
    assert observed.unread.origin == URN


@pytest.mark.parametrize(
    ("metadata", "unread"),
    [
        ({"name": "train", "namespace": UNKNOWNS[2]}, "metadata.namespace"),
        ({"name": UNKNOWNS[2], "namespace": "team"}, "metadata.name"),
        (UNKNOWNS[6], "metadata"),
        ({"name": "train", "labels": UNKNOWNS[2]}, None),
        ("train", None),
        (None, None),
    ],
)
def test_an_object_is_read_when_its_name_and_namespace_are_known(metadata: object, unread: str | None) -> None:
    body = {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": metadata}
    observed = observe(JOBSET, URN, body, is_protected=False)
    assert observed is not None
    assert (None if observed.unread is None else str(observed.unread)) == unread


def test_a_copy_to_change_keeps_secrets_and_unknown_values() -> None:
    secret = Secret("hunter2")
    found = secrets_preserving_proxy({"a": {"b": [secret, UNKNOWNS[1]]}, "c": 1.0})
    copied = plain(found)
    assert copied == {"a": {"b": [secret, UNKNOWNS[1]]}, "c": 1.0}
    copied["a"]["b"].append("more")
    assert len(plain(found)["a"]["b"]) == 2
