"""The fields of CustomResourceDefinitions, as far down as users may write them."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import yaml

from components.model.facts.apis.fields import Field, Kinds, Life, Version
from simulator.toolchain.apis.openapi import held

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from components.model.facts.kinds import Kind

_LEAVES: Final[Mapping[str, Mapping[str, Any]]] = {"metadata": {"$ref": ".ObjectMeta"}, "status": {}}
"""Fields of every kind: the first is Kubernetes' own, the second is written by a controller."""
_ONE_OF: Final = re.compile(r"\bx\.(?P<key>\w+) in \[(?P<values>[^\]]*)\]")
"""How a validation of a list names the values of a field of its items."""
_DEPRECATED: Final = re.compile(r"^Deprecated:", re.MULTILINE)


def read_definitions(folder: Path, wanted: Iterable[Kind]) -> Kinds:
    """The kinds among the wanted ones that the definitions in a folder serve, by name."""
    names = {kind.name for kind in wanted}
    found = {each["spec"]["names"]["kind"]: each["spec"]["versions"] for each in _definitions(folder)}
    return {name: dict(_versions(versions)) for name, versions in found.items() if name in names}


def read_served(folder: Path) -> Iterator[tuple[str, str, str]]:
    """Group, kind and version of everything that the definitions in a folder serve."""
    for each in _definitions(folder):
        for version in each["spec"]["versions"]:
            if version["served"]:
                yield each["spec"]["group"], each["spec"]["names"]["kind"], version["name"]


@cache
def _definitions(folder: Path) -> list[Mapping[str, Any]]:
    """The definitions in the files of a folder; those of KubeRay take seconds to read."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.yaml"))]
    return [document for text in texts for document in yaml.load_all(text, Loader=yaml.CSafeLoader)]


def _versions(stated: list[Mapping[str, Any]]) -> Iterator[tuple[str, Version]]:
    for each in stated:
        if each["served"]:
            properties: dict[str, Any] = each["schema"]["openAPIV3Schema"]["properties"]
            leaves = {key: leaf for key, leaf in _LEAVES.items() if key in properties}
            schema = {**each["schema"]["openAPIV3Schema"], "properties": {**properties, **leaves}}
            yield each["name"], Version(fields=_fields(schema, {}), deprecated="" if each.get("deprecated") else None)


def _fields(schema: Mapping[str, Any], values: Mapping[str, list[str]]) -> dict[str, Field]:
    """The fields of a mapping; `values` are those that a validation around it names."""
    required = schema.get("required", ())
    return {
        key: _field(each, values.get(key, each.get("enum", ())), is_required=key in required)
        for key, each in schema.get("properties", {}).items()
    }


def _field(schema: Mapping[str, Any], values: Iterable[str], *, is_required: bool) -> Field:
    type_, inner = held(schema)
    return Field(
        type_=type_,
        fields=_fields(inner, _validated(schema)),
        values={value: Life() for value in values},
        is_required=is_required and "default" not in schema,
        most=schema.get("maxItems", schema.get("maxProperties")),
        deprecated="" if _DEPRECATED.search(schema.get("description", "")) else None,
    )


def _validated(schema: Mapping[str, Any]) -> dict[str, list[str]]:
    """The values that validations of a list name, by the field of its items."""
    rules = " ".join(each["rule"] for each in schema.get("x-kubernetes-validations", ()))
    return {match["key"]: re.findall(r"'([^']*)'", match["values"]) for match in _ONE_OF.finditer(rules)}
