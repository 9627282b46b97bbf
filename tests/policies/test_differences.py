"""Values compared with the types of their fields, as the API server decodes them."""

from __future__ import annotations

import pytest

from components.model.facts.apis.fields import Field
from policies.objects.fields import differences, home_of, unserved
from policies.objects.values import UNKNOWN, Value

_TYPES: list[tuple[str, list[Value], list[Value]]] = [
    ("text", ["", "a", None, UNKNOWN], [1, 1.5, True, [], {}]),
    ("int", [1, -1, 2.0, None, UNKNOWN], ["1", 1.5, True, []]),
    ("number", [1, 0.5], ["1", False]),
    ("bool", [True, False, None], ["true", 1, 0]),
    ("int-or-text", [1, "25%", 3.0], [0.5, True, []]),
    ("quantity", ["10Gi", "0.5", 0.5, 4, 2.0], ["10 Gi", True, "1GB", []]),
    ("[]text", [[], ["a", None, UNKNOWN]], ["a", {}, ["a", 1]]),
    ("{}text", [{}, {"a": "b", "c": None}], [[], "a", {"a": 1}]),
    ("{}[]int", [{"a": [1]}], [{"a": 1}, {"a": ["b"]}]),
    ("SecretReference", [{"name": "a"}], ["a", [], {"name": 1}, {"nam": "a"}]),
    ("[]SecretReference", [[{"name": "a"}, None]], [{"name": "a"}, ["a"], [{"nam": "a"}]]),
    ("", ["a", 1, {"a": 1}, [1]], []),
]
"""A type, values that have it, and values that do not."""


@pytest.mark.parametrize(("type_", "sound", "wrong"), _TYPES)
def test_a_value_has_its_type(type_: str, sound: list[Value], wrong: list[Value]) -> None:
    fields = {"a": Field(type_=type_)}
    assert [value for value in sound if differences({"a": value}, fields)] == []
    assert [value for value in wrong if len(differences({"a": value}, fields)) != 1] == []


def test_a_field_that_does_not_exist_is_no_difference_while_it_says_nothing() -> None:
    fields = {"spec": Field(fields={"size": Field(type_="int")})}
    assert differences({"spec": {"siz": None}}, fields) == []
    [found] = differences({"spec": {"siz": UNKNOWN, "size": 1}}, fields)
    assert (found.steps, found.wanted, set(found.known)) == (("spec", "siz"), "", {"size"})


def test_what_is_nested_stands_where_it_is() -> None:
    fields = {"list": Field(type_="[]", fields={"size": Field(type_="int")})}
    found = differences({"list": [{"size": 1}, {"size": "1", "sizes": 2}]}, fields)
    assert [each.steps for each in found] == [("list", 1, "size"), ("list", 1, "sizes")]
    assert [each.wanted for each in found] == ["a whole number", ""]


@pytest.mark.parametrize(
    ("key", "place", "home"),
    [
        ("low", (), ("spec", "inner")),
        ("mid", (), ("spec",)),
        ("mid", ("spec", "list", 0), ("spec",)),
        ("low", ("spec", "list", 0), None),
        ("top", ("spec", "list", 0), None),
        ("mid", ("spec", "labels", "a"), None),
        ("mid", ("nothing",), None),
        ("name", ("spec", "secret"), None),
        ("namespace", ("spec",), ("spec", "secret")),
    ],
)
def test_where_a_field_belongs(key: str, place: tuple[str | int, ...], home: tuple[str, ...] | None) -> None:
    leaf = Field(type_="text")
    inner = {"inner": Field(fields={"low": leaf}), "secret": Field(type_="SecretReference"), "mid": leaf}
    more = {"list": Field(type_="[]", fields={"x": leaf}), "labels": Field(type_="{}", fields={"x": leaf})}
    assert home_of(key, place, {"top": leaf, "spec": Field(fields={**inner, **more})}) == home


@pytest.mark.parametrize(
    ("api_version", "kind"),
    [
        ("v1", "Config"),
        ("v1", "Template"),
        ("v1", "List"),
        ("v1", "Something"),
        ("batch/v1", "JobList"),
        ("batch.volcano.sh/v1alpha1", "Job"),
        ("kustomize.config.k8s.io/v1beta1", "Kustomization"),
        ("cloud.google.com/v1beta1", "FrontendPolicy"),
        ("example.com/v1", "Pod"),
        ("nothing", "Nothing"),
        ("alone/v1", "Nothing"),
        ("scheduling.x-k8s.io/v1alpha1", "PodGroup"),
        ("networking.x-k8s.io/v1alpha1", "Ingress"),
        ("scheduling.k8s.io/v1beta1", "Workload"),
    ],
)
def test_kinds_of_others_are_left_to_them(api_version: str, kind: str) -> None:
    assert unserved(api_version, kind) is None


def test_a_kind_of_several_groups_is_sought_in_its_own() -> None:
    found = unserved("autoscaling/v1", "Evnt")
    assert found is not None
    assert found.remedy.startswith("Kinds: ")
