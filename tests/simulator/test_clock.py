"""Simulated time against a real time that the test moves."""

from __future__ import annotations

import threading
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from simulator import clock as clock_module
from simulator.clock import SpeedClock

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture
def pass_time(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Lets real seconds pass; it begins 1000 s after 1970."""
    passed = [0.0]

    def move(seconds: float) -> None:
        passed[0] += seconds

    time = SimpleNamespace(time=lambda: 1000.0 + passed[0], monotonic=lambda: 50.0 + passed[0])
    monkeypatch.setattr(clock_module, "time", time)
    return move


def test_it_begins_now_and_runs_at_its_speed(pass_time: Callable[[float], None]) -> None:
    clock = SpeedClock(10.0)
    assert (clock.now(), clock.speed) == (1000.0, 10.0)
    pass_time(2.5)
    assert clock.now() == 1025.0


def test_another_speed_counts_from_now_on(pass_time: Callable[[float], None]) -> None:
    clock = SpeedClock(10.0)
    pass_time(1.0)
    clock.set_speed(100.0)
    assert (clock.now(), clock.speed) == (1010.0, 100.0)
    pass_time(1.0)
    assert clock.now() == 1110.0
    clock.set_speed(1.0)
    pass_time(1.0)
    assert clock.now() == 1111.0


def test_a_moment_that_has_come_is_not_waited_for(pass_time: Callable[[float], None]) -> None:
    clock = SpeedClock(10.0)
    pass_time(1.0)
    clock.sleep_until(1010.0, _Waits(pass_time))
    assert clock.now() == 1010.0


class _Waits(threading.Event):
    """Doubles a stop event: waiting on it lets the real time pass, and is noted."""

    def __init__(self, pass_time: Callable[[float], None]) -> None:
        super().__init__()
        self._pass_time = pass_time
        self.noted: list[float] = []
        self.then: Callable[[], None] = lambda: None

    def wait(self, timeout: float | None = None) -> bool:
        assert timeout is not None
        self.noted.append(timeout)
        self._pass_time(timeout)
        self.then()
        return self.is_set()


def test_a_sleep_is_as_long_as_the_speed_makes_it(pass_time: Callable[[float], None]) -> None:
    clock, stop = SpeedClock(10.0), _Waits(pass_time)
    clock.sleep_until(1005.0, stop)
    assert stop.noted == [0.5]
    assert clock.now() == 1005.0


def test_a_long_sleep_notices_another_speed(pass_time: Callable[[float], None]) -> None:
    clock, stop = SpeedClock(1.0), _Waits(pass_time)
    stop.then = lambda: clock.set_speed(1000.0)
    clock.sleep_until(2001.0, stop)
    assert stop.noted == [1.0, 1.0]
    assert clock.now() == 2001.0


def test_a_sleep_ends_when_it_is_told_to(pass_time: Callable[[float], None]) -> None:
    clock, stop = SpeedClock(1.0), _Waits(pass_time)
    stop.then = stop.set
    clock.sleep_until(9999.0, stop)
    assert clock.now() == 1001.0


def test_time_does_not_go_back_after_a_restart(pass_time: Callable[[float], None]) -> None:
    clock = SpeedClock(10.0, not_before=5000.0)
    pass_time(2.0)
    assert clock.now() == 5020.0
    assert SpeedClock(10.0, not_before=5.0).now() == 1002.0
