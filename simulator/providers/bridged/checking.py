"""The check of inputs: which are refused before anything is planned, and which values are filled in.

Refused are properties that the real provider does not have, values of another type, missing required ones, values
outside a fixed choice or pattern, properties that exclude each other, and properties and values that the real provider
has but the stand-in does not model: these last ones must not pass, because they would have no effect. Filled in are the
provider's defaults and a generated name; a default is left out where a property is set that excludes it. The names of
those are recorded under `__defaults` beside them, in every object, as the real providers do.
"""

from __future__ import annotations

import difflib
import hashlib
import re
import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from simulator.cloud.schema import Container, Package, Property, ResourceSchema, Shape
from simulator.providers.base import Failure, Request
from simulator.providers.bridged.fields import Field, excluding
from simulator.providers.bridged.planning import DEFAULTS_KEY
from simulator.providers.differences import member
from simulator.providers.values import Properties, Unknown, Value

if TYPE_CHECKING:
    from collections.abc import Mapping

_HEX_DIGITS: Final = 7
"""Random digits of a generated name."""
_PYTHON_TYPES: Final[dict[Shape, tuple[type, ...]]] = {
    Shape.STRING: (str,),
    Shape.INTEGER: (int,),
    Shape.NUMBER: (int, float),
    Shape.BOOLEAN: (bool,),
    Shape.OBJECT: (dict,),
}


@dataclass
class Checker:
    """One check of the inputs of one resource; the failures gather in `failures`."""

    package: Package
    request: Request
    version: str
    """The version of the official plugin, for the messages."""
    failures: list[Failure] = field(default_factory=list[Failure])
    _given: Properties = field(default_factory=dict[str, "Value"])
    """The inputs of the whole resource."""

    def inputs(self, schema: ResourceSchema, fields: Mapping[str, Field], given: Properties) -> Properties:
        """`given` with values of the right type and the defaults filled in; reasons to refuse go to `failures`."""
        self._given = given
        return self._object(schema.inputs, fields, given, "")

    def fail(self, path: str, reason: str) -> None:
        """Note one reason to refuse."""
        self.failures.append(Failure(path, reason))

    def _object(
        self, properties: Mapping[str, Property], fields: Mapping[str, Field], given: Properties, path: str
    ) -> Properties:
        checked: Properties = {}
        for name, value in given.items():
            if name == DEFAULTS_KEY or value is None:
                continue
            here = member(path, name)
            if self._is_known(properties, fields, name, here):
                checked[name] = self._value(properties[name], fields[name], value, here)
                self._hold_apart(fields[name], name, here)
        for name, prop in properties.items():
            if prop.is_required and given.get(name) is None:
                self.fail(member(path, name), self._missing(name, member(path, name)))
        filled = {name: item.default for name, item in fields.items() if item.default is not None}
        missing = [name for name in sorted(filled.keys() - checked.keys()) if not excluding(fields[name], self._given)]
        return {**checked, **{name: filled[name] for name in missing}, DEFAULTS_KEY: list[Any](missing)}

    def _hold_apart(self, field: Field, name: str, path: str) -> None:
        for other in excluding(field, self._given):
            self.fail(
                path,
                f'Conflicting configuration arguments. "{name}": conflicts with {other}. '
                f"Examine values at '{self.request.name}.{path}'.",
            )

    def _is_known(self, properties: Mapping[str, Property], fields: Mapping[str, Field], name: str, path: str) -> bool:
        if name not in properties:
            near = difflib.get_close_matches(name, properties, n=1)
            hint = f" Did you mean {near[0]}?" if near else ""
            self.fail(path, f"Invalid or unknown key: {self._official} has no property {path!r}.{hint}")
        elif name not in fields:
            self.fail(
                path,
                f'stand-in provider: {self.request.type} has property "{path}" that the simulator does not model. '
                "It refuses rather than ignores; see simulator/__init__.py.",
            )
        elif fields[name].computed:
            self.fail(path, f"{path} is decided by the cloud and cannot be set.")
        return name in fields and name in properties

    def _value(self, prop: Property, field: Field, value: Value, path: str) -> Value:
        if isinstance(value, Unknown):
            return value
        match prop.container:
            case Container.LIST if isinstance(value, list):
                return [self._item(prop, field, item, f"{path}[{index}]") for index, item in enumerate(value)]
            case Container.MAP if isinstance(value, dict):
                pairs = ((key, item) for key, item in value.items() if key != DEFAULTS_KEY)
                return {key: self._item(prop, field, item, member(path, key)) for key, item in pairs}
            case Container.ONE:
                return self._item(prop, field, value, path)
            case _:
                self.fail(path, f"{path}: expected {prop.text}, got {_described(value)}.")
                return value

    def _item(self, prop: Property, field: Field, value: Value, path: str) -> Value:
        if isinstance(value, Unknown):
            return value
        converted = _coerced(prop.shape, value)
        if not _is_of(prop.shape, converted):
            self.fail(path, f"{path}: expected {prop.shape.value}, got {_described(value)}.")
            return value
        if isinstance(converted, dict) and prop.type_name is not None:
            return self._object(self.package.type(prop.type_name), field.fields, converted, path)
        self._hold_against(field, converted, path)
        return converted

    def _hold_against(self, field: Field, value: Value, path: str) -> None:
        """Note a value outside the choices or the pattern of its property."""
        if value in field.beyond:
            self.fail(
                path,
                f'stand-in provider: {self.request.type} has the value "{value}" of "{path}", which the simulator does '
                "not model. It refuses rather than ignores; see simulator/__init__.py.",
            )
        elif field.choices and value not in field.choices:
            allowed = " ".join(f'"{choice}"' for choice in (*field.choices, *field.beyond))
            self.fail(path, f"expected {path} to be one of [{allowed}], got {value}.")
        if field.pattern and isinstance(value, str) and re.match(field.pattern, value) is None:
            self.fail(path, f'"{path}" ("{value}") doesn\'t match regexp "{field.pattern}"')

    def _missing(self, name: str, path: str) -> str:
        return (
            f'Missing required argument. The argument "{name}" is required, but no definition was found. '
            f"Examine values at '{self.request.name}.{path}'."
        )

    @property
    def _official(self) -> str:
        return f"{self.package.name} {self.version}"


def with_generated_name(name: str, request: Request) -> tuple[Properties, bool]:
    """The new inputs with the property `name`, and whether its value is not the program's own.

    A generated name is the logical name and seven hexadecimal digits. A resource keeps its name, generated or not, when
    the program no longer gives one.
    """
    given = request.new
    if given.get(name) is not None:
        return given, False
    if request.old.get(name) is not None:
        return {**given, name: request.old[name]}, True
    digest = hashlib.sha256(request.seed).hexdigest() if request.seed else secrets.token_hex(_HEX_DIGITS)
    return {**given, name: f"{request.name.lower()}-{digest[:_HEX_DIGITS]}"}, True


def _coerced(shape: Shape, value: Value) -> Value:
    """`value` in the type that the real providers convert it to, when they do."""
    if shape is Shape.STRING and isinstance(value, bool):
        return "true" if value else "false"
    if shape is Shape.STRING and isinstance(value, int | float):
        return str(value)
    if shape is Shape.BOOLEAN and value in ("true", "false"):
        return value == "true"
    if shape is Shape.INTEGER and isinstance(value, str) and value.removeprefix("-").isdecimal():
        return int(value)
    return value


def _is_of(shape: Shape, value: Value) -> bool:
    if isinstance(value, bool):
        return shape is Shape.BOOLEAN
    return isinstance(value, _PYTHON_TYPES[shape])


def _described(value: Value) -> str:
    match value:
        case bool():
            return f"the boolean {str(value).lower()}"
        case int() | float():
            return f"the number {value}"
        case str():
            return f'the string "{value}"'
        case list():
            return "a list"
        case _:
            return "an object"
