"""Parts of the plan that repeat keys of the stack file."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from msgspec import Struct

if TYPE_CHECKING:
    from components.model.config import Section

_Part = TypeVar("_Part", bound=Struct)


def plan_from(part: type[_Part], *sections: Section, **computed: object) -> _Part:
    """A part of the plan: values of the keys of `sections` for its fields of the same names, then the computed ones.

    A key that needs planning is among `computed`. The type checker does not compare keys with fields:
    `tests/model/test_planning.py` finds sections, and values that are None, where the plan has other types.

    Raises:
        TypeError: a field without a default is neither, or a computed one does not exist.
    """
    fields = set(part.__struct_fields__)
    stated = {key: value for section in sections for key, value in vars(section).items() if key in fields}
    return part(**{**stated, **computed})
