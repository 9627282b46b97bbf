"""The form of the contract: as a JSON schema, as a list of fields, as the table of the guide.

All of them are made of the types in `platform_outputs/contract.py`, whose docstrings describe the fields.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, cast

from pydantic import ConfigDict, TypeAdapter

from platform_outputs.contract import SCHEMA_VERSION, Contract
from tests.tracked import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    Fields = dict[str, str]
    """What type each field has, by its path in the outputs: `[]` stands for any item, `{}` for any entry."""

SCHEMA_FILE: Final = ROOT / "docs/outputs.schema.json"
PAGE: Final = ROOT / "docs/outputs.md"
_BEGIN: Final = "<!-- made by `python -m tests.outputs` -->\n"
_END: Final = "<!-- end -->\n"
OPTIONAL: Final = "optional "
"""Before the type of a field that may be absent."""


def schema() -> dict[str, Any]:
    """The JSON schema of the outputs."""
    made = TypeAdapter(Contract[str], config=ConfigDict(use_attribute_docstrings=True)).json_schema()
    made = cast("dict[str, Any]", _without_titles(made))
    made["properties"]["schema_version"]["const"] = SCHEMA_VERSION
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Outputs of a TPU platform", **made}


def schema_text() -> str:
    """The JSON schema as its file has it."""
    return f"{json.dumps(schema(), indent=2)}\n"


def _without_titles(value: object) -> object:
    """Titles only repeat the names of fields; a field that is called `title` stays."""
    if isinstance(value, dict):
        given = cast("dict[str, object]", value)
        return {
            key: _without_titles(each) for key, each in given.items() if key != "title" or not isinstance(each, str)
        }
    return [_without_titles(each) for each in cast("list[object]", value)] if isinstance(value, list) else value


def fields(made: Mapping[str, Any]) -> Fields:
    """The type of every field of a schema by path, sorted."""
    return dict(sorted((path, type_) for path, type_, _ in _walk(made, made)))


def _walk(node: Mapping[str, Any], made: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, str, str]]:
    """Path, type and description of every field below `node`."""
    node = _resolved(node, made)
    for name, field in node.get("properties", {}).items():
        at = f"{path}.{name}".lstrip(".")
        optional = "" if name in node.get("required", ()) else OPTIONAL
        yield at, f"{optional}{_type(field, made)}", _description(field, made)
        yield from _walk(field, made, at)
    for each in node.get("anyOf", ()):
        yield from _walk(each, made, path)
    if "items" in node:
        yield from _walk(node["items"], made, f"{path}[]")
    if isinstance(node.get("additionalProperties"), dict):
        yield from _walk(node["additionalProperties"], made, f"{path}{{}}")


def _description(field: Mapping[str, Any], made: Mapping[str, Any]) -> str:
    """Its own, else that of what it is, else that of what it is a list of."""
    kind = _resolved(field, made)
    return field.get(
        "description", kind.get("description", _resolved(kind.get("items", {}), made).get("description", ""))
    )


def _resolved(node: Mapping[str, Any], made: Mapping[str, Any]) -> Mapping[str, Any]:
    return made["$defs"][node["$ref"].rpartition("/")[2]] if "$ref" in node else node


def _type(field: Mapping[str, Any], made: Mapping[str, Any]) -> str:
    field = _resolved(field, made)
    if "anyOf" in field:
        return " or ".join(_type(each, made) for each in field["anyOf"])
    if "enum" in field:
        return " or ".join(map(json.dumps, field["enum"]))
    if field["type"] == "array":
        return f"list of {_type(field['items'], made)}"
    if field["type"] == "object" and isinstance(field.get("additionalProperties"), dict):
        return f"mapping to {_type(field['additionalProperties'], made)}"
    return field["type"]


def breaks(before: Fields, now: Fields) -> list[str]:
    """What a consumer would have to change for: fields that are gone, or of another type; additions are none."""
    return [
        f"{path} was {type_}, and is {now.get(path, 'gone')}"
        for path, type_ in before.items()
        if now.get(path) != type_
    ]


def table() -> str:
    """The rows of the guide's table."""
    made = schema()
    rows = (f"| `{path}` | {type_} | {_cell(says)} |" for path, type_, says in _walk(made, made))
    return "\n".join(["| output | type | |", "|---|---|---|", *rows, ""])


def _cell(text: str) -> str:
    return text.replace("\n", " ").replace("|", r"\|")


def page_with_table() -> str:
    """The guide with its table made anew."""
    text = PAGE.read_text(encoding="utf-8")
    assert text.count(_BEGIN) == text.count(_END) == 1, f"{PAGE.name} has no place for the table"
    return f"{text.partition(_BEGIN)[0]}{_BEGIN}\n{table()}\n{_END}{text.partition(_END)[2]}"


def kept_file(version: int = SCHEMA_VERSION) -> Path:
    """Where the fields of a version of the contract are kept."""
    return ROOT / f"tests/outputs/golden/contract-{version}.json"


def kept_fields() -> Fields:
    """The fields that were promised with this version."""
    return json.loads(kept_file().read_text(encoding="utf-8"))
