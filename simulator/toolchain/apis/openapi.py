"""The kinds of Kubernetes' own API and the types that they refer to, from its OpenAPI document.

What a field of a schema holds is said in the words of `components/model/facts/apis/fields.py`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from components.model.facts.apis.fields import ANY, LIST, MAP, Field, Kinds, Version

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path


_STATUS: Final = "status"
"""What a controller writes; nobody else does."""
_GROUP_VERSION_KIND: Final = "x-kubernetes-group-version-kind"
_SHARED: Final = ""
"""The version of types that are not kinds."""

_SIMPLE: Final[Mapping[str, str]] = {"string": "text", "integer": "int", "number": "number", "boolean": "bool"}
_NAMED: Final[Mapping[str, str]] = {
    "IntOrString": "int-or-text",
    "Quantity": "quantity",
    "Time": "text",
    "MicroTime": "text",
    "FieldsV1": ANY,
}
"""Types of Kubernetes that have a form of their own in JSON."""
_EMBEDDED: Final = {"metadata", "spec"}
"""Keys of an object within an object, such as the template of a Job; its fields are those of Kubernetes' own API."""
_OBJECTS: Final = {
    "containers": "PodTemplateSpec",
    "backoffLimit": "JobTemplateSpec",
    "accessModes": "PersistentVolumeClaim",
    "clusterIP": "Service",
}
"""The type of such an object, by a field of its spec that no other has."""


class OpenApi:
    """The document of one release."""

    def __init__(self, path: Path) -> None:
        document = json.loads(path.read_text(encoding="utf-8"))
        self._paths: Mapping[str, Mapping[str, Any]] = document["paths"]
        self._types: Mapping[str, Mapping[str, Any]] = document["definitions"]

    def served(self) -> Iterator[tuple[str, str, str]]:
        """Group, kind and version of everything that users may create."""
        for operations in self._paths.values():
            create = operations.get("post", {})
            if create.get("x-kubernetes-action") == "post":
                stated = create[_GROUP_VERSION_KIND]
                yield stated["group"], stated["kind"], stated["version"]

    def kinds(self, wanted: Iterable[tuple[str, str]]) -> Kinds:
        """The kinds by group and name, and after them the types that they refer to, by their short names."""
        found: Kinds = {}
        pending: list[str] = []
        for group, kind in wanted:
            (full,) = (name for name, each in self._types.items() if _is_kind(each, group, kind))
            found[kind] = {full.split(".")[-2]: self._version(full, pending)}
        shared: Kinds = {}
        for full in pending:  # grows while it is read
            name = full.rpartition(".")[2]
            if name not in found and name not in shared:
                shared[name] = {_SHARED: self._version(full, pending)}
        return {**found, **dict(sorted(shared.items()))}

    def _version(self, full: str, pending: list[str]) -> Version:
        """The fields of a type; the types that it refers to are added to `pending`."""
        fields: dict[str, Field] = {}
        for key, schema in self._types[full].get("properties", {}).items():
            is_status = key == _STATUS and "spec" in self._types[full]["properties"]
            fields[key] = Field(type_=ANY if is_status else held(schema)[0])
            if not is_status:
                pending.extend(name for name in _references(schema) if "properties" in self._types[name])
        return Version(fields=fields)


def _is_kind(schema: Mapping[str, Any], group: str, kind: str) -> bool:
    stated = schema.get(_GROUP_VERSION_KIND, ())
    return any(each["group"] == group and each["kind"] == kind for each in stated)


def _references(schema: Mapping[str, Any]) -> Iterator[str]:
    """The full names of the types that a field refers to."""
    if "$ref" in schema:
        yield schema["$ref"].rpartition("/")[2]
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            yield from _references(schema[key])


def held(schema: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """What a field holds: the word for its type, and the schema of the mapping in it, empty where another type has it.

    Lists come before what is in them; a field that preserves what is unknown holds anything.
    """
    if "items" in schema:
        return _within(LIST, schema["items"])
    if isinstance(schema.get("additionalProperties"), dict):
        word, inner = _within(MAP, schema["additionalProperties"])
        return (word, {}) if not inner else (MAP, {})
    if "properties" in schema and "x-kubernetes-preserve-unknown-fields" not in schema:
        properties = schema["properties"]
        return (_object(properties), {}) if set(properties) >= _EMBEDDED else (ANY, schema)
    return _leaf(schema), {}


def _within(sign: str, schema: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    word, inner = held(schema)
    return f"{sign}{word}", inner


def _object(properties: Mapping[str, Any]) -> str:
    """The type of an object within another; one that nobody has named may hold anything."""
    fields = properties["spec"].get("properties", {})
    return next((name for key, name in _OBJECTS.items() if key in fields), ANY)


def _leaf(schema: Mapping[str, Any]) -> str:
    if "$ref" in schema:
        name: str = schema["$ref"].rpartition(".")[2]
        return _NAMED.get(name, name)
    if schema.get("x-kubernetes-int-or-string"):
        return "quantity" if "pattern" in schema else "int-or-text"
    return _SIMPLE.get(schema.get("type", ""), ANY)
