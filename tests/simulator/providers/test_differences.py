"""Paths of changes, as Pulumi writes them."""

from __future__ import annotations

import pytest

from simulator.providers.base import Change
from simulator.providers.differences import changes_between, is_within, member
from simulator.providers.values import UNKNOWN, Value

_ADD, _DELETE, _UPDATE = Change.ADD, Change.DELETE, Change.UPDATE


@pytest.mark.parametrize(
    ("old", "new", "changes"),
    [
        ({}, {}, {}),
        ({"a": {"b": [1, {"c": "d"}]}}, {"a": {"b": [1, {"c": "d"}]}}, {}),
        ({"a": 1}, {"a": 2}, {"a": _UPDATE}),
        ({"a": 1}, {"b": 1}, {"a": _DELETE, "b": _ADD}),
        ({"a": {"b": {"c": 1}}}, {"a": {"b": {"c": 2}}}, {"a.b.c": _UPDATE}),
        ({"a": {"b": 1}}, {"a": {}}, {"a.b": _DELETE}),
        ({"a": [1, 2]}, {"a": [1, 3, 4]}, {"a[1]": _UPDATE, "a[2]": _ADD}),
        ({"a": [1, 2]}, {"a": [2]}, {"a[0]": _UPDATE, "a[1]": _DELETE}),
        ({"a": [{"b": 1}]}, {"a": [{"b": 2}]}, {"a[0].b": _UPDATE}),
        (
            {"metadata": {"labels": {"a.b/c": "1", "plain": "x"}}},
            {"metadata": {"labels": {"a.b/c": "2", "plain": "x"}}},
            {'metadata.labels["a.b/c"]': _UPDATE},
        ),
        ({"a": {"b": 1}}, {"a": [1]}, {"a": _UPDATE}),
        ({"a": 1}, {"a": True}, {"a": _UPDATE}),
        ({"a": "1"}, {"a": 1}, {"a": _UPDATE}),
        ({"a": None}, {"a": None}, {}),
        ({}, {"a": None}, {"a": _ADD}),
        ({"a": "x"}, {"a": UNKNOWN}, {"a": _UPDATE}),
        ({"a": {"b": 1}}, {"a": UNKNOWN}, {"a": _UPDATE}),
    ],
)
def test_every_change_has_its_path(old: Value, new: Value, changes: dict[str, Change]) -> None:
    assert dict(changes_between(old, new)) == changes


def test_changes_come_in_one_order() -> None:
    old: Value = dict.fromkeys("zyxab", 1)
    assert [path for path, _ in changes_between(old, {})] == ["a", "b", "x", "y", "z"]


@pytest.mark.parametrize(
    ("path", "key", "whole"),
    [
        ("", "a", "a"),
        ("a", "b", "a.b"),
        ("a", "b-c_d1", "a.b-c_d1"),
        ("a", "b.c", 'a["b.c"]'),
        ("a[0]", "google.com/tpu", 'a[0]["google.com/tpu"]'),
        ("", "a/b", '["a/b"]'),
        ("a", "1b", 'a["1b"]'),
    ],
)
def test_keys_that_are_no_names_are_quoted(path: str, key: str, whole: str) -> None:
    assert member(path, key) == whole


@pytest.mark.parametrize(
    ("path", "within"),
    [("spec", True), ("spec.a", True), ("spec[0].b", True), ('spec["a.b"]', True), ("specs", False), ("a.spec", False)],
)
def test_what_is_below_a_path(path: str, *, within: bool) -> None:
    assert is_within(path, "spec") is within
