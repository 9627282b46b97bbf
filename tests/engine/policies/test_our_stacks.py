"""`make policies` and `make report` on every committed stack, by the real engine: one preview that serves both."""

from __future__ import annotations

import shlex
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.harness import ROOT
from tests.leaks import assert_hidden, secrets_of
from tests.stacks import committed

if TYPE_CHECKING:
    from pathlib import Path

    from tests.harness import Simulator


@pytest.mark.parametrize("stack", committed())
def test_a_stack_keeps_the_rules_of_its_environment(simulator: Simulator, tmp_path: Path, stack: str) -> None:
    assert _packs("policies", stack) == _packs("report", stack) != []
    done = simulator.make("report", f"STACK={stack}", f"REPORT={tmp_path}")
    assert f"Passes. See {tmp_path}/{stack}.md and {tmp_path}/{stack}.html" in done.text
    assert (tmp_path / f"{stack}.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    written = {path.name: path.read_bytes() for path in sorted(tmp_path.iterdir())}
    assert len(written) == 4, "events, state and two reports"
    assert_hidden(written, secrets_of(simulator.home))


def _packs(target: str, stack: str) -> list[str]:
    """The packs that a target asks, and their settings."""
    shown = subprocess.run(
        ["make", "--dry-run", "--no-print-directory", target, f"STACK={stack}"],  # noqa: S607  as a user types it
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    (preview,) = [line for line in shown.stdout.replace("\\\n", " ").splitlines() if "pulumi preview" in line]
    words = shlex.split(preview)
    return [word for flag in ("--policy-pack", "--policy-pack-config") for word in (flag, words[words.index(flag) + 1])]
