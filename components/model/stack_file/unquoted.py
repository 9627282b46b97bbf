"""Text that a stack file writes without quotes, and that YAML reads as a number or a date."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any, cast

from msgspec import structs
from pydantic import BaseModel, TypeAdapter, ValidationError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pydantic_core import ErrorDetails

    from components.model.findings import Finding
    from components.model.places import Key

    Models = Sequence[type[BaseModel]]
    Written = Callable[[Sequence[Key]], str | None]
    """From the keys of a value to how the file writes it; None where it is not a single value without quotes."""


def refusal(detail: ErrorDetails) -> tuple[str, str]:
    """The two texts about a value that a kind of text refuses: what is wrong, and what would be valid."""
    says, remedy = cast("ValueError", detail.get("ctx", {})["error"]).args
    return str(says), str(remedy)


def as_written(finding: Finding, detail: ErrorDetails, models: Models, written: Written) -> Finding:
    """The finding, where text belongs and YAML reads a number or a date, with the text that the file writes."""
    value: object = detail["input"]
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    misread = is_number if detail["type"] == "string_type" else isinstance(value, str)
    if detail["type"] not in ("string_type", "value_error") or not misread:
        return finding
    found = written(finding.place.keys)
    source = (json.dumps(value) if is_number else value) if found is None else found
    if source == value:
        return finding
    says = finding.says
    if source != json.dumps(value):
        kind = f"the number {json.dumps(value)}" if is_number else "a date"
        says = f"{source} without quotes is {kind}; text belongs here."
    refused = _remedy(str(source), finding.place.keys[-1], models)
    remedy = f"Write it in quotes: {json.dumps(source)}." if refused is None else refused
    return structs.replace(finding, says=says, remedy=remedy)


def _remedy(text: str, key: Key, models: Models) -> str | None:
    """The value that would be valid behind the key, where the text would not be."""
    for field in (each.model_fields[key] for each in models if isinstance(key, str) and key in each.model_fields):
        kind: Any = field.annotation
        for more in field.metadata:
            kind = Annotated[kind, more]
        try:
            TypeAdapter[Any](kind).validate_python(text)
        except ValidationError as error:
            wrong = error.errors(include_url=False)[0]
            return refusal(wrong)[1] if wrong["type"] == "value_error" else None
    return None
