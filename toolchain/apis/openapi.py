"""The kinds of Kubernetes' own API and the types that they refer to, from its OpenAPI document."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from components.model.facts.apis.fields import ANY, Field, Version
from toolchain.apis.schemas import held

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from components.model.facts.apis.fields import Kinds

_STATUS: Final = "status"
"""What a controller writes; nobody else does."""
_GROUP_VERSION_KIND: Final = "x-kubernetes-group-version-kind"
_SHARED: Final = ""
"""The version of types that are not kinds."""


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
