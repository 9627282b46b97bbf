"""The targets of the Makefile by which a new user meets the project, typed as the README has them."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING, Final

from simulator.processes import start_time
from tests.harness import OF_MAKE
from tests.tracked import ROOT

if TYPE_CHECKING:
    from tests.harness import Simulator

STACK: Final = "multislice"
_SECONDS: Final = 900.0


def _make(simulator: Simulator, target: str) -> str:
    """What `make TARGET` prints, which must succeed."""
    make = shutil.which("make")
    assert make is not None
    environment = {name: value for name, value in simulator.environment.items() if name not in OF_MAKE}
    done = subprocess.run(
        [make, target, f"STACK={STACK}", "SPEED=30"],
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=_SECONDS,
        check=False,
    )
    assert done.returncode == 0, f"make {target}:\n{done.stdout}\n{done.stderr}"
    return done.stdout


def test_make_up_follows_the_stack_to_its_end_and_the_others_take_it_away(simulator: Simulator) -> None:
    told = _make(simulator, "up")
    assert "4 jobs: 4 finished" in told
    assert "   time  chips  job" in told
    assert "at most 24 chips were admitted at one moment" in told
    pid = simulator.client.call("status")["pid"]
    assert "Resources:" in _make(simulator, "destroy")
    _make(simulator, "down")
    assert not simulator.home.root.exists()
    assert start_time(pid) is None
