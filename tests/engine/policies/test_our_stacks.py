"""`make policies` and `make report` on every committed stack, by the real engine: one preview that serves both.

No platform is there yet, and no cluster is made for it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tests.golden import assert_golden_text
from tests.harness import Simulator, policy_flags
from tests.leaks import assert_hidden, secrets_of
from tests.stacks import committed

GOLDEN: Final = {"dev": Path(__file__).parent / "golden" / "first_preview.md"}
"""The report of a first preview, by stack; without the values of what is created, which the preview lists."""
CREATED: Final = 57
"""Resources of that stack."""


@pytest.mark.parametrize("stack", committed())
def test_a_stack_keeps_the_rules_of_its_environment(simulator: Simulator, tmp_path: Path, stack: str) -> None:
    assert policy_flags("policies", stack) == policy_flags("report", stack) != []
    done = simulator.make("report", f"STACK={stack}", f"REPORT={tmp_path}")
    assert f"Passes. See {tmp_path}/{stack}.md and {tmp_path}/{stack}.html" in done.text
    assert (tmp_path / f"{stack}.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    written = {path.name: path.read_bytes() for path in sorted(tmp_path.iterdir())}
    assert len(written) == 5, "events, state, what runs, and two reports"
    assert_hidden(written, secrets_of(simulator.home))
    if stack in GOLDEN:
        report, _, properties = written[f"{stack}.md"].decode().partition("\n<details><summary>Changed properties")
        assert_golden_text(GOLDEN[stack], report)
        assert properties.count("\n@@ create ") == CREATED


def test_rules_of_another_environment_fail_it_and_the_report_is_there(simulator: Simulator, tmp_path: Path) -> None:
    done = simulator.make("report", "STACK=dev", f"REPORT={tmp_path}", "ENVIRONMENT=prod", code=None)
    assert done.code != 0
    assert "Does not pass: " in done.text
    text = (tmp_path / "dev.md").read_text(encoding="utf-8")
    assert "- `region-is-allowed` (high) Cluster dev" in text
    assert "- **Chips:** `v5e on-demand` none → ▲ **16 (2 slices)**" in text
