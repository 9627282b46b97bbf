"""`make policies` and `make report` on every committed stack, by the real engine: one preview that serves both."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.harness import policy_flags
from tests.leaks import assert_hidden, secrets_of
from tests.stacks import committed

if TYPE_CHECKING:
    from pathlib import Path

    from tests.harness import Simulator


@pytest.mark.parametrize("stack", committed())
def test_a_stack_keeps_the_rules_of_its_environment(simulator: Simulator, tmp_path: Path, stack: str) -> None:
    assert policy_flags("policies", stack) == policy_flags("report", stack) != []
    done = simulator.make("report", f"STACK={stack}", f"REPORT={tmp_path}")
    assert f"Passes. See {tmp_path}/{stack}.md and {tmp_path}/{stack}.html" in done.text
    assert (tmp_path / f"{stack}.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    written = {path.name: path.read_bytes() for path in sorted(tmp_path.iterdir())}
    assert len(written) == 4, "events, state and two reports"
    assert_hidden(written, secrets_of(simulator.home))
