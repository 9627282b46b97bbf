"""The policy settings of an environment, as the configuration of one policy in each pack.

The fields and their defaults are those of `Settings`; here they become the schema by which the engine checks a
configuration file, and are read back from it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from components.model.facts import tpu
from components.model.findings import did_you_mean, listing
from policies.objects.judging import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_DEFAULTS: Final[dict[str, Any]] = {name: getattr(Settings(), name) for name in Settings.__struct_fields__}


def schema() -> dict[str, dict[str, Any]]:
    """The JSON schema of each field; what is left out takes its default, which allows everything."""
    return {name: _schema_of(default) for name, default in _DEFAULTS.items()}


def _schema_of(default: object) -> dict[str, Any]:
    match default:
        case bool():
            return {"type": "boolean", "default": default}
        case tuple():
            return {"type": "array", "items": {"type": "string"}, "default": []}
        case None:
            return {"type": "integer", "minimum": 0}
        case dict():
            return {"type": "object", "additionalProperties": {"type": "integer", "minimum": 0}, "default": {}}
        case _:
            raise TypeError(f"no schema is known for a setting like {default!r}")


def settings_from(config: Mapping[str, Any]) -> Settings:
    """The settings that a configuration states; the engine has checked it by the schema, except for unknown keys."""
    return Settings(**{name: _value_of(_DEFAULTS[name], config[name]) for name in _DEFAULTS if name in config})


def _value_of(default: object, stated: Any) -> Any:  # noqa: ANN401  by its schema
    """A stated value in the field's own type: the engine hands numbers over as floats and lists as lists."""
    match default:
        case tuple():
            return tuple(cast("list[str]", stated))
        case None:
            return int(stated)
        case dict():
            return {key: int(each) for key, each in cast("dict[str, float]", stated).items()}
        case _:
            return stated


def complaints(config: Mapping[str, Any]) -> Iterator[str]:
    """What is wrong with a configuration although it fits the schema, each with what would be right."""
    for key in config:
        if key not in _DEFAULTS:
            yield f"{key}: there is no such setting. {did_you_mean(key, _DEFAULTS)}Settings: {listing(_DEFAULTS)}."
    known = [generation.id for generation in tpu.GENERATIONS]
    for name in settings_from(config).generations:
        if name not in known:
            yield f"generations: there is no {name}. {did_you_mean(name, known)}Generations: {listing(known)}."
