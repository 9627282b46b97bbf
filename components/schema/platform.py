"""The schema of the platform, from what pydantic reads it by."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, cast

from pydantic.json_schema import GenerateJsonSchema

from components.model.config import Platform
from components.model.config.section import Distinct, Section, Variant, Variants, tag
from components.model.config.values import NOT_BLANK, Matching, ParsedBy
from components.schema import catalogue
from components.schema.descriptions import described, in_one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pydantic_core import core_schema

    from components.schema.catalogue import Json

PLATFORM: Final = Platform.__name__
"""Name of the platform's definition."""
SECRET: Final[Json] = {"propertyNames": {"enum": ["secure"]}, "minProperties": 1}
"""The schema of a mapping in the place of text: the engine decrypts it. It says nothing about text.

Stated so that no editor takes it for the usual form.
"""
_REF: Final = "#/definitions/{model}"
_OBJECT: Final = "object"
_NULL: Final = "null"


def definitions() -> Json:
    """The platform and everything in it, by name."""
    top = Platform.model_json_schema(ref_template=_REF, schema_generator=_Generator)
    parts: Json = top.pop("$defs")
    for model, besides in catalogue.BESIDES.items():
        parts[model.__name__].setdefault("allOf", []).extend({"$ref": _REF.format(model=each)} for each in besides)
    return {PLATFORM: top, **parts, **catalogue.definitions()}


def whole(pattern: str) -> str:
    """The pattern, of a schema, that all of a text matches."""
    return f"^(?:{pattern})$"


class _Generator(GenerateJsonSchema):
    """Says what the reader takes, and to people what each key is."""

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ANN401, ARG002  pydantic's
        """Titles say nothing that keys do not."""
        return False

    def sort(self, value: Json, parent_key: str | None = None) -> Json:  # noqa: ARG002  pydantic's
        """In the order of the declarations."""
        return value

    def str_schema(self, schema: core_schema.StringSchema) -> Json:
        """Any text."""
        return {**super().str_schema(schema), "type": ["string", "object"], **SECRET}

    def function_after_schema(self, schema: core_schema.AfterValidatorFunctionSchema) -> Json:
        """A kind of text, or what else is looked at behind its type."""
        check = cast("object", schema["function"]["function"])
        match check:
            case Matching() if check is NOT_BLANK:
                return {**self.generate_inner(schema["schema"]), "pattern": r"\S"}
            case Matching(pattern, _, valid):
                return {"type": "string", "pattern": whole(pattern), "description": valid}
            case ParsedBy(_, _, valid):
                inner = self.generate_inner(schema["schema"])
                pattern = {key: inner[key] for key in ("pattern",) if key in inner}
                return {"type": "string", **pattern, "description": valid}
            case _ if check is Distinct.func:
                return {**self.generate_inner(schema["schema"]), "uniqueItems": True}
            case _:
                return self.generate_inner(schema["schema"])

    def nullable_schema(self, schema: core_schema.NullableSchema) -> Json:
        """A value, or nothing behind its key."""
        inner = self.generate_inner(schema["schema"])
        if "type" not in inner or "if" in inner:
            return {"type": [_OBJECT, _NULL], "if": {"type": _OBJECT}, "then": inner}
        taken = {"enum": [*inner["enum"], None]} if "enum" in inner else {}
        stated: str | list[str] = inner["type"]
        kinds = [stated] if isinstance(stated, str) else stated
        return {**inner, "type": [*kinds, _NULL], **taken}

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> Json:
        """A value that may be left out. What it then is stands in the description: editors would write it out."""
        return self.generate_inner(schema["schema"])

    def dict_schema(self, schema: core_schema.DictSchema) -> Json:
        """A mapping whose keys its writer chooses."""
        keys = self.generate_inner(schema["keys_schema"]) if "keys_schema" in schema else {}
        values = self.generate_inner(schema["values_schema"]) if "values_schema" in schema else {}
        found: Json = {"type": _OBJECT, "additionalProperties": values}
        if "pattern" in keys:
            found["propertyNames"] = {"pattern": keys["pattern"]}
        self.update_with_validations(found, schema, self.ValidationsMapping.object)
        return found

    def tagged_union_schema(self, schema: core_schema.TaggedUnionSchema) -> Json:
        """One of several sections, distinguished as the reader does it."""
        discriminator = cast("Variants", schema["discriminator"])
        variants = discriminator.variants
        refs = [self.generate_inner(schema["choices"][tag(each.model)]) for each in variants]
        mapping: Json = {"type": _OBJECT, **_shown(variants), **_chosen(variants, refs)}
        if not discriminator.takes_text:
            return mapping
        return {"type": ["string", _OBJECT], "if": {"type": _OBJECT}, "then": mapping}

    def model_schema(self, schema: core_schema.ModelSchema) -> Json:
        """A section."""
        model = cast("type[Section]", schema["cls"])
        found = super().model_schema(schema)
        found.pop("title", None)
        found["description"] = in_one_line(cast("str", model.__doc__))
        for name, field in model.model_fields.items():
            key = field.alias or name
            found["properties"][key] = _field(found["properties"][key], model, name)
        exclusive = [*map(_exactly_one, model.exactly_one), *map(_at_most_one, model.at_most_one)]
        return {**found, "allOf": exclusive} if exclusive else found


def _field(found: Json, model: type[Section], name: str) -> Json:
    """The schema of a field, with what it is and what the catalogue knows of it."""
    parts = [described(model, name), found.get("description"), _otherwise(model, name)]
    said = " ".join(part for part in parts if part is not None)
    found = {**found, "description": said, **catalogue.VALUES.get((model, name), {})}
    keys = catalogue.KEYS.get((model, name))
    return found if keys is None else {**found, "propertyNames": {"enum": list(keys)}}


def _otherwise(model: type[Section], name: str) -> str | None:
    """The default of a field, if that is one word."""
    default: object = model.model_fields[name].get_default()
    return f"Default: {json.dumps(default)}." if isinstance(default, (str, int, float)) else None


def _exactly_one(keys: Sequence[str]) -> Json:
    return {"oneOf": [_given(key) for key in keys]}


def _at_most_one(keys: Sequence[str]) -> Json:
    return {"not": {"allOf": [_given(key) for key in keys]}}


def _given(key: str) -> Json:
    """Whether there is a value behind a key; said by what is not, as editors suggest what is."""
    return {"required": [key], "not": {"required": [key], "properties": {key: {"type": _NULL}}}}


# --- variants


def _shown(variants: Sequence[Variant]) -> Json:
    """The suggestions of an editor where the mapping does not show yet which variant it is."""
    keys = {key: described(each.model, key) for each in variants if each.value is None for key in each.keys}
    suggested: Json = {"properties": {key: {"description": said} for key, said in keys.items()}}
    if any(not each.keys for each in variants):
        return suggested
    return {**suggested, "anyOf": [{"required": [key]} for key in keys]} if keys else _told_apart(variants)


def _told_apart(variants: Sequence[Variant]) -> Json:
    """The key whose value tells all variants apart."""
    (key,) = {key for each in variants for key in each.keys}
    said = " ".join(f"{each.value}: {described(each.model, key)}" for each in variants)
    kinds: Json = {"description": said, "enum": [each.value for each in variants]}
    return {"properties": {key: kinds}, "required": [key]}


def _chosen(variants: Sequence[Variant], refs: Sequence[Json]) -> Json:
    """The first variant that is shown, as the reader tries them."""
    first, *others = variants
    if not first.keys:
        return refs[0]
    chosen: Json = {"if": _condition(first), "then": refs[0]}
    otherwise = _chosen(others, refs[1:]) if others else {}
    return {**chosen, "else": otherwise} if otherwise else chosen


def _condition(variant: Variant) -> Json:
    """Whether a value is a mapping that shows that it is of the variant."""
    if variant.value is not None:
        (key,) = variant.keys
        return {"type": _OBJECT, "properties": {key: {"const": variant.value}}, "required": [key]}
    stated: list[Json] = [{"required": [key]} for key in variant.keys]
    return {"type": _OBJECT, **(stated[0] if len(stated) == 1 else {"anyOf": stated})}
