"""The fields of CustomResourceDefinitions, as far down as users may write them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import yaml

from components.model.facts.apis.fields import Field, Kinds, Life, Version

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

_LEAVES: Final = ("metadata", "status")
"""Fields of every kind: the first is Kubernetes' own, the second is written by a controller."""
_LEAF: Final = dict[str, Any]()
_EMBEDDED: Final = {"metadata", "spec"}
"""Keys of an object within an object, such as the template of a Job; its fields belong to another API."""
_ONE_OF: Final = re.compile(r"\bx\.(?P<key>\w+) in \[(?P<values>[^\]]*)\]")
"""How a validation of a list names the values of a field of its items."""
_DEPRECATED: Final = re.compile(r"^Deprecated:", re.MULTILINE)


def read_definitions(folder: Path) -> Kinds:
    """The kinds that the definitions in a folder serve, by name."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.yaml"))]
    found = [document for text in texts for document in yaml.load_all(text, Loader=yaml.CSafeLoader)]
    return {each["spec"]["names"]["kind"]: dict(_versions(each["spec"]["versions"])) for each in found}


def _versions(stated: list[Mapping[str, Any]]) -> Iterator[tuple[str, Version]]:
    for each in stated:
        if each["served"]:
            properties: dict[str, Any] = each["schema"]["openAPIV3Schema"]["properties"]
            leaves = dict.fromkeys((key for key in _LEAVES if key in properties), _LEAF)
            life = Life(deprecated="" if each.get("deprecated") else None)
            schema = {**each["schema"]["openAPIV3Schema"], "properties": {**properties, **leaves}}
            yield each["name"], Version(fields=_fields(schema, {}), life=life)


def _fields(schema: Mapping[str, Any], values: Mapping[str, list[str]]) -> dict[str, Field]:
    """The fields of a mapping; `values` are those that a validation around it names."""
    required = schema.get("required", ())
    return {
        key: _field(each, values.get(key, each.get("enum", ())), is_required=key in required)
        for key, each in schema.get("properties", {}).items()
    }


def _field(schema: Mapping[str, Any], values: Iterable[str], *, is_required: bool) -> Field:
    held = schema.get("items", schema)
    is_embedded = set(held.get("properties", {})) >= _EMBEDDED
    return Field(
        fields={} if is_embedded else _fields(held, _validated(schema)),
        values={value: Life() for value in values},
        is_required=is_required and "default" not in schema,
        most=schema.get("maxItems", schema.get("maxProperties")),
        life=Life(deprecated="" if _DEPRECATED.search(schema.get("description", "")) else None),
    )


def _validated(schema: Mapping[str, Any]) -> dict[str, list[str]]:
    """The values that validations of a list name, by the field of its items."""
    rules = " ".join(each["rule"] for each in schema.get("x-kubernetes-validations", ()))
    return {match["key"]: re.findall(r"'([^']*)'", match["values"]) for match in _ONE_OF.finditer(rules)}
