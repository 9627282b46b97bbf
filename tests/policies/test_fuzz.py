"""Whatever somebody declares, known yet or not, the rules end in a verdict, and in the same one again."""

from __future__ import annotations

from typing import Any, Final, cast

import pytest
from hypothesis import given, strategies as st

from components.model.facts import kinds
from policies.objects.judging import Settings
from policies.objects.values import UNKNOWN
from policies.objects.world import Object, World, cloud_object, manifest
from policies.rules import judge
from tests.fuzz import JUNK, changed
from tests.policies.cases import cases

pytestmark = pytest.mark.fuzz

_BODIES: Final = "properties", "manifest"
_CASES: Final = [
    [{"type": each.get("type"), key: each[key]} for each in case.resources for key in _BODIES if key in each]
    for case in cases()
]
_LIMITED: Final = Settings(
    is_protected=True,
    has_public_access=False,
    regions=("us-west4",),
    generations=("v5e",),
    billing_labels=("team",),
    chips=8,
    chips_of_queue={"research": 8},
)


def _world(resources: list[Any]) -> World:
    found = [
        _object(number, cast("dict[str, Any]", each)) for number, each in enumerate(resources) if isinstance(each, dict)
    ]
    return World([each for each in found if each is not None])


def _object(number: int, resource: dict[str, Any]) -> Object | None:
    manifest_, properties, type_ = (resource.get(key) for key in ("manifest", "properties", "type"))
    if isinstance(manifest_, dict):
        return manifest(cast("dict[str, Any]", manifest_), origin=str(number))
    kind = kinds.of_type(type_) if isinstance(type_, str) else None
    if kind is None or not isinstance(properties, dict):
        return None
    return cloud_object(kind, cast("dict[str, Any]", properties), origin=str(number))


@given(changed(_CASES, JUNK | st.just(UNKNOWN)), st.sampled_from([Settings(), _LIMITED]))
def test_resources_with_any_values(resources: list[Any], settings: Settings) -> None:
    verdict = judge(_world(resources), settings)
    assert verdict == judge(_world(resources), settings)
    assert all(each.rule and each.says and each.remedy for each in verdict.findings)
