"""The inputs of a resource that was read: those of a program that would make the same resource."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from simulator.providers.bridged.fields import Compare, Field, excluding
from simulator.providers.bridged.planning import DEFAULTS_KEY, plain, same

if TYPE_CHECKING:
    from collections.abc import Mapping

    from simulator.cloud.schema import Package, Property
    from simulator.providers.values import Properties, Value


def refreshed_inputs(fields: Mapping[str, Field], inputs: Properties, outputs: Properties) -> Properties:
    """The recorded inputs with the values that the resource has now; a property that it lost is gone from them."""
    fresh: Properties = {}
    for name, value in inputs.items():
        field = fields.get(name)
        if field is not None and outputs.get(name) is not None:
            fresh[name] = _refreshed(field, value, outputs[name])
        elif field is None or field.local or _says_nothing(value):
            fresh[name] = value
    return fresh


class Importer:
    """Inputs of resources of one package that are imported."""

    def __init__(self, package: Package) -> None:
        self._package = package

    def inputs(
        self, properties: Mapping[str, Property], fields: Mapping[str, Field], outputs: Properties
    ) -> Properties:
        """Every input that is required or has a meaning; defaults are marked as filled in.

        Inputs that the check would refuse beside another property are left out.
        """
        return self._members(properties, fields, outputs, outputs)

    def _members(
        self, properties: Mapping[str, Property], fields: Mapping[str, Field], outputs: Properties, whole: Properties
    ) -> Properties:
        inputs: Properties = {}
        defaults: list[Any] = []
        for name, field in fields.items():
            value = outputs.get(name)
            if excluding(field, whole):
                continue
            if field.default is not None and (field.local or value == field.default):
                inputs[name] = field.default
                defaults.append(name)
            elif value is not None and not field.computed and _matters(properties[name], field, value):
                inputs[name] = self._value(properties[name], field, value, whole)
        return {**inputs, DEFAULTS_KEY: sorted(defaults)}

    def _value(self, prop: Property, field: Field, value: Value, whole: Properties) -> Value:
        if prop.type_name is None:
            return value
        if isinstance(value, list):
            return [self._value(prop, field, item, whole) for item in value]
        inner = self._package.type(prop.type_name)
        return self._members(inner, field.fields, value, whole) if isinstance(value, dict) else value


def _matters(prop: Property, field: Field, value: Value) -> bool:
    return prop.is_required or field.default is not None or not _says_nothing(value)


def _says_nothing(value: Value) -> bool:
    return value in ("", 0, False, [], {})


def _refreshed(field: Field, value: Value, now: Value) -> Value:
    if field.compare is Compare.SET and same(field, plain(value), plain(now)):
        return value  # the cloud has its own order
    if field.fields and isinstance(value, dict) and isinstance(now, dict):
        return refreshed_inputs(field.fields, value, now)
    if field.fields and isinstance(now, list):
        before = value if isinstance(value, list) else []
        pairs = ((before[index] if index < len(before) else item, item) for index, item in enumerate(now))
        return [_refreshed(field, one, item) for one, item in pairs]
    return value if same(field, value, now) else now
