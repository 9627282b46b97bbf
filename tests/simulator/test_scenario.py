"""What a scenario does to machines, and when."""

from __future__ import annotations

import datetime as dt
import time
from dataclasses import asdict
from typing import TYPE_CHECKING, cast

import pytest

from simulator.clock import SpeedClock
from simulator.scaling.times import UnknownNameError
from simulator.scenario import Scenario, Step
from tests.eventually import eventually
from tests.simulator.memory_api import MemoryApi

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from simulator.scaling.scaling import Scaling

_SPEED = 1000.0
_LOSS = Step(workload="team/train", seconds=600, lose=("slice-0",))
_SHORTAGE = Step(workload="team/train", seconds=0, out=("tpu-v6e-slice",), back=("nvidia-l4",))


class Machines:
    """Doubles `Scaling`: writes down what is done to machines, and when."""

    def __init__(self, clock: SpeedClock) -> None:
        self._clock = clock
        self.done: list[tuple[float, str]] = []

    def lose(self, name: str) -> list[str]:
        if name == "missing":
            raise UnknownNameError("no node pool is named missing")
        self.done.append((self._clock.now(), f"lose {name}"))
        return [name]

    def change_stock(self, out: list[str], back: list[str]) -> list[str]:
        self.done.append((self._clock.now(), f"out {out} back {back}"))
        return out


class Stage:
    """A cluster in memory, a clock a thousand times as fast as the real one, and a scenario."""

    def __init__(self, path: Path) -> None:
        self.memory = MemoryApi()
        self.clock = SpeedClock(_SPEED, path)
        self.machines = Machines(self.clock)
        self.scenario = Scenario(self.clock, cast("Scaling", self.machines))
        self.scenario.began("tpus", self.memory.informers)

    def run(self, name: str, started: float) -> None:
        """A pod of the JobSet team/train runs since a real moment."""
        start = dt.datetime.fromtimestamp(started, dt.UTC).isoformat()
        metadata = {"name": name, "namespace": "team", "labels": {"jobset.sigs.k8s.io/jobset-name": "train"}}
        status = {"phase": "Running", "startTime": start}
        document = {"metadata": metadata, "spec": {"nodeName": f"node-{name}"}, "status": status}
        self.memory.put(f"/api/v1/namespaces/team/pods/{name}", document)

    def play(self, *steps: Step) -> None:
        """Begin a scenario."""
        self.scenario.play([asdict(step) for step in steps])


@pytest.fixture
def stage(tmp_path: Path) -> Generator[Stage]:
    """Nothing runs yet."""
    made = Stage(tmp_path / "clock.jsonl")
    yield made
    made.scenario.stop()


def test_a_step_happens_some_simulated_seconds_after_its_workload_runs(stage: Stage) -> None:
    stage.play(_LOSS)
    eventually(lambda: stage.scenario.lines == ["waits: lose slice-0 600 s after team/train runs"])
    started = time.time()
    stage.run("a", started)
    eventually(lambda: stage.scenario.lines == ["done: lose slice-0 600 s after team/train runs"])
    [(moment, what)] = stage.machines.done
    assert what == "lose slice-0"
    assert moment >= stage.clock.shown.at(started) + 600


def test_the_next_step_waits_for_a_pod_that_started_after_the_step_before(stage: Stage) -> None:
    stage.run("a", time.time())
    stage.play(_LOSS, _SHORTAGE)
    eventually(lambda: len(stage.scenario.lines) == 2)
    assert stage.scenario.lines[1].startswith("waits: ")
    stage.run("b", time.time() + 1)
    eventually(lambda: stage.scenario.lines[1].startswith("done: "))
    assert [what for _, what in stage.machines.done] == ["lose slice-0", "out ['tpu-v6e-slice'] back ['nvidia-l4']"]


def test_the_clock_knows_the_moment_so_that_idle_time_ends_there(stage: Stage) -> None:
    stage.clock.set_speed(1.0)
    started = time.time()
    stage.run("a", started)
    stage.play(_LOSS)
    moment = eventually(stage.clock.next_alarm)
    assert moment == pytest.approx(stage.clock.shown.at(started) + 600, abs=1.0)  # pyright: ignore[reportUnknownMemberType]


def test_a_step_that_fails_is_reported_and_the_next_one_follows(stage: Stage) -> None:
    stage.run("a", time.time() + 1)
    stage.play(Step(workload="team/train", seconds=0, lose=("missing",)), _SHORTAGE)
    eventually(
        lambda: (
            stage.scenario.lines[:1]
            == ["failed: lose missing 0 s after team/train runs: no node pool is named missing"]
        )
    )
    stage.run("b", time.time() + 2)
    eventually(lambda: len(stage.machines.done) == 1)


def test_a_slice_of_the_workload_is_lost_wherever_it_runs(stage: Stage) -> None:
    stage.run("a", time.time() + 1)
    stage.play(Step(workload="team/train", seconds=0, lose_slice=True))
    eventually(lambda: stage.scenario.lines == ["done: lose its slice 0 s after team/train runs"])
    assert [what for _, what in stage.machines.done] == ["lose node-a"]


def test_another_scenario_takes_the_place_of_the_first(stage: Stage) -> None:
    stage.play(_LOSS)
    stage.play()
    assert stage.scenario.lines == []
    assert not stage.scenario.is_at_work()
