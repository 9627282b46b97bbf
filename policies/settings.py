"""The settings of a pack by the owners of an environment: levels by rule, and the parameters of rules.

All of it is the configuration of one policy, because the engine gives a policy nothing but its own. The parameters and
their defaults are the fields of `Settings`; here they become the schema by which the engine checks a configuration
file, and are read back from it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from components.model.facts import tpu
from components.model.findings import Severity, did_you_mean, listing
from policies.names import ADVICE, SETTINGS
from policies.objects.judging import Settings

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from components.model.rule import About

_DEFAULTS: Final[dict[str, Any]] = {name: getattr(Settings(), name) for name in Settings.__struct_fields__}
LEVELS: Final = "levels"
"""The key of the levels by rule, beside the fields of `Settings`."""
ADVISORY: Final = "advisory"
MANDATORY: Final = "mandatory"
DISABLED: Final = "disabled"
REMEDIATE: Final = "remediate"
"""The engine's levels. A finding at `remediate` is what its remedy could not correct, and is mandatory."""
_LEVELS: Final = {Severity.ERROR: MANDATORY, Severity.WARNING: ADVISORY, Severity.ADVICE: DISABLED}
"""Levels by severity, where a configuration states none."""


def schema() -> dict[str, dict[str, Any]]:
    """The JSON schema of each key; what is left out takes its default, which allows everything."""
    level = {"type": "string", "enum": [ADVISORY, MANDATORY, REMEDIATE, DISABLED]}
    levels = {"type": "object", "additionalProperties": level, "default": {}}
    return {**{name: _schema_of(default) for name, default in _DEFAULTS.items()}, LEVELS: levels}


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


def delivered_levels(rules: Iterable[About]) -> dict[str, str]:
    """The level of the findings of each rule as it is delivered, by the key that a configuration sets it by."""
    return {key_of(rule, severity): _LEVELS[severity] for rule in rules for severity in rule.severities}


def key_of(rule: About, severity: Severity) -> str:
    """The key that sets the level of these findings; a rule that also warns has a second key for its warnings."""
    return f"{rule.id}{ADVICE}" if severity is not rule.severity else rule.id


def stated_levels(config: Mapping[str, Any]) -> Mapping[str, str]:
    """The levels that a configuration states, by their keys."""
    return config.get(LEVELS, {})


def complaints(config: Mapping[str, Any], known: Collection[str], fixed: Collection[str]) -> Iterator[str]:
    """The faults of a configuration although it fits the schema, each with what would be right.

    Args:
        config: the configuration of the policy `SETTINGS`.
        known: the keys by which levels of the pack can be set.
        fixed: those that can be `remediate`.
    """
    keys = (*_DEFAULTS, LEVELS)
    for key in config:
        if key not in keys:
            yield f"{key}: there is no such setting. {did_you_mean(key, keys)}Settings: {listing(keys)}."
    generations = [generation.id for generation in tpu.GENERATIONS]
    for name in settings_from(config).generations:
        if name not in generations:
            meant = did_you_mean(name, generations)
            yield f"generations: there is no {name}. {meant}Generations: {listing(generations)}."
    for key, level in stated_levels(config).items():
        if key not in known:
            yield f"levels: this pack has no rule {key}. {did_you_mean(key, known)}docs/rules.md lists all rules."
        elif level == REMEDIATE and key not in fixed:
            yield f"levels: {key} has no remedy. Set mandatory. Rules with a remedy: {listing(sorted(fixed))}."


def outdated(key: str) -> str:
    """The error for a level that is set by policy name, as in earlier releases."""
    return f'{key}: a level is set by rule, as in {{"{SETTINGS}": {{"{LEVELS}": {{"{key}": "{ADVISORY}"}}}}}}.'
