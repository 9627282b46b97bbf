"""`make report` as a reviewer types it, on a platform that is not there yet: no cluster is made for it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from tests.golden import assert_golden_text

if TYPE_CHECKING:
    from tests.harness import Done, Simulator

GOLDEN: Final = Path(__file__).parent / "golden"


def make_report(simulator: Simulator, folder: Path, *words: str, code: int | None = 0) -> Done:
    """The target for the stack `dev`, which writes to `folder`."""
    return simulator.make("report", "STACK=dev", f"REPORT={folder}", *words, code=code)


def test_the_first_preview_of_a_platform(simulator: Simulator, tmp_path: Path) -> None:
    said = make_report(simulator, tmp_path).text
    assert f"Passes. See {tmp_path}/dev.md and {tmp_path}/dev.html" in said
    assert_golden_text(GOLDEN / "first_preview.md", (tmp_path / "dev.md").read_text(encoding="utf-8"))
    assert (tmp_path / "dev.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_rules_of_another_environment_fail_it_and_the_report_is_there(simulator: Simulator, tmp_path: Path) -> None:
    done = make_report(simulator, tmp_path, "ENVIRONMENT=prod", code=None)
    assert done.code != 0
    assert "Does not pass: " in done.text
    text = (tmp_path / "dev.md").read_text(encoding="utf-8")
    assert "- `region-is-allowed` (high) Cluster dev" in text
    assert "- **Chips:** `v5e on-demand` none → ▲ **16 (2 slices)**" in text
