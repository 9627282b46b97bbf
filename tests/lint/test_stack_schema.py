"""Whatever stands in a stack file, its schema and its reader agree: no false alarm in an editor, and no wrong shape."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final, cast

import pytest
import yaml
from hypothesis import given
from pydantic import ValidationError

from components.model.config import Platform
from components.model.config.section import VARIANT_MARK
from components.model.stack_file.reading import read
from components.model.stack_file.shapes import KEY_MARK
from components.model.stack_file.text import StackText
from policies.lint.files import File
from policies.lint.stacks import given as given_stack
from tests.fuzz import changed
from tests.schema import Place, refusals
from tests.stacks import PLATFORM_KEY, a_platform, committed, stack_file

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

pytestmark = pytest.mark.fuzz

_SMALL: Final = {"config": {"gcp:project": "tpu-sandbox", PLATFORM_KEY: a_platform().platform}}
_STACKS: Final = [_SMALL, *(yaml.safe_load(stack_file(name)) for name in committed())]


@given(changed(_STACKS))
def test_the_schema_and_the_reader_agree(stack: object) -> None:
    text = yaml.safe_dump(stack, allow_unicode=True)
    value = json.loads(json.dumps(StackText.parse("fuzz", text).value(())))
    found = refusals(value)
    if found:
        reading = read(given_stack(File("Pulumi.fuzz.yaml", text.encode()), "tpu-platform"))
        assert reading.plan is None, found
    places = {refusal.place for refusal in found}
    assert [each for each in _wrong(value) if places.isdisjoint((each, each[:-1], (*each, "kind")))] == [], places


def _wrong(value: object) -> list[Place]:
    """Where the platform is of a wrong shape, in the whole file."""
    platform = _at(_at(value, "config"), PLATFORM_KEY)
    if not platform:
        return []
    try:
        Platform.model_validate_json(json.dumps(platform))
    except ValidationError as error:
        return [_place(each) for each in error.errors(include_url=False) if not _is_looser(each)]
    return []


def _at(value: object, key: str) -> object:
    return cast("dict[str, object]", value).get(key) if isinstance(value, dict) else None


def _is_looser(error: ErrorDetails) -> bool:
    """Whether no schema sees it: what a parser finds, 2.0, which is whole to JSON, and what only follows from items."""
    found: object = error["input"]
    is_whole = isinstance(found, float) and found.is_integer()
    match error["type"]:
        case "int_type" | "int_from_float":
            return is_whole
        case "too_short":
            return bool(found)
        case kind:
            return kind == "value_error"


def _place(error: ErrorDetails) -> Place:
    keys = [key for key in error["loc"] if not str(key).startswith(VARIANT_MARK) and key != KEY_MARK]
    if error["type"] == "missing":
        keys = keys[:-1]
    return ("config", PLATFORM_KEY, *keys)
