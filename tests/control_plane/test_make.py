"""The targets of the Makefile by which a new user meets the project, typed as the README has them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from simulator.processes import start_time

if TYPE_CHECKING:
    from tests.harness import Simulator

STACK: Final = "multislice"


def _make(simulator: Simulator, target: str) -> str:
    """What `make TARGET` prints, which must succeed."""
    return simulator.make(target, f"STACK={STACK}", "SPEED=30").out


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
