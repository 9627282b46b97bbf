"""The bare program of the bench asks for what ours asks for, or what the bench compares are two things."""

from __future__ import annotations

from typing import Any

from tests.program.harness import Run, run_program
from tests.stacks import GCP_PROJECT
from tests.tracked import ROOT


def test_the_bare_program_asks_for_the_same_resources(multislice: Run) -> None:
    """Type, name, parent and inputs of each are ours."""
    bare = run_program("multislice", {"gcp:project": GCP_PROJECT}, program=ROOT / "bench" / "bare")
    assert bare.exit_code is None, bare.log
    assert _asked(bare) == _asked(multislice)


def _asked(run: Run) -> dict[str, Any]:
    return {each.reference: (each.parent, each.inputs) for each in run.resources}
