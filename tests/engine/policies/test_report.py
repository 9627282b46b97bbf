"""`make report` as a reviewer types it, on a platform that is not there yet: no cluster is made for it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tests.golden import assert_golden_text
from tests.harness import OF_MAKE

if TYPE_CHECKING:
    from tests.harness import Simulator

GOLDEN: Final = Path(__file__).parent / "golden"
_SECONDS: Final = 600.0


def make_report(simulator: Simulator, folder: Path, *words: str) -> tuple[int, str]:
    """Exit code and output of the target for the stack `dev`, which writes to `folder`."""
    make = shutil.which("make")
    assert make is not None
    done = subprocess.run(
        [make, "report", "STACK=dev", f"REPORT={folder}", *words],
        cwd=simulator.project,
        env={name: value for name, value in simulator.environment.items() if name not in OF_MAKE},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=_SECONDS,
        check=False,
    )
    return done.returncode, f"{done.stdout}{done.stderr}"


def test_the_first_preview_of_a_platform(simulator: Simulator, tmp_path: Path) -> None:
    code, said = make_report(simulator, tmp_path)
    assert code == 0, said
    assert f"Passes. See {tmp_path}/dev.md and {tmp_path}/dev.html" in said
    assert_golden_text(GOLDEN / "first_preview.md", (tmp_path / "dev.md").read_text(encoding="utf-8"))
    assert (tmp_path / "dev.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_rules_of_another_environment_fail_it_and_the_report_is_there(simulator: Simulator, tmp_path: Path) -> None:
    code, said = make_report(simulator, tmp_path, "ENVIRONMENT=prod")
    assert code != 0
    assert "Does not pass: " in said
    text = (tmp_path / "dev.md").read_text(encoding="utf-8")
    assert "- `region-is-allowed` (high) Cluster dev" in text
    assert "- **Chips:** `v5e on-demand` none → ▲ **16 (2 slices)**" in text
