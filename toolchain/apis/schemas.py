"""What a field of an OpenAPI schema holds, in the words of `components/model/facts/apis/fields.py`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from components.model.facts.apis.fields import ANY, LIST, MAP

if TYPE_CHECKING:
    from collections.abc import Mapping

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
