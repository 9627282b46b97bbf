"""Processes that are told to end, by a signal or by a call."""

from __future__ import annotations

import signal
import threading
from typing import TYPE_CHECKING

import pytest

from simulator.stop_signals import Ending

if TYPE_CHECKING:
    from collections.abc import Generator


@pytest.fixture
def ending() -> Generator[Ending]:
    """An ending whose signals are given back."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield Ending()
    signal.set_wakeup_fd(-1)
    for number, handler in before.items():
        signal.signal(number, handler)


def test_a_wait_without_a_wish_ends_when_its_time_is_over(ending: Ending) -> None:
    assert not ending.wait(0.01)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_every_wait_and_nothing_else(ending: Ending, number: int) -> None:
    ending.take_signals()
    signal.raise_signal(number)
    signal.raise_signal(number)
    assert ending.wait()
    assert ending.wait()


def test_a_thread_can_ask(ending: Ending) -> None:
    threading.Thread(target=ending.ask).start()
    assert ending.wait()


def test_asking_again_and_again_holds_nobody_up(ending: Ending) -> None:
    for _ in range(100_000):  # more than a pipe holds
        ending.ask()
    assert ending.wait()
