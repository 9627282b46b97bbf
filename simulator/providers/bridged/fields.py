"""The facts about one property beyond its type: where it lies in the API and who decides its value."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from simulator.providers.values import Properties, Unknown, Value


class Compare(Enum):
    """When two values of a property mean the same."""

    EXACT = "exact"
    LINK = "link"
    """As names of the same resource: short name, path or address."""
    SET = "set"
    """As the same elements in any order."""
    CASE = "case"
    """But for upper and lower case."""


class Codec(Enum):
    """The form of a value in the API when the API has another form."""

    INT64 = "int64"
    """A 64-bit integer, which Google's JSON writes as a string."""
    SINGLE = "single"
    """One object that the API has as a list of one."""
    ONLY = "only"
    """A list of one object at most that the API has as that object."""


class Replaced(Enum):
    """Which changes from one known value to another need a new resource."""

    SMALLER = "smaller"
    NARROWER = "narrower"
    """A range of addresses that lacks an address of the old one: Compute Engine can only widen a range."""

    def forces(self, old: Any, new: Any) -> bool:  # noqa: ANN401  any JSON value
        """Whether the change is one of them. The API refuses what is not a range."""
        if self is Replaced.SMALLER:
            return new < old
        try:
            before, after = (ipaddress.IPv4Network(each, strict=False) for each in (old, new))
        except ValueError:
            return False
        return not before.subnet_of(after)


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
    default: str | int | float | bool | None = None
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
    replaces: Replaced | None = None
    """None where the package's data decide alone."""
    codec: Codec | None = None
    key: str = ""
    """For a list of objects that the API has as a map: the property that is the key of the map."""
    fields: Mapping[str, Field] = field(default_factory=dict[str, "Field"])
    """The properties of an object, or of each object in a list."""
    constant: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """For an object: the API's field for its presence, such as `enabled`; read back, an object without it is absent."""

    def encoded(self, value: Any) -> Any:  # noqa: ANN401  any JSON value
        """A value in the API's form."""
        if self.key:
            return {item[self.key]: {name: each for name, each in item.items() if name != self.key} for item in value}
        match self.codec:
            case Codec.INT64:
                return str(value)
            case Codec.SINGLE:
                return [value]
            case Codec.ONLY:
                return value[0] if value else {}
            case None:
                return value

    def decoded(self, value: Any) -> Any:  # noqa: ANN401  any JSON value
        """The value of the API's form."""
        if self.key:
            return [{self.key: name, **item} for name, item in sorted(value.items())]
        match self.codec:
            case Codec.INT64:
                return int(value)
            case Codec.SINGLE:
                return value[0]
            case Codec.ONLY:
                return [value]
            case None:
                return value


Fields = Mapping[str, Field]


def excluding(field: Field, properties: Properties) -> list[str]:
    """The properties of the resource that are set and exclude this one; one that is not known yet excludes nothing."""
    return [path for path in field.conflicts if not isinstance(_at(properties, path), Unknown | None)]


def _at(properties: Properties, path: str) -> Value:
    value: Value = properties
    for name in path.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return value
