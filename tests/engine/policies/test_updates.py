"""What a preview could not decide is decided in the update, before the resource is made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from tests.engine.policies.conftest import PACKS, Lab
from tests.harness import Simulator
from tests.tracked import ROOT

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM: Final = """
import pulumi
import pulumi_gcp as gcp
import pulumi_random as random

word = random.RandomPassword("word", length=8)
gcp.container.NodePool(
    "slice",
    name="slice",
    cluster="elsewhere",
    location="us-west4",
    node_locations=["us-west4-a"],
    node_count=1,
    node_config={"machine_type": "ct5lp-hightpu-4t"},
    placement_policy={"type": "COMPACT", "tpu_topology": word.result.apply(lambda _: "2x4")},
)
"""
"""One node of a slice of two, whose topology is known once the word is."""


@pytest.fixture
def late(simulator: Simulator, tmp_path: Path) -> Lab:
    project = tmp_path / "project"
    project.mkdir()
    (project / "Pulumi.yaml").write_text("name: late\nruntime: {name: python, options: {virtualenv: .venv}}\n")
    (project / "Pulumi.dev.yaml").write_text("config:\n  gcp:project: tpu-sandbox\n")
    (project / "__main__.py").write_text(PROGRAM)
    (project / ".venv").symlink_to(ROOT / ".venv")
    return Lab(Simulator(simulator.home, project), tmp_path)


def test_a_resource_that_breaks_a_rule_is_not_made(late: Lab) -> None:
    preview = late.preview("dev", code=0)
    assert preview.errors == []
    assert "slice-has-all-its-nodes" in preview.undecided
    update = late.simulator.up("dev", "--policy-pack", str(PACKS / "all"), code=1)
    assert "[mandatory] [severity: high]  resource-errors  (gcp:container:NodePool: slice)" in update.text
    assert "slice-has-all-its-nodes: A multi-host pool has as many nodes" in update.text
    made = [each["urn"].rpartition("::")[2] for each in late.simulator.state("dev")["deployment"]["resources"]]
    assert "word" in made
    assert "slice" not in made
