"""Every stack with idle time skipped: the same story, in the same order, with the same simulated durations.

What each is compared with was recorded at a steady speed. `UPDATE_GOLDEN=1 pytest tests/systems/test_idle_time.py`
brings the stacks up at that speed and writes it anew.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
import yaml

from simulator.home import Home
from tests.harness import Simulator
from tests.stacks import committed
from tests.timelines import Step, differences, steps_of
from tests.tracked import checked_out

if TYPE_CHECKING:
    from collections.abc import Generator

_GOLDEN: Final = Path(__file__).parent / "golden" / "timelines"
_USUAL: Final = 10
"""The speed between skips, and that at which stories are recorded."""
_LONG: Final = {
    "flex-start": 60,
    "flex-start-autopilot": 60,
    "hotswap": 30,
    "hotswap-both": 30,
    "hotswap-kueue": 30,
    "training": 30,
}
"""The speed at which stories of half an hour and more are recorded."""
_FAST: Final = 90
_HOURS: Final = "flex-start"
"""The stack whose jobs sleep the longest."""
_BLURRED: Final = 6
"""Real seconds by which a duration differs from one time to the other: two stamps, what controllers take, and the
restart of a run that met a more important one on its slice, which the scheduler may choose."""
_PROGRAMS: Final = {"batch-ml": 60}
"""The same where jobs are real programs, which take their own time."""


@pytest.fixture
def simulator(tmp_path: Path) -> Generator[Simulator]:
    """A simulator in a folder of its own, used from a checkout of this project."""
    made = Simulator(Home(tmp_path / "home"), checked_out(tmp_path / "project"))
    yield made
    made.run("down", "--delete", code=None)


def _story(simulator: Simulator, stack: str, speed: str) -> list[Step]:
    """The story of a stack, as `make up SPEED=...` prints it."""
    simulator.run("scenario", stack)
    pulumi = ("pulumi", "up", "--yes", "--skip-preview", "--stack", stack, "--non-interactive")
    simulator.run("exec", f"--speed={speed}", "--", *pulumi)
    watch = ("python", "-m", "tpu.watch", "--stack", stack, "--until-settled")
    return steps_of(simulator.run("exec", f"--speed={speed}", "--", *watch).out)


def _recorded(stack: str) -> list[Step]:
    """Its steps at a steady speed; none of a platform without jobs."""
    return [Step(*step) for step in yaml.safe_load((_GOLDEN / f"{stack}.yaml").read_text()) or ()]


@pytest.mark.parametrize("stack", committed())
def test_its_story_is_that_of_a_steady_speed(simulator: Simulator, stack: str) -> None:
    steady = _LONG.get(stack, _USUAL)
    if os.environ.get("UPDATE_GOLDEN"):
        steps = _story(simulator, stack, str(steady))
        lines = [f"- [{step.time}, {step.job}, {step.what}]\n" for step in steps]
        (_GOLDEN / f"{stack}.yaml").write_text("".join(lines))
    else:
        steps = _story(simulator, stack, "auto")
    assert differences(_recorded(stack), steps, _PROGRAMS.get(stack, _BLURRED) * steady) == []


def test_the_longest_story_is_the_same_at_a_high_steady_speed(simulator: Simulator) -> None:
    steps = _story(simulator, _HOURS, str(_FAST))
    assert differences(_recorded(_HOURS), steps, _BLURRED * _FAST) == []
    asleep = {step.what: step.time for step in steps if step.job == "job-1"}
    assert 3600 - _FAST <= asleep["finished"] - asleep["1 pod placed"] <= 3600 + _BLURRED * _FAST
