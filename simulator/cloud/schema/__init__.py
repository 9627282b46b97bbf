"""Facts about the Pulumi packages whose calls arrive at the simulated cloud: resources, properties, types.

One data file per package, trimmed to the resources that the stand-ins know. A property is written as its type and what
else is true of it: `string required replace`, `integer`, `boolean`, `{string}` (a map), `[string]` (a list), `->Name`
(an object of `types`), `[->Name]`. `replace` marks a property whose change cannot be made in place; on an object it is
about adding or removing the object, whose own properties have their own marks. `object` is an object whose properties
no stand-in models, so that nothing of it is written down.

`gcp.json` is generated from the installed SDK by `python -m simulator.providers.sdk`; a test compares it. `random.json`
is written by hand from the schema of pulumi-random 4.21, read 2026-11, and compared with the installed SDK's names.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from enum import Enum
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

_FOLDER: Final = Path(__file__).parent
_PROPERTY = re.compile(r"(?P<list>\[)?(?P<map>\{)?(?:->(?P<object>[\w.]+)|(?P<plain>\w+))\}?\]?(?P<flags>(?: \w+)*)")


class Shape(Enum):
    """The type of a value."""

    STRING = "string"
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    OBJECT = "object"


class Container(Enum):
    """Whether a property has one value or several."""

    ONE = "one"
    LIST = "list"
    MAP = "map"


@dataclass(frozen=True, slots=True, kw_only=True)
class Property:
    """One property of a resource or of an object."""

    shape: Shape
    container: Container
    type_name: str | None
    """The named type of an object; None for an object whose properties are not written down."""
    is_required: bool
    forces_replacement: bool
    is_secret: bool

    @property
    def text(self) -> str:
        """The type as a message names it.

        >>> Property.parse("[string] required").text
        'list of string'
        """
        return self.shape.value if self.container is Container.ONE else f"{self.container.value} of {self.shape.value}"

    @staticmethod
    def parse(text: str) -> Property:
        """Read the notation of the data files.

        Raises:
            ValueError: `text` is not in that notation.
        """
        match = _PROPERTY.fullmatch(text)
        if match is None:
            raise ValueError(f"{text!r} is not a property")
        flags = match["flags"].split()
        container = Container.LIST if match["list"] else Container.MAP if match["map"] else Container.ONE
        return Property(
            shape=Shape.OBJECT if match["object"] else Shape(match["plain"]),
            container=container,
            type_name=match["object"],
            is_required="required" in flags,
            forces_replacement="replace" in flags,
            is_secret="secret" in flags,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceSchema:
    """One resource type of a package."""

    token: str
    inputs: Mapping[str, Property]
    computed: Mapping[str, Property]
    """Outputs that are not inputs."""


class UnknownTypeError(LookupError):
    """The data has no resource type or object type of that name."""


class Package:
    """The resources and types of one package."""

    def __init__(self, name: str) -> None:
        """Read the data file of the package `name`."""
        content: dict[str, Any] = json.loads((_FOLDER / f"{name}.json").read_text(encoding="utf-8"))
        self.name = name
        self._resources: dict[str, dict[str, dict[str, str]]] = content["resources"]
        self._types: dict[str, dict[str, str]] = content["types"]
        self._parsed: dict[str, Mapping[str, Property]] = {}

    @property
    def tokens(self) -> tuple[str, ...]:
        """The resource types, sorted."""
        return tuple(sorted(self._resources))

    @property
    def type_names(self) -> tuple[str, ...]:
        """The object types, sorted."""
        return tuple(sorted(self._types))

    def resource(self, token: str) -> ResourceSchema:
        """The resource type `token`.

        Raises:
            UnknownTypeError: there is none.
        """
        if token not in self._resources:
            raise UnknownTypeError(f"{token} is not a resource type of the data of package {self.name}")
        written = self._resources[token]
        return ResourceSchema(token=token, inputs=_parse(written["inputs"]), computed=_parse(written["computed"]))

    def type(self, name: str) -> Mapping[str, Property]:
        """The properties of the object type `name`.

        Raises:
            UnknownTypeError: there is none.
        """
        if name not in self._parsed:
            if name not in self._types:
                raise UnknownTypeError(f"{name} is not an object type of the data of package {self.name}")
            self._parsed[name] = _parse(self._types[name])
        return self._parsed[name]


@cache
def package(name: str) -> Package:
    """The data of the package `name`: `gcp` or `random`."""
    return Package(name)


def _parse(written: Mapping[str, str]) -> dict[str, Property]:
    return {name: Property.parse(text) for name, text in written.items()}
