"""Which test runs which command of the documents: the table in commands.yaml, and the walks through documents."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import yaml

from tests.docs.blocks import CLOUD, COMMANDS, ROOT, blocks, documents

if TYPE_CHECKING:
    from tests.docs.blocks import Block

_TABLE: Final = Path(__file__).parent / "commands.yaml"
IN_THE_SIMULATOR: Final = "the simulator"


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


def cheap_documents() -> list[str]:
    """Documents whose commands need no control plane."""
    return _table()["engine"]


def costly_documents() -> list[str]:
    """The other ones that have commands to run."""
    return [name for name in documents() if walked(name) and name not in cheap_documents()]


def walked(document: str) -> list[tuple[Block, list[str]]]:
    """The blocks of a document of which commands are run, with those commands, in order."""
    found: list[tuple[Block, list[str]]] = []
    for block in blocks(document):
        runs = block.language == COMMANDS or (block.language == CLOUD and "also in" in block.notes)
        mine = [command for command in block.commands if command not in {**elsewhere(), **not_run()}] if runs else []
        if mine:
            found.append((block, mine))
    return found


def is_defined(test: str) -> bool:
    """Whether a test of that id is collected: `file::function`, with a parameter in brackets if need be."""
    file, _, function = test.partition("::")
    path = ROOT / file
    if not path.name.startswith("test_") or not path.is_file():
        return False
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    return function.startswith("test_") and function.partition("[")[0] in names


def speaks_of(test: str, word: str) -> bool:
    """Whether the word stands in the file of a test or in a helper of the tests that it builds on."""
    found = re.compile(rf"(?<![\w-]){re.escape(word)}(?![\w-])")
    return any(found.search(path.read_text(encoding="utf-8")) for path in _with_helpers(ROOT / test.partition("::")[0]))


def _with_helpers(path: Path) -> set[Path]:
    """A file of the tests, the `conftest.py` beside it, and what they import of the tests."""
    waiting, seen = [path, path.parent / "conftest.py"], set[Path]()
    while waiting:
        file = waiting.pop()
        if file in seen or not file.is_file():
            continue
        seen.add(file)
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module is not None and node.module.startswith("tests."):
                waiting.append(ROOT / f"{node.module.replace('.', '/')}.py")
    return seen
