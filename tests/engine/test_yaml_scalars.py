"""Our reading of a stack file's scalars against the engine's own, which passes them to the program."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

import pytest

from components.model.stack_file.text import StackText
from tests.harness import Simulator

if TYPE_CHECKING:
    from pathlib import Path

PLAIN: Final = (
    "on", "off", "yes", "No", "y", "true", "True", "TRUE", "tRue", "false", "null", "Null", "~",
    "0", "-0", "+1", "12", "012", "09", "0x10", "0X1F", "0b101", "0o17", "1_000", "1e3", "1E3", "1.5", ".5", "5.",
    "3.0", "-2.00", "-1.5e-3", "1:30", "12:30:45", "2x4", "4x4x8", "v1", "1.2.3", "10.0.0.0/20", "0.16.2",
    "1.33.0-gke.1712000", "us-west4-a", "1-2", "1e", "e3", "0x", "0xg", "1__0", "9007199254740993",
)  # fmt: skip
"""Plain scalars at which YAML readers differ, and those that stack files hold."""
PROGRAM: Final = """
import pulumi
pulumi.export("passed", pulumi.Config().require("values"))
"""


@pytest.fixture(scope="module")
def passed(simulator: Simulator, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, list[object]]:
    """The text of a stack file that lists the scalars, and what the engine passed of it."""
    project: Path = tmp_path_factory.mktemp("scalars") / "project"
    project.mkdir()
    text = "config:\n  scalars:values:\n" + "".join(f"    - {scalar}\n" for scalar in PLAIN)
    (project / "Pulumi.yaml").write_text("name: scalars\nruntime: python\n")
    (project / "Pulumi.dev.yaml").write_text(text)
    (project / "__main__.py").write_text(PROGRAM)
    inside = Simulator(simulator.home, project)
    inside.up("dev")
    return text, json.loads(inside.outputs("dev")["passed"])


@pytest.mark.parametrize("index", range(len(PLAIN)), ids=PLAIN)
def test_a_plain_scalar_is_read_as_the_engine_reads_it(passed: tuple[str, list[object]], index: int) -> None:
    text, values = passed
    ours = StackText.parse("Pulumi.dev.yaml", text).value(("config", "scalars:values"))
    assert isinstance(ours, list)
    # JSON has one kind of number: 1e3 reaches the program as 1000.
    assert ours[index] == values[index]
    assert isinstance(ours[index], bool) == isinstance(values[index], bool)
