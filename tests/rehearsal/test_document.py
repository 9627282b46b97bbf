"""docs/rehearsal.md by its own example, and the types against the document's tables."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, get_args

from tests.tracked import ROOT
from tpu.rehearsal.document import Entry, Rehearsal
from tpu.rehearsal.running import Event, run

if TYPE_CHECKING:
    from pathlib import Path

TEXT = (ROOT / "docs/rehearsal.md").read_text(encoding="utf-8")


def test_the_example_has_the_output_that_is_shown(command: Path) -> None:
    document, shown = re.findall(r"```json\n(.*?)```", TEXT, re.DOTALL)
    lines = iter(run(document, command).splitlines())
    assert [line for line in shown.splitlines() if line not in lines] == []


def test_the_example_is_of_the_types() -> None:
    document, _ = re.findall(r"```json\n(.*?)```", TEXT, re.DOTALL)
    assert Rehearsal.model_validate_json(document).until == 1000


def test_the_tables_have_every_key_and_event() -> None:
    rows = set(re.findall(r"^\| `(\w+)` \|", TEXT, re.MULTILINE))
    keys = {*Rehearsal.model_fields, *Entry.model_fields}
    last = {"running", "never"}  # a sentence has these
    assert rows == keys | {*get_args(Event)} - last
    assert all(f"`{event}`" in TEXT for event in last)
