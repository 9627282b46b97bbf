"""Findings, in our words, about the shape of a configuration as pydantic sees it."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Annotated, Any, Final, cast, get_args, get_origin

from msgspec import structs
from pydantic import BaseModel, TypeAdapter, ValidationError

from components.model.config.section import VARIANT_MARK, Section
from components.model.facts import failures
from components.model.findings import Finding, did_you_mean, listing, nearest
from components.model.places import Key, Place

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pydantic.fields import FieldInfo
    from pydantic_core import ErrorDetails

    Loc = tuple[Key, ...]
    Models = Sequence[type[BaseModel]]
    Written = Callable[[Sequence[Key]], str | None]
    """From the keys of a value to how the file writes it; None where it is not a single value without quotes."""
    Explain = Callable[[ErrorDetails, Models], tuple[str, str]]
    """From an error and the models that belong there to what is wrong and what would be valid."""

_RULE: Final = "stack-file-shape"
_SOURCE: Final = "components/model/config/"
KEY_MARK: Final = "[key]"
"""The end of pydantic's path when a key of a free mapping is wrong rather than its value."""
_BELONGS: Final = {
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "string_type": "text",
    "bool_type": "true or false",
    "tuple_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
    "float_type": "a number",
}
"""The value that belongs where pydantic found one of another type."""
_BOUNDS: Final = {
    "greater_than_equal": ("ge", "{} or more"),
    "less_than_equal": ("le", "{} or less"),
    "less_than": ("lt", "a number below {}"),
}
"""Key of the bound in the error's context, and how it reads."""
_NO_VARIANT: Final = ("union_tag_invalid", "union_tag_not_found")
_GATED: Final = "JobSet has it behind a feature gate, which its chart has no value for. "
_KIND: Final = "kind"
"""The key that shows the variant if the other keys do not."""


def _unwritten(_keys: Sequence[Key]) -> None:
    """Where no file is at hand."""


def shape_findings(error: ValidationError, model: type[BaseModel], written: Written = _unwritten) -> list[Finding]:
    """A finding per wrong value, and one per mapping that lacks keys, however many it lacks."""
    details = error.errors(include_url=False)
    lacking: dict[Loc, list[str]] = {}
    for detail in details:
        if detail["type"] == "missing":
            lacking.setdefault(detail["loc"][:-1], []).append(str(detail["loc"][-1]))
    for detail in details:
        if detail["type"] == "extra_forbidden":
            _forget_misspelt(str(detail["loc"][-1]), lacking.get(detail["loc"][:-1], []))
    missing = [_lacks(loc, keys, model) for loc, keys in lacking.items() if keys]
    return missing + [_wrong(d, model, written) for d in details if d["type"] != "missing" and not _only_follows(d)]


def _forget_misspelt(unknown: str, lacking: list[str]) -> None:
    """Takes the key that an unknown one was meant to be off the list of those that are missing."""
    meant = nearest(unknown, lacking)
    if meant is not None:
        lacking.remove(meant)


def _only_follows(detail: ErrorDetails) -> bool:
    """Whether a list counts as too short only because its items are wrong."""
    return detail["type"] == "too_short" and bool(detail["input"])


def _lacks(loc: Loc, keys: Sequence[str], model: type[BaseModel]) -> Finding:
    subject = f"the key {keys[0]} is" if len(keys) == 1 else f"the keys {listing(keys)} are"
    return _finding(loc, f"{subject} missing.", _known_keys(_models_at(loc, model)), is_about_key=True)


def _wrong(detail: ErrorDetails, model: type[BaseModel], written: Written) -> Finding:
    loc, kind = detail["loc"], detail["type"]
    if kind == "extra_forbidden":
        models, key = _models_at(loc[:-1], model), str(loc[-1])
        says, instead = _of_other_kinds(key, models, _variants_at(loc[:-1], model))
        remedy = did_you_mean(key, _fields(models)) + instead + _known_keys(models)
        return _finding(loc, says, remedy, is_about_key=True)
    if kind in _NO_VARIANT:
        return _of_no_variant(detail, _models_at(loc, model))
    says, remedy = _EXPLAIN.get(kind, _other)(detail, _models_at(loc, model))
    finding = _finding(loc, says, remedy, is_about_key=False)
    return finding if finding.is_about_key else _as_written(finding, detail, _models_at(loc[:-1], model), written)


def _of_other_kinds(key: str, models: Models, variants: Models) -> tuple[str, str]:
    """The remedy for an unknown key that other kinds have, and what does the same here, if anything."""
    others = [kind for each in variants if key in _fields([each]) for kind in _kinds_of(each)]
    own = [kind for each in models for kind in _kinds_of(each)]
    if not (others and own):
        return "unknown key.", ""
    instead = [each.instead[key] for each in models if issubclass(each, Section) and key in each.instead]
    who = f"kind {others[0]} has" if len(others) == 1 else f"kinds {listing(others)} have"
    says = f"unknown key of kind {listing(own)}; {who} it."
    return says, "".join(f"{text} " for text in instead)


def _of_no_variant(detail: ErrorDetails, models: Models) -> Finding:
    """The value is of none of the variants that belong there."""
    loc, kinds = detail["loc"], [kind for model in models for kind in _kinds_of(model)]
    found: object = detail["input"]
    keys = [] if kinds else _telling_keys(models)
    if not isinstance(found, dict):
        remedy = f"It has one of {listing(keys)}." if keys else _kinds(kinds)
        return _finding(loc, f"{_as_found(found)}; a mapping belongs here.", remedy, is_about_key=False)
    if keys:
        near = "".join(did_you_mean(str(key), keys) for key in cast("dict[str, object]", found))
        return _finding(loc, f"it has none of {listing(keys)}.", f"{near}Add one of them.", is_about_key=False)
    kind = cast("dict[str, object]", found).get(_KIND)
    if kind is None:
        return _finding(loc, f"the key {_KIND} is missing.", _kinds(kinds), is_about_key=True)
    says = f"{kind} is not supported here."
    return _finding((*loc, _KIND), says, did_you_mean(str(kind), kinds) + _kinds(kinds), is_about_key=False)


def _telling_keys(models: Models) -> list[str]:
    """The keys that only one of the models has and requires, by which they are distinguished."""
    required = [[name for name, field in _written(each) if field.is_required()] for each in models]
    return [name for names in required for name in names if sum(name in other for other in required) == 1]


def _kinds(kinds: Sequence[str]) -> str:
    return f"Supported: {listing(kinds)}."


def _finding(loc: Loc, says: str, remedy: str, *, is_about_key: bool) -> Finding:
    if loc and loc[-1] == KEY_MARK:
        loc, is_about_key = loc[:-1], True
    return Finding(
        place=Place(tuple(key for key in loc if not str(key).startswith(VARIANT_MARK))),
        says=says,
        remedy=remedy,
        is_about_key=is_about_key,
        rule=_RULE,
        source=_SOURCE,
    )


# --- the models around a place


def _models_at(loc: Loc, model: type[BaseModel]) -> Models:
    """The models that the value at `loc` may be of; none for a single value.

    A key of a mapping whose keys the writer chooses is not a field.
    """
    models: Models = [model]
    is_chosen = False
    for key in loc:
        if str(key).startswith(VARIANT_MARK):
            models = [each for each in models if each.__name__ == str(key).removeprefix(VARIANT_MARK)]
        elif is_chosen:
            is_chosen = False
        elif isinstance(key, str):
            fields = [each.model_fields[key] for each in models if key in each.model_fields]
            is_chosen = any(get_origin(field.annotation) is dict for field in fields)
            models = [found for field in fields for found in _models_in(field.annotation)]
    return models


def _variants_at(loc: Loc, model: type[BaseModel]) -> Models:
    """The models among which the one of the mapping at `loc` was chosen; none where there was no choice."""
    return _models_at(loc[:-1], model) if loc and str(loc[-1]).startswith(VARIANT_MARK) else []


def _kinds_of(model: type[BaseModel]) -> tuple[str, ...]:
    return get_args(model.model_fields[_KIND].annotation) if _KIND in model.model_fields else ()


def _models_in(annotation: object) -> Models:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [found for argument in get_args(annotation) for found in _models_in(argument)]


def _fields(models: Models) -> list[str]:
    return [name for model in models for name, _ in _written(model)]


def _written(model: type[BaseModel]) -> list[tuple[str, FieldInfo]]:
    """The fields of a model by the names that a stack file has for them."""
    return [(field.alias or name, field) for name, field in model.model_fields.items()]


def _known_keys(models: Models) -> str:
    """The keys of a mapping; of one that has variants, those that all of them require, and all others."""
    written = [dict(_written(model)) for model in models]
    names = dict.fromkeys(name for fields in written for name in fields)
    required = [name for name in names if all(name in fields and fields[name].is_required() for fields in written)]
    optional = [name for name in names if name not in required]
    parts = [("Required keys", required), ("optional keys" if required else "Optional keys", optional)]
    return "; ".join(f"{title}: {', '.join(keys)}" for title, keys in parts if keys) + "."


# --- what is wrong with a value, by pydantic's error type


def _of_another_type(detail: ErrorDetails, models: Models) -> tuple[str, str]:
    belongs = _BELONGS[detail["type"]]
    says = f"{_as_found(detail['input'])}; {belongs} belongs here."
    return says, _how_to_write(belongs, detail["input"], models)


def _as_found(value: object) -> str:
    match value:
        case None:
            return "nothing is given"
        case bool():
            return f"{json.dumps(value)} is a boolean"
        case int() | float():
            return f"{json.dumps(value)} is a number"
        case str():
            return f"{json.dumps(value, ensure_ascii=False)} is text"
        case list():
            return "this is a list"
        case _:
            return "this is a mapping"


def _how_to_write(belongs: str, value: object, models: Models) -> str:
    if models and belongs == "a mapping":
        return _known_keys(models)
    if belongs == "a whole number" and isinstance(value, str) and re.fullmatch(r"-?\d+", value):
        return f"Write {value} without quotes."
    if belongs == "text" and isinstance(value, (int, float)):
        return f"Write it in quotes: {json.dumps(json.dumps(value))}."
    if belongs == "a list":
        return "Begin each item with a hyphen, or write [] for none."
    return f"Write {belongs}."


def _of_no_choice(detail: ErrorDetails, _models: Models) -> tuple[str, str]:
    expected, value = str(_context(detail)["expected"]), detail["input"]
    words = re.findall(r"'([^']*)'", expected)
    choices = words or [each.lower() for each in re.split(r", | or ", expected)]
    if isinstance(value, (list, dict)):
        return f"{_as_found(cast('object', value))}; a single value belongs here.", f"Supported: {listing(choices)}."
    found = value if words and isinstance(value, str) else json.dumps(value)
    hint = _GATED if found in failures.GATED else did_you_mean(found, choices)
    return f"{found} is not supported here.", f"{hint}Supported: {listing(choices)}."


def _out_of_bounds(detail: ErrorDetails, _models: Models) -> tuple[str, str]:
    bound, reading = _BOUNDS[detail["type"]]
    limit = reading.format(_context(detail)[bound])
    return f"{detail['input']} is out of range.", f"Write {limit}."


def _too_short(detail: ErrorDetails, models: Models) -> tuple[str, str]:
    kind = "mapping" if isinstance(detail["input"], dict) else "list"
    return f"the {kind} is empty; at least one item belongs here.", _known_keys(
        models
    ) if models else "Name one or more."


def _refused(detail: ErrorDetails, _models: Models) -> tuple[str, str]:
    return _refusal(detail)


def _other(detail: ErrorDetails, _models: Models) -> tuple[str, str]:
    return f"{detail['msg']}.", f"Found: {json.dumps(detail['input'])}."


def _context(detail: ErrorDetails) -> dict[str, object]:
    return detail.get("ctx", {})


_EXPLAIN: Final[dict[str, Explain]] = {
    **dict.fromkeys(_BELONGS, _of_another_type),
    **dict.fromkeys(_BOUNDS, _out_of_bounds),
    "literal_error": _of_no_choice,
    "too_short": _too_short,
    "value_error": _refused,
}


# --- text without quotes that YAML reads as a number or a date


def _refusal(detail: ErrorDetails) -> tuple[str, str]:
    """The two texts about a value that a kind of text refuses: what is wrong, and what would be valid."""
    says, remedy = cast("ValueError", detail.get("ctx", {})["error"]).args
    return str(says), str(remedy)


def _as_written(finding: Finding, detail: ErrorDetails, models: Models, written: Written) -> Finding:
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
    refused = _remedy_of_text(str(source), finding.place.keys[-1], models)
    remedy = f"Write it in quotes: {json.dumps(source)}." if refused is None else refused
    return structs.replace(finding, says=says, remedy=remedy)


def _remedy_of_text(text: str, key: Key, models: Models) -> str | None:
    """The value that would be valid behind the key, where the text would not be."""
    for field in (each.model_fields[key] for each in models if isinstance(key, str) and key in each.model_fields):
        kind: Any = field.annotation
        for more in field.metadata:
            kind = Annotated[kind, more]
        try:
            TypeAdapter[Any](kind).validate_python(text)
        except ValidationError as error:
            wrong = error.errors(include_url=False)[0]
            return _refusal(wrong)[1] if wrong["type"] == "value_error" else None
    return None
