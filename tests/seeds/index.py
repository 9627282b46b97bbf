"""Makes docs/seed_lines.yaml of the tutorials, and holds it and the rows of docs/seeds.yaml against them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import yaml

from tests.seeds.extract import documents_in, elements_of, fingerprint, index_of
from tests.seeds.mapping import LINES, documents, plain, seeds

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.seeds.mapping import Seed

_HEADER: Final = """\
# The lines of the tutorials that hold a flag or a field, and which. The tutorials are no part of this project. With
# them in a folder, `python -m tests.seeds index FOLDER` makes this file anew, and `check FOLDER` compares.
"""


def index_text(folder: Path) -> str:
    """The text of docs/seed_lines.yaml for the tutorials in a folder."""
    whole = {
        number: {"sha256": fingerprint(document), "lines": index_of(document.decode())}
        for number, document in documents_in(folder).items()
    }
    return _HEADER + yaml.safe_dump(whole, sort_keys=False, width=200)


def write_index(folder: Path) -> None:
    """Make docs/seed_lines.yaml anew."""
    LINES.write_text(index_text(folder), encoding="utf-8")


def differences(folder: Path) -> Iterator[str]:
    """Where the index or a row says otherwise than the tutorials in the folder."""
    given = documents_in(folder)
    for number in sorted(given.keys() ^ documents().keys()):
        yield f"{number}: {'not in the folder' if number not in given else 'not in the index'}"
    for number in sorted(given.keys() & documents().keys()):
        text, indexed = given[number].decode(), documents()[number]
        if fingerprint(given[number]) != indexed.sha256:
            yield f"{number}: another sha256"
        if index_of(text) != indexed.lines:
            yield f"{number}: other flags or fields"
        yield from (f"{number}: {each}" for each in _misquoted(seeds()[number], text))


def _misquoted(seed: Seed, text: str) -> Iterator[str]:
    """Rows that do not say what stands in the tutorial."""
    values = {(each.line, each.name): each.value for each in elements_of(text)}
    for _, row in seed.rows():
        value = values.get((row.line, row.element))
        if row.tells is None and plain(row.says) != plain(value):
            yield f"line {row.line}, {row.element}: says {value!r}, not {row.says!r}"
