"""Every key that a stack file may have: a sound stack states it, and a value of another type is refused there."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

import pytest
from pydantic import ValidationError

from components.model.config import Platform
from components.model.config.section import Section
from components.model.stack_file.shapes import shape_findings
from components.schema.platform import definitions
from tests.model.stacks_of_rules import SOUND
from tests.stacks import Stack, committed, platform_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.fuzz import Path

_STACKS: Final = [*(stack.platform for stack in SOUND.values()), *map(platform_of, committed())]


class _Stated(NamedTuple):
    """A key of a section where a sound stack states it."""

    platform: dict[str, Any]
    path: Path


def _sections(above: type[Section] = Section) -> Iterator[type[Section]]:
    """Every class of sections, also those that others only inherit."""
    for each in above.__subclasses__():
        yield each
        yield from _sections(each)


def _keys(section: Section, platform: dict[str, Any], path: Path = ()) -> Iterator[tuple[str, _Stated]]:
    """The keys that are stated in a section and below it, as `Section.key`."""
    for name in section.model_fields_set:
        alias = type(section).model_fields[name].alias or name
        yield f"{type(section).__name__}.{name}", _Stated(platform, (*path, alias))
        yield from _below(getattr(section, name), platform, (*path, alias))


def _below(value: object, platform: dict[str, Any], path: Path) -> Iterator[tuple[str, _Stated]]:
    match value:
        case Section():
            yield from _keys(value, platform, path)
        case tuple():
            for index, each in enumerate(cast("tuple[object, ...]", value)):
                yield from _below(each, platform, (*path, index))
        case dict():
            for key, each in cast("dict[str, object]", value).items():
                yield from _below(each, platform, (*path, key))
        case _:
            return


_STATED: Final = {
    key: stated
    for platform in _STACKS
    for key, stated in _keys(Platform.model_validate_json(json.dumps(platform)), platform)
}


def test_every_key_is_in_a_sound_stack() -> None:
    placed = {name for name in definitions() if name in {each.__name__ for each in _sections()}}
    keys = {f"{each.__name__}.{name}" for each in _sections() if each.__name__ in placed for name in each.model_fields}
    assert keys <= _STATED.keys()


@pytest.mark.parametrize("key", sorted(_STATED))
def test_a_value_of_another_type_is_refused_at_its_place(key: str) -> None:
    platform, path = _STATED[key]
    value = _at(platform, path)
    wrong: object = "text" if isinstance(value, (list, dict, bool, int, float)) else [value]
    apart = json.loads(json.dumps(platform))  # sections that are one object would change together
    stack = Stack(apart).set(*path[:-1], **{str(path[-1]): wrong})
    with pytest.raises(ValidationError) as refused:
        Platform.model_validate_json(json.dumps(stack.platform))
    found = shape_findings(refused.value, Platform)
    assert {each.place.keys for each in found} <= {path, path[:-1]}
    assert all(each.says.endswith(".") and each.remedy.endswith(".") for each in found)


def _at(platform: dict[str, Any], path: Path) -> object:
    value: Any = platform
    for step in path:
        value = value[step]
    return value
