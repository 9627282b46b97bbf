"""What the schema of stack files says of a file, by an implementation of JSON Schema that is not ours."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol, cast

from jsonschema import Draft7Validator

from components.schema.stack_file import stack_file
from tests.stacks import PLATFORM_KEY

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jsonschema import ValidationError

Place = tuple[str | int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """What the schema refuses."""

    place: Place
    """In the whole file."""
    says: str

    @property
    def inside(self) -> str:
        """The place within the platform, as findings write it."""
        assert self.place[:2] == ("config", PLATFORM_KEY), self
        parts = [f"[{key}]" if isinstance(key, int) else f".{key}" for key in self.place[2:]]
        return "".join(parts).removeprefix(".")


@cache
def schema() -> dict[str, Any]:
    """The schema."""
    return stack_file()


class _Validator(Protocol):
    """What is used of the validators, whose own types are looser."""

    def iter_errors(self, instance: object) -> Iterator[ValidationError]: ...


@cache
def _validator(*, of_schemas: bool) -> _Validator:
    return cast("_Validator", Draft7Validator(Draft7Validator.META_SCHEMA if of_schemas else schema()))


def accepts(value: object) -> bool:
    """Whether the schema takes a stack file of this value."""
    return next(_validator(of_schemas=False).iter_errors(value), None) is None


def refusals(value: object, *, of_schemas: bool = False) -> list[Refusal]:
    """What the schema refuses of a stack file, or what the schema of schemas refuses of a schema."""
    found = _validator(of_schemas=of_schemas).iter_errors(value)
    return list(dict.fromkeys(each for error in found for each in _innermost(error)))


def _innermost(error: ValidationError) -> list[Refusal]:
    """What an error is about; of alternatives, what is wrong with each."""
    if error.context:
        return [each for inner in error.context for each in _innermost(inner)]
    return [Refusal(place=tuple(error.absolute_path), says=error.message)]
