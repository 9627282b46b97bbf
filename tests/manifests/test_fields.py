"""Documents have only fields that their API serves, with values of the type of the field.

The rule `field-exists` compares what whole stacks register with the same data (`tests/policies/test_own_stacks.py`).
"""

from __future__ import annotations

import copy
from functools import cache
from typing import TYPE_CHECKING, Any, Final, cast

import pytest
import yaml

from components.model.facts import kinds
from components.model.facts.apis import served
from components.model.facts.apis.fields import Field
from policies.objects.fields import differences
from simulator.toolchain.apis.openapi import held
from tests.manifests.test_manifests import documents
from tests.tracked import tracked

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from components.manifests.metadata import Manifest

_NO_OBJECTS: Final = {"jobset-values", "kueue-values", "kueue-values-of-an-older-release", "kubeconfig"}
_OF_ALL: Final = {"apiVersion": Field(type_="text"), "kind": Field(type_="text"), "metadata": Field(type_="ObjectMeta")}
"""The fields of every kind, and all that a ServiceAccount of the platform has; the data of APIs lack that kind."""
_OBJECTS: Final = {name: each for name, each in documents().items() if name not in _NO_OBJECTS}


@cache
def _of_add_ons() -> Mapping[tuple[str, str], Mapping[str, Field]]:
    """The fields of kinds that add-ons of GKE serve, by apiVersion and kind."""
    texts = [path.read_text(encoding="utf-8") for path in tracked("simulator/definitions/*.yaml")]
    definitions = [each for text in texts for each in yaml.safe_load_all(text) if "versions" in each.get("spec", ())]
    return {
        (f"{each['spec']['group']}/{version['name']}", each["spec"]["names"]["kind"]): {
            **_fields(version["schema"]["openAPIV3Schema"]),
            **_OF_ALL,
        }
        for each in definitions
        for version in each["spec"]["versions"]
    }


def _fields(schema: Mapping[str, Any]) -> dict[str, Field]:
    inner = {key: held(each) for key, each in schema.get("properties", {}).items()}
    return {key: Field(type_=type_, fields=_fields(below)) for key, (type_, below) in inner.items()}


def _known(document: Manifest) -> Mapping[str, Field]:
    """The fields that a document may have."""
    api_version, name = str(document["apiVersion"]), str(document["kind"])
    kind = kinds.of_manifest(api_version, name)
    if kind is not None:
        return served.versions_of(kind)[api_version.rpartition("/")[2]].fields
    return _OF_ALL if name == "ServiceAccount" else _of_add_ons()[api_version, name]


def _wrong(document: Manifest) -> list[str]:
    """The ways to fields that do not exist, or whose values have another type."""
    return [".".join(map(str, each.steps)) for each in differences(document, _known(document))]


@pytest.mark.parametrize("name", _OBJECTS)
def test_a_document_has_only_fields_of_its_api(name: str) -> None:
    assert _wrong(_OBJECTS[name]) == []


_OF_NAMES: Final = {
    "labels",
    "annotations",
    "nodeSelector",
    "matchLabels",
    "nodeLabels",
    "selector",
    "limits",
    "requests",
    "capacity",
    "parameters",
    "rayStartParams",
    "volumeAttributes",
}
"""Mappings whose keys are no fields."""


def _mappings(value: object) -> Iterator[dict[str, object]]:
    """Every mapping in a value whose keys are fields, down to the first whose keys are names."""
    if isinstance(value, dict):
        mapping = cast("dict[str, object]", value)
        yield mapping
        for key, each in mapping.items():
            if key not in _OF_NAMES:
                yield from _mappings(each)
    elif isinstance(value, list):
        for item in cast("list[object]", value):
            yield from _mappings(item)


@pytest.mark.parametrize("name", _OBJECTS)
def test_a_misspelled_field_is_found_wherever_it_is(name: str) -> None:
    for index, _ in enumerate(_mappings(_OBJECTS[name])):
        document = copy.deepcopy(_OBJECTS[name])
        list(_mappings(document))[index]["misspeled"] = "x"
        assert any("misspeled" in each for each in _wrong(document)), index
