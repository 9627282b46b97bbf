"""The package's schema, made of the classes of `components/model/config/` and of the inputs beside them.

A component's schema has no unions, and no enumeration of strings. So the variants of a section become one type with the
keys of all, and descriptions list the valid values. An input is "plain": a value, never the output of a resource.

Source: Pulumi's documentation "Pulumi package schema", read 2026-11.
"""

from __future__ import annotations

import json
import re
from types import MappingProxyType, NoneType
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, NamedTuple, get_args, get_origin

from pydantic import Discriminator
from pydantic.alias_generators import to_camel

from components.model import config
from components.model.config import Section
from components.model.config.section import Variant, Variants
from components.model.findings import listing
from components.schema.descriptions import described, docstrings, in_one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import pulumi

Json = dict[str, Any]
Model = type[Section]

_WORDS: Final[Mapping[object, str]] = {str: "string", int: "integer", float: "number", bool: "boolean"}
_LANGUAGES: Final = ("nodejs", "python", "csharp", "java", "go")
_KEY: Final = re.compile(r"`([a-z]+(?:_[a-z]+)+)`")
"""A key of a stack file in a description."""
_NONE: Final[Mapping[str, str]] = MappingProxyType({})
_TEXT: Final[Json] = {
    "description": "The value itself; leave it out if one of the other properties says where the value is.",
    "type": "string",
    "plain": True,
}
"""The property `value`, for what is text or a mapping in a stack file."""
_NAMES: Final[Mapping[Model, str]] = {
    config.TpuSlices: "SliceGroup",
    config.ResourcesShare: "Share",
    config.ClaimMount: "Mount",
    config.SecretKey: "Variable",
}
"""Types that have another name than their class, or than the first class of their variants."""
_LEFT_OUT: Final[Mapping[Model, frozenset[str]]] = {
    config.AdmissionCheck: frozenset({"provisioning"}),
    config.JobSet: frozenset({"kind", "maxtext", "compute_class", "replicated_jobs", "depends_on"}),
    config.SecretManagerMount: frozenset({"secret_manager", "version"}),
}
"""Keys that a component does not take."""
_REQUIRED: Final[Mapping[tuple[Model, str], bool]] = {(config.JobSet, "queue"): True, (config.JobSet, "name"): False}
"""Where a component requires a key that a stack file does not, and the other way around."""
_SAYS: Final[Mapping[str, str]] = {
    "Flavor": "Interchangeable slices, as queues count them, or ordinary resources: a ResourceFlavor.",
    "Mount": "A volume as a folder of a container; the namespace has it, and the component makes nothing of it.",
    "Mount.bucket": "Name of a bucket; the service account of the pods must have access to it.",
    "Mount.checkpoints": "`true` mounts the memory of the host that multi-tier checkpointing looks after.",
    "Mount.read_only": "The container cannot write to the folder.",
    "Mount.sub_path": "A folder inside a claim, an empty folder, a Secret or a ConfigMap.",
    "JobSet.env": "Environment variables of the container.",
    "JobSet.name": "Name of the JobSet in Kubernetes; by default the component's.",
    "JobSet.namespace": "The namespace of its pods, which must exist.",
    "JobSet.queue": "A LocalQueue of the namespace.",
    "Share": "A queue's quota of a flavor.",
    "Share.name": "Name of the flavor.",
    "Sidecar.env": "Environment variables of the container.",
    "Variable": "The value of an environment variable, or where it is.",
    "Variable.key": "The key of the value in the Secret or the ConfigMap.",
}
"""Descriptions of types and of their keys, where those of the stack file are not true of a component."""


class Component(NamedTuple):
    """A component as the schema describes it."""

    made: type[pulumi.ComponentResource]
    inputs: tuple[Model, ...]
    """Sections that have its inputs."""
    from_others: tuple[str, ...] = ()
    """Inputs that are outputs of another component: typed languages do not accept outputs as plain values."""


def schema_of(package: str, version: str, components: Iterable[Component]) -> Json:
    """The schema of a package of these components.

    Raises:
        LookupError: no docstring describes an input.
    """
    types = _Types(package)
    resources = {f"{package}:index:{each.made.__name__}": _resource(each, types) for each in components}
    return {
        "name": package,
        "version": version,
        "displayName": package,
        "language": {each: {"respectSchemaVersion": True} for each in _LANGUAGES},
        "resources": resources,
        "types": types.specs,
        "dependencies": [],
    }


def _resource(component: Component, types: _Types) -> Json:
    made = component.made
    inputs: Json = {}
    required: set[str] = set()
    for model in component.inputs:
        properties, needed = types.properties(made.__name__, model)
        inputs |= properties
        required |= needed
    for name in component.from_others:
        del inputs[name]["plain"]
    outputs = {
        to_camel(name): {"description": says, **types.value(made.__annotations__[name])}
        for name, says in docstrings(made).items()
    }
    return {
        "isComponent": True,
        "description": in_one_line(made.__doc__ or ""),
        "type": "object",
        "inputProperties": inputs,
        "requiredInputs": sorted(required),
        "properties": outputs,
        "required": sorted(outputs),
    }


class _Types:
    """The types of the schema, each described when it is first referred to."""

    def __init__(self, package: str) -> None:
        self._package = package
        self.specs: Json = {}
        """By token."""

    def value(self, annotation: Any, **flags: bool) -> Json:  # noqa: ANN401  a type
        """The schema of a value; the flags are also those of what it contains."""
        origin, arguments = get_origin(annotation), get_args(annotation)
        if origin is Annotated:
            return self._annotated(*arguments, flags=flags)
        if origin is Literal:
            return {"type": _WORDS[type(arguments[0])], **flags}
        if origin in (list, tuple):
            return {"type": "array", "items": self.value(arguments[0], **flags), **flags}
        if origin is dict:
            return {"type": "object", "additionalProperties": self.value(arguments[1], **flags), **flags}
        if origin is not None:
            (one,) = (each for each in arguments if each is not NoneType)
            return self.value(one, **flags)
        if issubclass(annotation, Section):
            return {**self._type(Variant(annotation)), **flags}
        return {"type": _WORDS[annotation], **flags}

    def _annotated(self, annotation: object, *metadata: object, flags: dict[str, bool]) -> Json:
        mark = metadata[0]
        variants: object = mark.discriminator if isinstance(mark, Discriminator) else None
        if isinstance(variants, Variants):
            return {**self._type(*variants.variants, takes_text=variants.takes_text), **flags}
        if isinstance(mark, type) and issubclass(mark, Section):
            return {**self._type(Variant(mark)), **flags}
        return self.value(annotation, **flags)

    def _type(self, *variants: Variant, takes_text: bool = False) -> Json:
        """The reference to the type that has the keys of all variants, and of text if it takes text."""
        first = variants[0].model
        name = _NAMES.get(first, first.__name__)
        token = f"{self._package}:index:{name}"
        if token not in self.specs:
            properties: Json = {"value": _TEXT} if takes_text else {}
            required: set[str] | None = set() if takes_text else None
            for variant in variants:
                found, needed = self.properties(name, variant.model, _prefixes(variant, variants))
                properties |= {key: each for key, each in found.items() if key not in properties}
                required = needed if required is None else required & needed
            says = _SAYS.get(name) or in_one_line(first.__doc__ or "")
            self.specs[token] = {"description": says, "type": "object", "properties": properties}
            self.specs[token] |= {"required": sorted(required)} if required else {}
        return {"$ref": f"#/types/{token}"}

    def properties(self, type_: str, model: Model, prefixes: Mapping[str, str] = _NONE) -> tuple[Json, set[str]]:
        """The properties of a type that a section has, and the names of the required ones."""
        left_out = _LEFT_OUT.get(model, ())
        fields = {name: each for name, each in model.model_fields.items() if name not in left_out}
        properties: Json = {}
        for name, field in fields.items():
            says = _SAYS.get(f"{type_}.{name}") or f"{prefixes.get(name, '')}{_described(model, name)}"
            in_camel_case = _KEY.sub(lambda found: f"`{to_camel(found[1])}`", says)
            properties[to_camel(name)] = {
                "description": in_camel_case,
                **self.value(field.annotation, plain=True),
            }
        needed = (name for name, each in fields.items() if _REQUIRED.get((model, name), each.is_required()))
        return properties, {to_camel(name) for name in needed}


def _prefixes(variant: Variant, variants: Sequence[Variant]) -> dict[str, str]:
    """What to write before the descriptions of keys that only some variants have: the key that shows the variant."""
    common = set[str].intersection(*(set(each.model.model_fields) for each in variants))
    others = variant.model.model_fields.keys() - common - {*variant.keys}
    return dict.fromkeys(others, f"With `{variant.keys[0]}`: ") if variant.keys else {}


def _described(model: Model, name: str) -> str:
    """What a key is, with its valid values and its default."""
    field = model.model_fields[name]
    default: object = field.get_default()
    sentences = [described(model, name)]
    values = [f"`{each}`" for each in _values(field.annotation)]
    if values:
        sentences.append(f"{'Only' if len(values) == 1 else 'One of'} {listing(values, 'or')}.")
    if isinstance(default, (str, int, float)):
        sentences.append(f"Default: {default if isinstance(default, str) else json.dumps(default)}.")
    return " ".join(sentences)


def _values(annotation: object) -> list[str]:
    """The texts that a value may be, or each value of a list, if only some."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return [each for each in arguments if isinstance(each, str)]
    if origin in (Annotated, tuple) or NoneType in arguments:
        return [value for each in arguments for value in _values(each)]
    return []
