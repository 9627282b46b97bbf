"""Every piece of a stack file in a document is one that the program accepts, or refuses in the words that are shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest
import yaml

from tests.docs.blocks import OUTPUT, Block, blocks, documents
from tests.docs.shown import missing_line
from tests.docs.snippets import OF_A_STACK, fragment_of, merged, platform_of, reading_of
from tests.stacks import committed

if TYPE_CHECKING:
    from components.model.stack_file.reading import Reading

_YAML: Final = ("yaml", "yml")
_FOREIGN: Final = "not of"
_OF_OTHERS: Final = frozenset({"apiVersion", "jobs", "options", "plugins", "resources", "runtime"})
"""Keys of Kubernetes objects, workflows, and programs in Pulumi YAML."""


def _snippets() -> list[tuple[Block, Block | None]]:
    """The blocks of YAML, each with the output that follows it."""
    found: list[tuple[Block, Block | None]] = []
    for document in documents():
        mine = blocks(document)
        for at, block in enumerate(mine):
            after = mine[at + 1] if at + 1 < len(mine) and mine[at + 1].follows else None
            if block.language in _YAML:
                found.append((block, after if after and after.language == OUTPUT else None))
    return found


def _where(snippet: tuple[Block, Block | None]) -> str:
    return snippet[0].where


@pytest.mark.parametrize("snippet", _snippets(), ids=_where)
def test_a_snippet_is_what_it_says(snippet: tuple[Block, Block | None]) -> None:
    block, after = snippet
    first, *_ = yaml.safe_load_all(block.text)
    if _FOREIGN in block.notes or not _OF_OTHERS.isdisjoint(first):
        return
    fragment = fragment_of(block.text)
    assert set(fragment) <= OF_A_STACK, f"{block.where}: {sorted(set(fragment) - OF_A_STACK)} are no keys of a platform"
    if "part of" in block.notes:
        committed_one = platform_of(block.notes["part of"])
        assert merged(committed_one, fragment) == committed_one, f"{block.where}: the stack file says otherwise"
        return
    stack = block.notes.get("stack", "dev")
    assert stack in committed(), f"{block.where}: there is no stack {stack}"
    is_whole = "config" in yaml.safe_load(block.text)
    platform = fragment if is_whole else merged(platform_of(stack), fragment)
    _assert_as_told(block, after, reading_of(platform, stack))


def _assert_as_told(block: Block, after: Block | None, reading: Reading) -> None:
    """Accepted or refused as the block says; what is shown after it is an error or a warning that there is."""
    is_refused = block.notes.get("refused") == "yes"
    assert (reading.plan is None) is is_refused, f"{block.where}:\n{reading.report}"
    assert after is not None or not is_refused, f"{block.where}: what is told must follow"
    line = missing_line(after.text, reading.report) if after else None
    assert line is None, f"{block.where}: not told: {line}\n{reading.report}"


# --- the merging itself


def test_a_fragment_goes_into_what_has_its_name() -> None:
    into = {"a": [{"name": "x", "n": 1}, {"name": "y"}], "b": {"c": 1}, "d": [1]}
    fragment = {"a": [{"name": "x", "m": 2}, {"name": "z"}], "b": {"e": 2}, "d": [1, 2], "f": 3}
    assert merged(into, fragment) == {
        "a": [{"name": "x", "n": 1, "m": 2}, {"name": "y"}, {"name": "z"}],
        "b": {"c": 1, "e": 2},
        "d": [1, 2],
        "f": 3,
    }
    assert into["d"] == [1]


def test_null_takes_a_key_away() -> None:
    assert merged({"a": {"b": 1, "c": 2}}, {"a": {"b": None}}) == {"a": {"c": 2}}
