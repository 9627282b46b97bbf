"""The story that both stacks of two runs and four slices tell: both train, one loses a slice, a spare one is added."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tests.control_plane.life import Life, start_up
from tests.control_plane.training import HIGH, LOW, Training
from tests.harness import Simulator, project_with
from tests.stacks import stack_file

if TYPE_CHECKING:
    from pathlib import Path

POOLS: Final = frozenset(("trillium1", "trillium2", "trillium3", "trillium4"))
_SPEED: Final = 8
"""Simulated seconds per second: high trains for 25 seconds, and low for three minutes, so that it sees high restart."""
_FOUR: Final = "slices: 4,"


def start_in_slow_motion(simulator: Simulator, stack: str) -> Life:
    """The stack while both of its runs train: the short one for six minutes, the long one for an hour.

    Pods are evicted from a failed machine after four real seconds.
    """
    simulator.run("exec", "--speed", "0.5", "--", "true")
    simulator.run("times", "--evict", "2")
    return start_up(simulator, stack)


def training_of(life: Life) -> Training:
    """Both runs, once each has two slices of its own."""
    found = Training(life.simulator)
    assert found.await_running(HIGH) | found.await_running(LOW) == POOLS
    return found


def lose_a_slice_beside_a_spare(life: Life, training: Training, folder: Path) -> None:
    """A fifth slice is added, which moves nobody; then high loses one of its own, moves there and completes."""
    text = stack_file(life.stack)
    assert text.count(_FOUR) == 1
    project = project_with(folder / "project", {life.stack: text.replace(_FOUR, "slices: 5,")})
    before = {run: training.placed(run, "Running") for run in (LOW, HIGH)}
    Simulator(life.simulator.home, project).up(life.stack)
    assert {run: training.placed(run, "Running") for run in (LOW, HIGH)} == before
    loss = training.lose_a_slice_of_high()
    life.simulator.run("exec", f"--speed={_SPEED}", "--", "true")
    training.assert_high_moved_to("trillium5", loss)
