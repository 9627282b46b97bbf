"""The inputs of a resource that was read: what the program would have to say for it to be as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from simulator.providers.bridged.planning import DEFAULTS_KEY, same

if TYPE_CHECKING:
    from collections.abc import Mapping

    from simulator.providers.bridged.fields import Field
    from simulator.providers.values import Properties, Value


def refreshed_inputs(fields: Mapping[str, Field], inputs: Properties, outputs: Properties) -> Properties:
    """The recorded inputs with the values that the resource has now; a property that it lost is gone from them."""
    fresh: Properties = {}
    for name, value in inputs.items():
        field = fields.get(name)
        if field is not None and outputs.get(name) is not None:
            fresh[name] = _refreshed(field, value, outputs[name])
        elif field is None or field.local or value in ("", 0, False, [], {}):
            fresh[name] = value
    return fresh


def imported_inputs(fields: Mapping[str, Field], outputs: Properties) -> Properties:
    """Every input that says something, of a resource that is taken over; defaults are marked as filled in."""
    inputs: Properties = {}
    defaults: list[Any] = []
    for name, field in fields.items():
        value = outputs.get(name)
        if field.default is not None and (field.local or value == field.default):
            inputs[name] = field.default
            defaults.append(name)
        elif not field.computed and value not in (None, "", 0, False, [], {}):
            inputs[name] = _imported(field, value)
    return {**inputs, DEFAULTS_KEY: sorted(defaults)}


def _refreshed(field: Field, value: Value, now: Value) -> Value:
    if field.fields and isinstance(value, dict) and isinstance(now, dict):
        return refreshed_inputs(field.fields, value, now)
    if field.fields and isinstance(now, list):
        before = value if isinstance(value, list) else []
        return [
            _refreshed(field, before[index], item) if index < len(before) else _imported(field, item)
            for index, item in enumerate(now)
        ]
    return value if same(field, value, now) else now


def _imported(field: Field, value: Value) -> Value:
    if not field.fields:
        return value
    if isinstance(value, list):
        return [_imported(field, item) for item in value]
    return imported_inputs(field.fields, value) if isinstance(value, dict) else value
