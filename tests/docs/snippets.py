"""Pieces of stack files in the documents: each goes into a committed stack file that is read as the program does."""

from __future__ import annotations

import copy
from functools import cache
from typing import TYPE_CHECKING, Any, Final, cast

import yaml
from msgspec.structs import replace

from components.model.config import Platform
from components.model.stack_file.reading import Reading, read
from tests.stacks import GCP_PROJECT, PLATFORM_KEY, given_file, stack_file
from tests.tracked import ROOT

if TYPE_CHECKING:
    from collections.abc import Mapping

OF_A_STACK: Final = frozenset({"config", *Platform.model_fields})
"""Keys of a whole stack file, and those of a platform."""


def merged(into: Any, fragment: Any) -> Any:  # noqa: ANN401  values of YAML
    """The value with the fragment in it: mappings key by key, lists of named things by name, all else replaced.

    `null` takes a key away.
    """
    if isinstance(into, dict) and isinstance(fragment, dict):
        return _of_keys(cast("dict[str, Any]", into), cast("dict[str, Any]", fragment))
    if isinstance(into, list) and isinstance(fragment, list):
        return _of_names(cast("list[Any]", into), cast("list[Any]", fragment))
    return copy.deepcopy(fragment)


def _of_keys(into: dict[str, Any], fragment: dict[str, Any]) -> dict[str, Any]:
    made = dict(into)
    for key, value in fragment.items():
        if value is None:
            made.pop(key, None)
        else:
            made[key] = merged(made.get(key), value)
    return made


def _of_names(into: list[Any], fragment: list[Any]) -> list[Any]:
    if not all(isinstance(each, dict) and "name" in each for each in [*into, *fragment]):
        return [*into, *(each for each in fragment if each not in into)]
    made = {each["name"]: each for each in into}
    for each in fragment:
        made[each["name"]] = merged(made.get(each["name"]), each)
    return list(made.values())


@cache
def platform_of(stack: str) -> dict[str, Any]:
    """The platform in a committed stack file."""
    return cast("dict[str, Any]", yaml.safe_load(stack_file(stack)))["config"][PLATFORM_KEY]


def fragment_of(text: str) -> dict[str, Any]:
    """The piece of a platform that a block shows: all of it where it is a whole stack file."""
    value = cast("dict[str, Any]", yaml.safe_load(text))
    assert isinstance(value, dict), "a piece of a stack file is a mapping"
    return value["config"][PLATFORM_KEY] if "config" in value else value


def reading_of(platform: Mapping[str, Any], stack: str) -> Reading:
    """What the program makes of a platform in the file of a stack."""
    text = yaml.safe_dump({"config": {"gcp:project": GCP_PROJECT, PLATFORM_KEY: platform}}, sort_keys=False)
    return read(replace(given_file(text), file_name=f"Pulumi.{stack}.yaml", read_file=_content))


def _content(path: str) -> bytes:
    return (ROOT / path).read_bytes()
