"""What every mapping of the stack file has in common, and its numbers."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Count = Annotated[int, Field(ge=1)]
"""A whole number of things, at least one."""
OptionalCount = Annotated[int, Field(ge=0)]
"""A whole number of things, or none."""

VARIANT_MARK = "|"
"""First character of a variant's tag, which the class's name follows: pydantic puts it into the path of an error, where
it is no key of the file."""


class Section(BaseModel):
    """A mapping of the stack file."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)
