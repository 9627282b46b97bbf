"""Simulated time against a real time that the test moves."""

from __future__ import annotations

import math
import queue
import threading
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from simulator import clock as clock_module
from simulator.clock import SpeedClock
from tests.eventually import eventually

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the turns are kept."""
    return tmp_path / "clock.jsonl"


@pytest.fixture
def pass_time(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Lets real seconds pass; it begins 1000 s after 1970."""
    passed = [0.0]

    def move(seconds: float) -> None:
        passed[0] += seconds

    time = SimpleNamespace(time=lambda: 1000.0 + passed[0], monotonic=lambda: 50.0 + passed[0])
    monkeypatch.setattr(clock_module, "time", time)
    return move


def test_it_begins_now_and_runs_at_its_speed(pass_time: Callable[[float], None], path: Path) -> None:
    clock = SpeedClock(10.0, path)
    assert (clock.now(), clock.speed) == (1000.0, 10.0)
    pass_time(2.5)
    assert clock.now() == 1025.0


def test_another_speed_counts_from_now_on(pass_time: Callable[[float], None], path: Path) -> None:
    clock = SpeedClock(10.0, path)
    pass_time(1.0)
    clock.set_speed(100.0)
    assert (clock.now(), clock.speed) == (1010.0, 100.0)
    pass_time(1.0)
    assert clock.now() == 1110.0
    clock.set_speed(1.0)
    pass_time(1.0)
    assert clock.now() == 1111.0


def test_a_moment_that_has_come_is_not_waited_for(pass_time: Callable[[float], None], path: Path) -> None:
    clock = SpeedClock(10.0, path)
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


def test_a_sleep_is_as_long_as_the_speed_makes_it(pass_time: Callable[[float], None], path: Path) -> None:
    clock, stop = SpeedClock(10.0, path), _Waits(pass_time)
    clock.sleep_until(1005.0, stop)
    assert sum(stop.noted) == pytest.approx(0.5)
    assert clock.now() == pytest.approx(1005.0)


def test_a_long_sleep_notices_another_speed(pass_time: Callable[[float], None], path: Path) -> None:
    clock, stop = SpeedClock(1.0, path), _Waits(pass_time)
    stop.then = lambda: clock.set_speed(1000.0)
    clock.sleep_until(2000.1, stop)
    assert sum(stop.noted) == pytest.approx(1.1)
    assert clock.now() == pytest.approx(2000.1)


def test_a_sleep_ends_when_it_is_told_to(pass_time: Callable[[float], None], path: Path) -> None:
    clock, stop = SpeedClock(1.0, path), _Waits(pass_time)
    stop.then = stop.set
    clock.sleep_until(9999.0, stop)
    assert clock.now() == 1000.1


def test_an_event_that_is_set_before_ends_a_sleep_that_has_just_begun(path: Path) -> None:
    stop = threading.Event()
    stop.set()
    SpeedClock(1.0, path).sleep_until(math.inf, stop)


def test_skipped_time_is_gone_but_for_a_tenth_of_a_second(pass_time: Callable[[float], None], path: Path) -> None:
    clock = SpeedClock(10.0, path)
    pass_time(2.25)
    assert clock.skip_to(4600.0) == 4600 - 1 - 1022.5
    assert clock.now() == 4599.0
    pass_time(0.1)
    assert clock.now() == 4600.0


def test_a_skip_counts_from_the_beginning_of_its_second(pass_time: Callable[[float], None], path: Path) -> None:
    clock = SpeedClock(10.0, path)
    pass_time(2.25)
    clock.skip_to(4600.0)
    assert clock.shown.at(1001.0) == 1010.0
    assert clock.shown.at(1002.0) == 4596.5
    assert clock.shown.at(1002.25) == clock.now()


@pytest.mark.parametrize("moment", [1010.0, 1020.0, 1030.99, math.inf])
def test_what_comes_by_itself_or_never_is_not_skipped_to(
    pass_time: Callable[[float], None], path: Path, moment: float
) -> None:
    clock = SpeedClock(10.0, path)
    pass_time(2.0)
    assert clock.skip_to(moment) == 0.0
    assert clock.now() == 1020.0
    assert len(clock.shown.turns) == 1


def test_the_next_alarm_is_the_earliest_moment_that_is_slept_until(path: Path) -> None:
    clock, stop = SpeedClock(0.001, path), threading.Event()
    assert clock.next_alarm() is None
    moments = [clock.now() + seconds for seconds in (500.0, 200.0, 900.0)]
    sleepers = [threading.Thread(target=clock.sleep_until, args=(moment, stop)) for moment in moments]
    for each in sleepers:
        each.start()
    eventually(clock.next_alarm, lambda seen: seen == moments[1], what="all sleep")
    stop.set()
    for each in sleepers:
        each.join()
    assert clock.next_alarm() is None


def test_sleepers_wake_in_their_order_after_a_skip(path: Path) -> None:
    clock, woken = SpeedClock(10.0, path), queue.SimpleQueue[int]()

    def sleep(number: int, moment: float) -> None:
        clock.sleep_until(moment, threading.Event())
        woken.put(number)

    begun = clock.now()
    order = [3, 1, 4, 2]
    for number in order:
        threading.Thread(target=sleep, args=(number, begun + 3600 + number), daemon=True).start()
    eventually(clock.next_alarm, lambda seen: seen == begun + 3601, what="all sleep")
    assert clock.skip_to(begun + 3601) > 3500
    assert [woken.get(timeout=10) for _ in order] == [1, 2, 3, 4]


def test_another_clock_goes_on_where_one_was_stopped(pass_time: Callable[[float], None], path: Path) -> None:
    clock = SpeedClock(10.0, path)
    pass_time(5.0)
    clock.stop()
    pass_time(7.0)
    assert (clock.now(), clock.shown.at(1012.0)) == (1050.0, 1050.0)
    later = SpeedClock(100.0, path)
    pass_time(1.0)
    assert (later.now(), later.shown.at(1012.0), later.shown.at(1003.0)) == (1150.0, 1050.0, 1030.0)


def test_time_went_on_for_a_clock_that_was_not_stopped(pass_time: Callable[[float], None], path: Path) -> None:
    SpeedClock(10.0, path)
    pass_time(5.0)
    assert SpeedClock(10.0, path).now() == 1050.0


def test_time_is_never_behind_the_real_one(pass_time: Callable[[float], None], path: Path) -> None:
    SpeedClock(10.0, path).stop()
    pass_time(100.0)
    assert SpeedClock(10.0, path).now() == 1100.0


def test_nobody_wakes_up_by_himself_while_the_clock_stands_still(
    pass_time: Callable[[float], None], path: Path
) -> None:
    clock, stop = SpeedClock(10.0, path), _Waits(pass_time)
    clock.stop()
    stop.then = stop.set
    clock.sleep_until(1001.0, stop)
    assert (clock.now(), len(stop.noted)) == (1000.0, 1)
