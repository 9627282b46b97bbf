"""Asking for the end by a signal."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

import pytest

from tpu.stop_signals import Stop

if TYPE_CHECKING:
    from collections.abc import Generator


def test_a_wait_without_a_signal_ends_when_its_time_is_over() -> None:
    with Stop() as stop:
        assert not stop.wait(0.01)
        assert not stop.wait(-1)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_this_wait_and_the_next(number: int) -> None:
    before = signal.getsignal(number)
    with Stop() as stop:
        signal.raise_signal(number)
        assert stop.wait(3600)
        assert stop.wait(3600)
    assert signal.getsignal(number) == before


@pytest.fixture
def interruptible() -> Generator[None]:
    """Python's own answer to Ctrl-C, which it does not have where a shell started it in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_a_second_ctrl_c_interrupts_as_ever() -> None:
    with Stop():
        signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
