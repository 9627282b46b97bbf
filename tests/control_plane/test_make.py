"""The targets of the Makefile by which a new user meets the project, typed as the README has them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from simulator.processes import start_time
from tests.timelines import steps_of

if TYPE_CHECKING:
    from kubeapi.documents import Document
    from tests.harness import Simulator

STACK: Final = "multislice"
_DAY: Final = 86400


def _make(simulator: Simulator, target: str) -> str:
    """What `make TARGET` prints, which must succeed."""
    return simulator.make(target, f"STACK={STACK}").out


def test_make_up_follows_the_stack_to_its_end(simulator: Simulator) -> None:
    told = _make(simulator, "up")
    assert "4 jobs: 4 finished" in told
    assert "   time  chips  job" in told
    assert "at most 24 chips were admitted at one moment" in told
    assert f"the same as pictures: build/timeline/{STACK}.html" in told


def test_a_day_of_sleep_is_skipped_and_seen_as_a_day(simulator: Simulator) -> None:
    simulator.api().create("/apis/batch/v1/namespaces/default/jobs", _sleeper(_DAY))
    done = simulator.run(
        "exec", "--speed=auto", "--", "python", "-m", "operations.watch", "--stack", STACK, "--until-settled"
    )
    steps = {step.what: step.time for step in steps_of(done.out) if step.job == "sleeper"}
    slept = steps["finished"] - steps["1 pod placed"]
    assert _DAY <= slept + 10 <= _DAY + 60, "stamps have whole seconds, of ten simulated ones each"
    assert (
        "times are simulated; each may be up to 10 s off, because the API server keeps whole real seconds" in done.out
    )


def test_destroy_and_down_take_it_away(simulator: Simulator) -> None:
    pid = simulator.client.call("status")["pid"]
    assert "Resources:" in _make(simulator, "destroy")
    _make(simulator, "down")
    assert not simulator.home.root.exists()
    assert start_time(pid) is None


def _sleeper(seconds: int) -> Document:
    container = {"name": "c", "image": "busybox:1", "command": ["sleep", str(seconds)]}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "sleeper"},
        "spec": {"template": {"spec": {"restartPolicy": "Never", "containers": [container]}}},
    }
