"""Idle time is skipped when nothing has changed and nothing is under way, for a command that waits."""

from __future__ import annotations

import os
import subprocess
import threading
import time
from typing import TYPE_CHECKING

import pytest

from components.kubeapi.owners import PODS
from simulator.clock import SpeedClock
from simulator.skipping import skipper as skipper_module
from simulator.skipping.skipper import Skipper
from tests.eventually import eventually
from tests.simulator.memory_api import MemoryApi
from tests.simulator.pods.podspecs import a_pod

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

_HOUR = 3600.0
_POD = "/api/v1/namespaces/team/pods/p"


class Sleeper:
    """A clock at tenfold speed on which somebody sleeps for an hour, and what may skip that."""

    def __init__(self, path: Path) -> None:
        self.memory = MemoryApi()
        self.at_work = False
        self.clock = SpeedClock(10.0, path)
        self.skipper = Skipper(self.clock, lambda: self.at_work)
        informers = self.memory.informers
        self._seen = informers.filtered(PODS)
        self.skipper.began("tpus", informers)
        self.put()
        self.end = self.clock.now() + _HOUR
        self.over = threading.Event()
        self._thread = threading.Thread(target=self.clock.sleep_until, args=(self.end, self.over), daemon=True)
        self._thread.start()
        eventually(self.clock.next_alarm)

    def put(self, phase: str = "Running") -> None:
        """The pod that sleeps; one that is only starting moves."""
        pod = a_pod().container().annotated(seconds="3600.000").document
        written = self.memory.put(_POD, {**pod, "status": {"phase": phase}})
        eventually(self._seen.objects, lambda seen: seen == [written])

    def looks(self, count: int) -> list[bool]:
        """Whether time was skipped, look by look."""
        return [self.skipper.look(time.time()) > 0 for _ in range(count)]


@pytest.fixture
def sleeper(tmp_path: Path) -> Generator[Sleeper]:
    """Somebody sleeps."""
    made = Sleeper(tmp_path / "clock.jsonl")
    yield made
    made.over.set()


def test_time_is_skipped_after_three_seconds_without_a_change(sleeper: Sleeper) -> None:
    assert sleeper.looks(3) == [False, False, False]
    assert sleeper.clock.now() < sleeper.end - 0.9 * _HOUR
    assert sleeper.skipper.look(time.time()) > 0.9 * _HOUR
    assert sleeper.end - 1.0 <= sleeper.clock.now()


def test_a_change_is_waited_out(sleeper: Sleeper) -> None:
    sleeper.looks(3)
    sleeper.put()
    assert sleeper.looks(4) == [False, False, False, True]


def test_nothing_is_skipped_while_something_is_under_way(sleeper: Sleeper) -> None:
    sleeper.put("Pending")
    assert not any(sleeper.looks(6))
    assert sleeper.skipper.held_by == "pod team/p starts"
    sleeper.put()
    sleeper.at_work = True
    assert not any(sleeper.looks(6))
    assert sleeper.skipper.held_by == "the cloud or an autoscaler is at work"
    sleeper.at_work = False
    assert sleeper.looks(1) == [True]
    assert sleeper.skipper.held_by is None


def test_an_api_server_that_was_away_is_a_change(sleeper: Sleeper) -> None:
    sleeper.looks(3)
    sleeper.memory.away = True
    assert not any(sleeper.looks(6))
    sleeper.memory.away = False
    assert sleeper.looks(4) == [False, False, False, True]


def test_a_cluster_that_is_gone_is_not_asked(sleeper: Sleeper) -> None:
    sleeper.memory.away = True
    sleeper.skipper.ends("tpus")
    assert sleeper.looks(4) == [False, False, False, True]


def test_nothing_is_skipped_when_nobody_sleeps(sleeper: Sleeper) -> None:
    sleeper.over.set()
    eventually(lambda: sleeper.clock.next_alarm() is None)
    assert not any(sleeper.looks(6))


def test_idle_time_is_skipped_as_long_as_a_command_waits(sleeper: Sleeper) -> None:
    assert not sleeper.skipper.is_on()
    waiting = subprocess.Popen(["/bin/sleep", "60"])
    sleeper.skipper.register_command(waiting.pid, mutates=False)
    assert sleeper.skipper.is_on()
    waiting.kill()
    waiting.wait()
    assert not sleeper.skipper.is_on()


def test_idle_time_is_not_skipped_beside_a_command_that_acts(sleeper: Sleeper) -> None:
    acting = subprocess.Popen(["/bin/sleep", "60"])
    sleeper.skipper.register_command(os.getpid(), mutates=False)
    sleeper.skipper.register_command(acting.pid, mutates=True)
    assert not sleeper.skipper.is_on()
    acting.kill()
    acting.wait()
    assert sleeper.skipper.is_on()


def test_it_begins_to_look_when_a_command_comes(
    sleeper: Sleeper, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(skipper_module, "_STILL_SECONDS", 0)
    sleeper.skipper.start()
    sleeper.skipper.register_command(os.getpid(), mutates=False)
    eventually(sleeper.clock.now, lambda now: now >= sleeper.end - 1.0)
    sleeper.skipper.stop()
    assert " skipped 3" in capfd.readouterr().err


def test_looks_that_come_late_do_not_count(sleeper: Sleeper) -> None:
    assert not any(sleeper.skipper.look(time.time() - 0.6) for _ in range(6))
    assert sleeper.looks(3) == [False, False, True]
