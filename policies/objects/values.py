"""Values of an object that somebody else wrote, with their types: absent, there, not known yet, or of a wrong type.

A reader asks for text and gets text or None. Every method of `Part` that takes a path raises `UndecidedError` where the
value, or a step on the way to it, is not known yet, and `MalformedError` where the value, or an item of a list, has
another type. So does every function that reads objects, here and in `policies/rules/`, unless it says otherwise. The
check of a rule turns the two into "not checked" and into a finding.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast

from msgspec import Struct

from components.model.facts.quantities import Quantity, parse

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from components.model.places import Key, Place

Leaf = tuple[tuple["Key", ...], str, "Value"]
"""The way to a value, the nearest name above it, and itself."""


class Unknown(Struct, frozen=True):
    """A value that is there, but is not shown."""

    why: str
    """A clause that follows its place."""
    text: str = ""
    """The text in its place, where something is."""


UNKNOWN_YET: Final = "is not known yet"


UNKNOWN: Final = Unknown(UNKNOWN_YET)
"""A value that a preview does not know."""


PLACEHOLDER: Final = "is a placeholder"
"""Why nobody knows a value of a file that another program or a person fills in before it is applied."""


SECRET: Final = Unknown("is a secret of the program")
"""A value that the program keeps encrypted, where secrets belong: no rule reads it."""


Value = None | bool | int | float | str | Unknown | list["Value"] | dict[str, "Value"]


class UndecidedError(Exception):
    """The value at `place` is not known yet, or does not say enough."""

    def __init__(self, place: Place, reason: str = UNKNOWN_YET) -> None:
        self.place = place
        self.reason = reason
        """A clause that follows the place."""
        super().__init__(f"{place} {reason}")


class MalformedError(Exception):
    """The value at `place` has another type than its field."""

    def __init__(self, place: Place, found: Value, wanted: str) -> None:
        self.place = place
        self.found = found
        self.wanted = wanted
        """Such as `a whole number`."""
        super().__init__(f"{place} is not {wanted}")


@dataclass(frozen=True, slots=True)
class Part:
    """A mapping within an object, or the whole of it, and where it stands."""

    value: Mapping[str, Value]
    start: Place
    """Where what it was read from stands."""
    steps: tuple[Key, ...] = ()
    """The way from there."""

    @property
    def place(self) -> Place:
        """Where it stands; made when somebody asks, because nobody asks for most of them."""
        return self.start.at(*self.steps) if self.steps else self.start

    def raw(self, *path: Key) -> Value:
        """The value at `path`, of any type; None where it or a step on the way is absent."""
        found: Any = self.value
        try:
            for step in path:
                found = found.get(step)
                if found is None:
                    return None
        except AttributeError:  # most paths lead through mappings alone, and nothing else has a `get`
            found = self._raw_in_lists(path)
        if isinstance(found, Unknown):
            raise UndecidedError(self.place.at(*path), found.why)
        return found

    def _raw_in_lists(self, path: tuple[Key, ...]) -> Value:
        """As `raw`, of any path."""
        found: Value = self.value  # pyright: ignore[reportAssignmentType]  objects are made of nothing but dicts
        for depth, step in enumerate(path):
            if isinstance(found, dict):
                found = found.get(step) if isinstance(step, str) else None
            elif isinstance(found, list):
                found = found[step] if isinstance(step, int) and step < len(found) else None
            elif isinstance(found, Unknown):
                raise UndecidedError(self.place.at(*path[:depth]), found.why)
            elif found is not None:
                raise MalformedError(self.place.at(*path[:depth]), found, "a mapping")
        return found

    def has(self, *path: Key) -> bool:
        """Whether something is stated at `path`, known or not; only mappings and lists contain anything."""
        try:
            return self.raw(*path) is not None
        except UndecidedError:
            return True
        except MalformedError:
            return False

    def text(self, *path: Key) -> str | None:
        """Text; empty text counts as absent, as it does for the APIs."""
        found = self.raw(*path)
        if found is None or found == "":
            return None
        if isinstance(found, str):
            return found
        raise MalformedError(self.place.at(*path), found, "text")

    def string(self, *path: Key, default: str = "") -> str:
        """As `text`, and the default where it is absent."""
        found = self.text(*path)
        return default if found is None else found

    def count(self, *path: Key) -> int:
        """As `whole`, and 0 where it is absent."""
        found = self.whole(*path)
        return 0 if found is None else found

    def whole(self, *path: Key) -> int | None:
        """A whole number, also as a float or in text, as Pulumi and the JSON of APIs write some."""
        found = self.raw(*path)
        if found is None:
            return None
        if isinstance(found, float) and found.is_integer():
            return int(found)
        if isinstance(found, int) and not isinstance(found, bool):
            return found
        if isinstance(found, str) and found.isascii() and found.removeprefix("-").isdigit() and len(found) < 20:  # noqa: PLR2004  int64
            return int(found)
        raise MalformedError(self.place.at(*path), found, "a whole number")

    def flag(self, *path: Key) -> bool | None:
        """True or false."""
        found = self.raw(*path)
        if found is None or isinstance(found, bool):
            return found
        raise MalformedError(self.place.at(*path), found, "true or false")

    def quantity(self, *path: Key) -> Quantity | None:
        """An amount such as `24` or `10Gi`, as text or as a number."""
        found = self.raw(*path)
        if found is None:
            return None
        if isinstance(found, float) and found.is_integer():
            found = int(found)
        if isinstance(found, str | int | float) and not isinstance(found, bool):
            try:
                return parse(str(found))
            except ValueError:
                pass
        raise MalformedError(self.place.at(*path), found, "an amount such as 24 or 10Gi")

    def texts(self, *path: Key) -> tuple[str, ...]:
        """A list of text; empty where it is absent."""
        items = self._list(*path)
        for index, item in enumerate(items):
            if not isinstance(item, str):
                raise MalformedError(self.place.at(*path, index), item, "text")
        return tuple(cast("Sequence[str]", items))

    def labels(self, *path: Key) -> dict[str, str]:
        """A mapping of text to text; empty where it is absent."""
        part = self.part(*path)
        found: dict[str, str] = {}
        for key, value in () if part is None else part.value.items():
            if isinstance(value, Unknown):
                raise UndecidedError(self.place.at(*path, key), value.why)
            if not isinstance(value, str):
                raise MalformedError(self.place.at(*path, key), value, "text")
            found[key] = value
        return found

    def part(self, *path: Key) -> Part | None:
        """The mapping at `path`."""
        found = self.raw(*path)
        if found is None:
            return None
        if isinstance(found, dict):
            return Part(found, self.start, (*self.steps, *path))
        raise MalformedError(self.place.at(*path), found, "a mapping")

    def parts(self, *path: Key) -> tuple[Part, ...]:
        """The mappings in the list at `path`; empty where it is absent."""
        found = self.mappings(*path)
        return tuple([Part(item, self.start, (*self.steps, *path, index)) for index, item in enumerate(found)])

    def mappings(self, *path: Key) -> list[dict[str, Value]]:
        """As `parts`, but only the values: for many and long lists."""
        items = self._list(*path)
        for index, item in enumerate(items):
            if not isinstance(item, dict):
                raise MalformedError(self.place.at(*path, index), item, "a mapping")
        return cast("list[dict[str, Value]]", items)

    def _list(self, *path: Key) -> list[Value]:
        found = self.raw(*path)
        if found is None:
            return []
        if not isinstance(found, list):
            raise MalformedError(self.place.at(*path), found, "a list")
        for index, item in enumerate(found):
            if isinstance(item, Unknown):
                raise UndecidedError(self.place.at(*path, index), item.why)
        return found


def leaves(part: Part, *path: str) -> Iterator[Leaf]:
    """Every single value below `path`, its way from the part; what is not known yet is one too."""
    *above, name = path
    value = part.raw(*above)
    yield from _below(path, name, value.get(name) if isinstance(value, dict) else None)


def variables(container: Part) -> Iterator[tuple[str, Value]]:
    """Name and value of each variable of a container; an empty name where none is stated, None without a value."""
    for index, variable in enumerate(container.mappings("env")):
        name = variable.get("name")
        yield name if isinstance(name, str) else container.string("env", index, "name"), variable.get("value")


def _below(path: tuple[Key, ...], name: str, value: Value) -> Iterator[Leaf]:
    """Nesting is as deep as the loader of the object lets it be."""
    match value:
        case dict():
            for key, inner in value.items():
                yield from _below((*path, key), key, inner)
        case list():
            for index, inner in enumerate(value):
                yield from _below((*path, index), name, inner)
        case _:
            yield path, name, value
