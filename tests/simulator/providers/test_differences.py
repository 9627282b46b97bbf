"""Paths of changes, as Pulumi writes them."""

from __future__ import annotations

import pytest

from simulator.providers.base import Change
from simulator.providers.differences import changes_between
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
        ({}, {"b.c": 1, "a/b": 1, "b-c_d1": 1}, {'["b.c"]': _ADD, '["a/b"]': _ADD, "b-c_d1": _ADD}),
        (
            {"a": [{"b": 1}]},
            {"a": [{"b": 1, "google.com/tpu": 1, "1b": 1}]},
            {'a[0]["google.com/tpu"]': _ADD, 'a[0]["1b"]': _ADD},
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
