"""The data of package gcp is what the generator writes from the installed SDK."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.providers.sdk import __main__ as command
from simulator.providers.sdk.marks import REPLACED, SECRET

if TYPE_CHECKING:
    from pathlib import Path


def test_the_file_is_what_the_generator_writes(tmp_path: Path) -> None:
    written = tmp_path / "gcp.json"
    command.main([], written)
    assert command.FILE.read_text(encoding="utf-8") == written.read_text(encoding="utf-8"), (
        "run `python -m simulator.providers.sdk`"
    )


def test_every_mark_names_a_property() -> None:
    written = command.FILE.read_text(encoding="utf-8")

    assert all(f'"{owner}": {{' in written for owner in (*REPLACED, *SECRET))
    marked = sum(len(names) for names in REPLACED.values())
    assert written.count(" replace") == marked
