"""What every mapping of the stack file has in common, and its numbers."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

Count = Annotated[int, Field(ge=1)]
"""A whole number of things, at least one."""
OptionalCount = Annotated[int, Field(ge=0)]
"""A whole number of things, or none."""


def _in_thousandths(value: float) -> float:
    if round(value * 1000) != value * 1000:
        raise ValueError(f"{value} is finer than a thousandth.", "Write at most three digits behind the point.")
    return value


Share = Annotated[float, Field(ge=0), AfterValidator(_in_thousandths)]
"""A weight beside others, in thousandths."""

VARIANT_MARK = "|"
"""First character of a variant's tag, which the class's name follows: pydantic puts it into the path of an error, where
it is no key of the file."""


class Section(BaseModel):
    """A mapping of the stack file."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


def is_variant(value: object, model: type[Section], **keys: object) -> bool:
    """Whether a value is of the variant `model`, or a mapping with its distinguishing `keys`."""
    return isinstance(value, model) or (
        isinstance(value, dict) and all(key in value and value[key] is what for key, what in keys.items())
    )
