"""The base of every mapping of the stack file, and its numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar, Final, Self, TypeVar, cast

from msgspec import Struct
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from components.model.findings import listing

BELOW: Final = 2**31
"""No number of a stack file is as large: Kubernetes and JobSet keep counts and IDs of users in 32 bits."""
Count = Annotated[int, Field(ge=1, lt=BELOW)]
"""A whole number of things, at least one."""
OptionalCount = Annotated[int, Field(ge=0, lt=BELOW)]
"""A whole number of things, or none."""


def _in_thousandths(value: float) -> float:
    if round(value * 1000) != value * 1000:
        raise ValueError(f"{value} is finer than a thousandth.", "Write at most three digits after the point.")
    return value


Weight = Annotated[float, Field(ge=0), AfterValidator(_in_thousandths)]
"""A weight beside others, in thousandths."""

_Item = TypeVar("_Item")


def _once(items: tuple[_Item, ...]) -> tuple[_Item, ...]:
    for index, item in enumerate(items):
        if item in items[:index]:
            raise ValueError(f"{item} appears twice.", "Write it once.")
    return items


Distinct = AfterValidator(_once)
"""A list in which nothing appears twice."""

VARIANT_MARK = "|"
"""First character of a variant's tag, which the class's name follows: pydantic puts it into the path of an error, where
it is not a key of the file."""


TEXT_TAG = f"{VARIANT_MARK}text"
"""Tag of text among variants."""


class Section(BaseModel):
    """A mapping of the stack file."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    exactly_one: ClassVar[tuple[tuple[str, ...], ...]] = ()
    """Groups of keys; each group needs exactly one of its keys."""
    at_most_one: ClassVar[tuple[tuple[str, str], ...]] = ()
    """Pairs of keys that exclude each other."""
    instead: ClassVar[Mapping[str, str]] = {}
    """The text to write here, by a key that only another variant has."""

    @model_validator(mode="after")
    def _has_one_of_each(self) -> Self:
        for keys in self.exactly_one:
            if not self._given(keys):
                raise ValueError(f"it has none of {listing(keys)}.", "Add one of them.")
        for keys in (*self.exactly_one, *self.at_most_one):
            given = self._given(keys)
            if len(given) > 1:
                raise ValueError(f"it has {listing(given)}.", "Keep one of them.")
        return self

    def _given(self, keys: tuple[str, ...]) -> list[str]:
        return [key for key in keys if getattr(self, key) is not None]


class Variant(Struct, frozen=True):
    """One of the models that a mapping may have, and the keys that show it."""

    model: type[Section]
    keys: tuple[str, ...] = ()
    """One of them is enough; a mapping that fits no other variant fits one without keys."""
    value: str | bool | None = None
    """The value of the key, if the key alone does not show the variant."""

    def is_shown_by(self, mapping: dict[str, object]) -> bool:
        """Whether a mapping is of this variant, if of none before it."""
        if self.value is None:
            return not self.keys or not mapping.keys().isdisjoint(self.keys)
        found = [mapping[key] for key in self.keys if key in mapping]
        return any(type(each) is type(self.value) and each == self.value for each in found)


class Variants:
    """Tells the variants of a mapping apart, for pydantic's Discriminator and for whoever describes them."""

    def __init__(self, *variants: Variant, takes_text: bool = False) -> None:
        """Takes the variants in the order in which they are tried, and whether a single value is text."""
        self.variants = variants
        self.takes_text = takes_text
        self.__name__ = "variant"  # which pydantic asks of what it calls

    def __call__(self, value: object) -> str | None:
        """The tag of the value's variant; None where it shows none."""
        if isinstance(value, Section):
            return tag(type(value))
        if self.takes_text and not isinstance(value, dict):
            return TEXT_TAG
        mapping = cast("dict[str, object]", value) if isinstance(value, dict) else {}
        return next((tag(each.model) for each in self.variants if each.is_shown_by(mapping)), None)


_NESTED: Final = (Section, tuple)
"""Types of the values that contain sections."""


def tag(model: type[Section]) -> str:
    """Pydantic's name of a variant."""
    return f"{VARIANT_MARK}{model.__name__}"


def states(part: Section | tuple[object, ...], kind: type[Section]) -> bool:
    """Whether a part of the stack file has a section of a kind, however deep."""
    if isinstance(part, kind):
        return True
    inner = part if isinstance(part, tuple) else vars(part).values()
    return any(states(cast("Section | tuple[object, ...]", each), kind) for each in inner if isinstance(each, _NESTED))
