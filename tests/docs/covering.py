"""Which test runs which command of the documents: the table in commands.yaml, and the walks through documents."""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, cast

import yaml

from tests.docs.blocks import CLOUD, COMMANDS, OUTPUT, YAML, Block, blocks, documents
from tests.tracked import ROOT

_TABLE: Final = Path(__file__).parent / "commands.yaml"
_IMPORT: Final = re.compile(r"^ *from (tests\.[\w.]+) import", re.MULTILINE)


@cache
def _table() -> dict[str, Any]:
    return cast("dict[str, Any]", yaml.safe_load(_TABLE.read_text(encoding="utf-8")))


@cache
def elsewhere() -> dict[str, str]:
    """The test that runs it, by command."""
    rows = cast("dict[str, list[str]]", _table()["elsewhere"])
    return {command: test for test, commands in rows.items() for command in commands}


@cache
def not_run() -> dict[str, str]:
    """Why no test runs it, by command."""
    return _table()["not run"]


@cache
def not_compared() -> dict[str, str]:
    """Documents with output that no walk compares, and why it does not."""
    return _table()["not compared"]


def cheap_documents() -> list[str]:
    """Documents whose commands need no control plane."""
    return _table()["engine"]


def costly_documents() -> list[str]:
    """The other ones that have commands to run."""
    return [name for name in documents() if walked(name) and name not in cheap_documents()]


def walked(document: str) -> list[tuple[Block, list[str]]]:
    """The blocks of a document of which commands are run, with those commands, in order.

    None where other tests run each of them; else all, as a command may need what the one before it has made.
    """
    found: list[tuple[Block, list[str]]] = []
    for block in blocks(document):
        is_run = block.language == COMMANDS or (block.language == CLOUD and "also in" in block.notes)
        mine = [command for command in block.commands if command not in not_run()] if is_run else []
        if mine:
            found.append((block, mine))
    is_new = any(command not in elsewhere() for _, mine in found for command in mine)
    return found if is_new else []


def printed(document: str) -> dict[Block, Block]:
    """The output that a walk through the document compares, by the block of commands that prints it."""
    whole = {block for block, mine in walked(document) if mine == block.commands}
    return {
        before: block
        for before, block in pairwise(blocks(document))
        if block.language == OUTPUT and before in whole and (block.follows or "printed by" in block.notes)
    }


def outputs(document: str) -> list[Block]:
    """The output that the document shows, but for what is told of a piece of a stack file."""
    them = blocks(document)
    before = dict(zip(them[1:], them, strict=False))
    return [each for each in them if each.language == OUTPUT and not (each.follows and before[each].language == YAML)]


def is_defined(test: str) -> bool:
    """Whether a test of that id is collected: `file::function`, with a parameter in brackets if need be."""
    file, _, function = test.partition("::")
    path = ROOT / file
    if not path.name.startswith("test_") or not path.is_file():
        return False
    name = function.partition("[")[0]
    return name.startswith("test_") and re.search(rf"^def {name}\(", _source(path), re.MULTILINE) is not None


def speaks_of(test: str, word: str) -> bool:
    """Whether the word stands in the file of a test or in a helper of the tests that it builds on."""
    found = re.compile(rf"(?<![\w-]){re.escape(word)}(?![\w-])")
    return any(found.search(_source(path)) for path in _with_helpers(ROOT / test.partition("::")[0]))


def _with_helpers(path: Path) -> set[Path]:
    """A file of the tests, the `conftest.py` beside it, and what they import of the tests."""
    waiting, seen = [path, path.parent / "conftest.py"], set[Path]()
    while waiting:
        file = waiting.pop()
        if file in seen or not file.is_file():
            continue
        seen.add(file)
        waiting += [ROOT / f"{module.replace('.', '/')}.py" for module in _helpers_of(file)]
    return seen


def _helpers_of(file: Path) -> list[str]:
    """The modules of the tests that a file imports from."""
    return _IMPORT.findall(_source(file))


@cache
def _source(file: Path) -> str:
    return file.read_text(encoding="utf-8")
