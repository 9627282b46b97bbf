"""The facts about one property beyond its type: where it lies in the API and who decides its value."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any

from simulator.providers.values import Unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from simulator.providers.values import Properties, Value


class Compare(Enum):
    """When two values of a property mean the same."""

    EXACT = "equal"
    LINK = "names of the same resource: short name, path or address"
    SET = "the same elements in any order"
    CASE = "equal but for upper and lower case"


@dataclass(frozen=True, slots=True)
class Codec:
    """How a value is written in the API when the API has another form."""

    to_api: Callable[[Any], Any]
    from_api: Callable[[Any], Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One property that is modelled."""

    at: str | None = None
    """Dotted path in the API's document, from where the enclosing object lies; None when it has the property's name."""
    local: bool = False
    """Only the provider knows it; the API never sees it."""
    server: bool = False
    """The cloud decides its value when the program does not (optional and computed)."""
    computed: bool = False
    """The cloud always decides its value; a program cannot set it."""
    default: Value = None
    """The value that the provider fills in; None for nothing."""
    compare: Compare = Compare.EXACT
    choices: tuple[str, ...] = ()
    """The values that the provider accepts; empty for any."""
    beyond: tuple[str, ...] = ()
    """Further values that the provider accepts and the simulator does not model."""
    pattern: str = ""
    """Regular expression that the provider checks a string against; empty for none."""
    conflicts: tuple[str, ...] = ()
    """Properties, by their path from the resource, beside which this one cannot be set (ConflictsWith)."""
    replaces: Callable[[Any, Any], bool] | None = None
    """Whether a change from one known value to another needs a new resource; None where the package's data decide."""
    codec: Codec | None = None
    fields: Mapping[str, Field] = field(default_factory=dict[str, "Field"])
    """The properties of an object, or of each object in a list."""
    constant: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """For an object: the API's field for its presence, such as `enabled`; read back, an object without it is absent."""


Fields = dict[str, Field]


@dataclass(frozen=True, slots=True, kw_only=True)
class AutoName:
    """A property that gets a generated name when the program gives none."""

    property: str = "name"
    limit: int = 63
    """Characters of the whole name."""


def excluding(field: Field, properties: Properties) -> list[str]:
    """The properties of the resource that are set and exclude this one; one that is not known yet excludes nothing."""
    return [path for path in field.conflicts if not isinstance(_at(properties, path), Unknown | None)]


def _at(properties: Properties, path: str) -> Value:
    value: Value = properties
    for name in path.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return value


INT64 = Codec(to_api=str, from_api=int)
"""A 64-bit integer, which Google's JSON writes as a string."""


def keyed(key: str) -> Codec:
    """A list of objects that the API has as a map by their member `key`."""

    def to_api(items: list[dict[str, Any]]) -> dict[str, Any]:
        return {item[key]: {name: value for name, value in item.items() if name != key} for item in items}

    def from_api(items: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
        return [{key: name, **item} for name, item in sorted(items.items())]

    return Codec(to_api=to_api, from_api=from_api)


def single() -> Codec:
    """One object that the API has as a list of one."""
    return Codec(to_api=lambda item: [item], from_api=lambda items: items[0])


def only() -> Codec:
    """A list of one object at most that the API has as that object."""
    return Codec(to_api=lambda items: items[0] if items else {}, from_api=lambda item: [item])
