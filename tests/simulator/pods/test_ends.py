"""Pods that kwok plays end when their script would, in simulated time."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest

from simulator.clock import SpeedClock
from simulator.pods import watching
from simulator.pods.ends import PodEnds
from tests.eventually import eventually
from tests.simulator.memory_api import MemoryApi
from tests.simulator.pods.podspecs import a_pod

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping
    from pathlib import Path

    from components.kubeapi import Document

_PODS = "/api/v1/namespaces/team/pods"
_HOUR = 3600.0
_NONE: dict[str, str] = {}


class Pods:
    """Pods in an API server in memory, with what ends them; an hour is a second and a half."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.memory = MemoryApi()
        self.begin()

    def begin(self) -> None:
        """Start what ends pods; also in the place of what has been stopped."""
        self.clock = SpeedClock(_HOUR / 1.5, self.path)
        self._ends = PodEnds(self.clock)
        self._ends.began("tpus", self.memory.informers)

    def end(self) -> None:
        """Stop it."""
        self._ends.ends("tpus")
        self.clock.stop()

    def run(
        self, name: str, seconds: float, code: int = 0, more: Mapping[str, str] = _NONE, *, restart: str = "Never"
    ) -> None:
        """A pod of two containers began to run now; `more` are further annotations."""
        pod = a_pod().named(name).container().container()
        pod.annotated(seconds=f"{seconds:.3f}", exit_code=str(code), **more)
        pod.document["spec"]["restartPolicy"] = restart
        stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        pod.document["status"] = {
            "phase": "Running",
            "startTime": stamp,
            "conditions": [{"type": kind, "status": "True", "reason": ""} for kind in ("Initialized", "Ready")],
            "containerStatuses": [
                {"name": each, "image": "busybox:1", "ready": True, "state": {"running": {"startedAt": stamp}}}
                for each in ("c0", "c1")
            ],
        }
        self.memory.put(f"{_PODS}/{name}", pod.document)

    def status(self, name: str) -> dict[str, Any]:
        """The status of a pod."""
        return self.memory.get(f"{_PODS}/{name}")["status"]

    def await_phase(self, name: str, phase: str) -> dict[str, Any]:
        """The status of a pod once it has that phase."""
        return eventually(lambda: self.status(name), lambda seen: seen["phase"] == phase, what=f"{name} is {phase}")

    def assert_goes_on(self, name: str) -> None:
        """Fail when a pod ends although one that began later, and is as long, has ended."""
        self.run("later", 60)
        self.await_phase("later", "Succeeded")
        assert self.status(name)["phase"] == "Running"


@pytest.fixture
def pods(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Pods]:
    """What ends pods, over an API server without any."""
    monkeypatch.setattr("components.kubeapi.informers._RETRY_SECONDS", 0.01)
    monkeypatch.setattr(watching, "RETRY_SECONDS", 0.01)
    made = Pods(tmp_path / "clock.jsonl")
    yield made
    made.memory.close()
    made.end()


def test_a_pod_ends_after_its_simulated_seconds(pods: Pods) -> None:
    begun = pods.clock.now()
    pods.run("p", 600)
    status = pods.await_phase("p", "Succeeded")
    assert pods.clock.now() >= begun + 600
    ended = status["containerStatuses"][1]
    assert (ended["name"], ended["image"], ended["ready"], ended["started"]) == ("c1", "busybox:1", False, False)
    told = ended["state"]["terminated"]
    assert told | {"finishedAt": ""} == {
        "exitCode": 0,
        "reason": "Completed",
        "startedAt": status["startTime"],
        "finishedAt": "",
    }
    assert status["startTime"] <= told["finishedAt"]
    initialized, ready = status["conditions"]
    assert initialized == {"type": "Initialized", "status": "True", "reason": ""}
    assert ready | {"lastTransitionTime": ""} == {
        "type": "Ready",
        "status": "False",
        "reason": "PodCompleted",
        "lastTransitionTime": "",
    }
    assert ready["lastTransitionTime"] == told["finishedAt"]


def test_a_pod_whose_script_fails_has_failed(pods: Pods) -> None:
    pods.run("p", 0, code=3, restart="OnFailure")
    status = pods.await_phase("p", "Failed")
    told = status["containerStatuses"][0]["state"]["terminated"]
    assert (told["exitCode"], told["reason"], status["conditions"][1]["reason"]) == (3, "Error", "PodFailed")


def test_pods_end_in_the_order_of_their_ends_at_any_speed(pods: Pods) -> None:
    pods.clock.set_speed(1.0)
    for name, hours in {"long": 3, "short": 1, "middle": 2}.items():
        pods.run(name, hours * _HOUR)
    eventually(pods.clock.next_alarm, lambda seen: seen is not None and seen < pods.clock.now() + _HOUR)
    pods.clock.set_speed(_HOUR)
    for name in ("short", "middle", "long"):
        pods.await_phase(name, "Succeeded")
    merged = [path.split("/")[-2] for method, path in pods.memory.calls if method == "merge"]
    assert merged == ["short", "middle", "long"]


def test_skipped_time_counts(pods: Pods) -> None:
    pods.clock.set_speed(1.0)
    pods.run("p", 24 * _HOUR)
    moment = eventually(pods.clock.next_alarm)
    assert moment is not None
    pods.clock.skip_to(moment)
    pods.await_phase("p", "Succeeded")


@pytest.mark.parametrize("restart", ["Always", "Never"])
def test_what_is_started_again_or_has_lost_its_machine_goes_on(pods: Pods, restart: str) -> None:
    lost = {"lost": "true"} if restart == "Never" else {}
    pods.run("p", 60, 0, lost, restart=restart)
    pods.assert_goes_on("p")


def test_a_pod_that_loses_its_machine_does_not_end(pods: Pods) -> None:
    pods.clock.set_speed(1.0)
    pods.run("p", 60)
    eventually(pods.clock.next_alarm)
    pods.memory.merge(f"{_PODS}/p", {"metadata": {"annotations": {"simulator.tpu-platform.dev/lost": "true"}}})
    pods.clock.set_speed(_HOUR)
    pods.assert_goes_on("p")


def test_a_pod_that_sleeps_for_ever_is_no_alarm(pods: Pods) -> None:
    pods.run("p", float("inf"))
    pods.assert_goes_on("p")
    assert pods.clock.next_alarm() is None


def test_pods_that_run_here_are_their_programs_business(pods: Pods) -> None:
    document: Document = a_pod().container("kueue").document
    pods.memory.put(f"{_PODS}/p", {**document, "status": {"phase": "Running"}})
    pods.assert_goes_on("p")


def test_an_api_server_that_is_away_is_asked_again(pods: Pods) -> None:
    pods.run("p", _HOUR)
    eventually(pods.clock.next_alarm)
    pods.memory.away = True
    eventually(lambda: pods.clock.next_alarm() is None, what="its end is over")
    pods.memory.away = False
    pods.await_phase("p", "Succeeded")


def test_after_a_restart_a_pod_has_run_since_it_began(pods: Pods) -> None:
    pods.clock.set_speed(100.0)
    pods.run("p", 24 * _HOUR)
    begun = pods.clock.now()
    before = eventually(pods.clock.next_alarm)
    eventually(pods.clock.now, lambda now: now > begun + 300)
    pods.end()
    pods.begin()
    after = eventually(pods.clock.next_alarm)
    assert before is not None
    assert after is not None
    assert abs(after - before) < 100 + 1, "its status has whole seconds, of a hundred simulated ones"
