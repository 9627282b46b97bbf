"""The engine's messages, read and written by the schema: names of the schema outside, those of Python inside.

Pulumi's own host of components ignores inputs that the schema does not know, and cannot read a list or a mapping that
another component made. This module reads all inputs, and refuses values that do not fit the schema.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from pulumi.provider.experimental.property_value import PropertyValue, PropertyValueType, PythonValue
from pydantic.alias_generators import to_camel, to_snake

from components.model.findings import Finding, did_you_mean, listing
from components.model.places import Key, Place

RULE: Final = "component-input"
_SOURCE: Final = "components/package/schema.py"
_KINDS: Final = {"object": (PropertyValueType.MAP, "a mapping"), "array": (PropertyValueType.ARRAY, "a list")}


@dataclass(frozen=True, slots=True)
class Shape:
    """The schema of one value."""

    schema: Mapping[str, Any]
    """The whole package's."""
    spec: Mapping[str, Any]
    """The value's own."""

    @property
    def type(self) -> str:
        """The JSON type; the schema has no other types here."""
        return str(self._type.get("type", "object"))

    @property
    def fields(self) -> Mapping[str, Any] | None:
        """The schemas by key of a mapping with known keys; None for any other value."""
        return self._type.get("properties")

    @property
    def required(self) -> Sequence[str]:
        """Keys that a mapping must have."""
        return self._type.get("required", ())

    @property
    def inner(self) -> "Shape":
        """The shape of the elements of a list or of a mapping with free keys."""
        return Shape(self.schema, self.spec["items" if self.type == "array" else "additionalProperties"])

    def of(self, key: str) -> "Shape":
        """The shape of the value of a known key."""
        fields = self.fields
        if fields is None:
            raise KeyError(key)
        return Shape(self.schema, fields[key])

    @property
    def _type(self) -> Mapping[str, Any]:
        ref = self.spec.get("$ref")
        return self.spec if ref is None else self.schema["types"][str(ref).removeprefix("#/types/")]


class Reading:
    """One reading of a component's inputs."""

    def __init__(self) -> None:
        self.findings: list[Finding] = []
        """The values that do not fit the schema."""

    def value(self, given: PropertyValue, shape: Shape, keys: tuple[Key, ...]) -> Any:  # noqa: ANN401  data
        """The value at the path `keys` in Python's names; None when it is null or was refused."""
        wrong = _unfit(given, shape)
        if wrong is not None:
            return self._refuse(keys, *wrong)
        match given.value:
            case Mapping() as items if shape.fields is not None:
                return dict(self._fields(items, shape, keys))
            case Mapping() as items:
                return {key: self.value(item, shape.inner, (*keys, key)) for key, item in items.items()}
            case tuple() as items:
                return [self.value(item, shape.inner, (*keys, index)) for index, item in enumerate(items)]
            case float() as number if number.is_integer():
                return int(number)
            case _:
                return given.value

    def _fields(
        self, given: Mapping[str, PropertyValue], shape: Shape, keys: tuple[Key, ...]
    ) -> Iterator[tuple[str, Any]]:
        known = list(shape.fields or ())
        for key in given:
            if key not in known:
                self._refuse((*keys, key), "unknown input.", f"{did_you_mean(key, known)}There are: {listing(known)}.")
        present = [key for key in known if key in given and given[key].type is not PropertyValueType.NULL]
        missing = [key for key in shape.required if key not in present]
        if missing:
            be = "is" if len(missing) == 1 else "are"
            self._refuse(keys, f"{listing(missing)} {be} missing.", f"Required: {listing(shape.required)}.")
        for key in present:
            yield to_snake(key), self.value(given[key], shape.of(key), (*keys, key))

    def _refuse(self, keys: tuple[Key, ...], says: str, remedy: str) -> None:
        self.findings.append(Finding(place=Place(keys), says=says, remedy=remedy, rule=RULE, source=_SOURCE))


def _unfit(given: PropertyValue, shape: Shape) -> tuple[str, str] | None:
    """The fault of a value itself, not of its elements, and the fix; None for a value that can be read."""
    if given.type is PropertyValueType.COMPUTED:
        return "it is not known before the update.", "Give the value itself: every rule is checked at preview."
    if given.is_secret:
        return "it is a secret, and would be shown in the cluster.", "Give a value that is not secret."
    wanted, belongs = _KINDS.get(shape.type, (given.type, ""))
    if given.type not in (wanted, PropertyValueType.NULL):
        return f"it must be {belongs}.", f"Found: {given.type.value.lower()}."
    return None


def sent(value: object, shape: Shape, dependencies: frozenset[str] = frozenset()) -> PropertyValue:
    """A component's output in the engine's form; all of it depends on `dependencies`."""
    return PropertyValue(_content(value, shape), dependencies=dependencies)


def _content(value: object, shape: Shape) -> PythonValue:
    if isinstance(value, dict):
        items = cast("dict[str, object]", value)
        if shape.fields is None:
            return {key: sent(item, shape.inner) for key, item in items.items()}
        return {to_camel(key): sent(item, shape.of(to_camel(key))) for key, item in items.items()}
    if isinstance(value, list):
        return [sent(item, shape.inner) for item in cast("list[object]", value)]
    if isinstance(value, (bool, str, float)):
        return value
    if isinstance(value, int):
        return float(value)
    raise TypeError(f"{value!r} is not an output of a component")
