"""Waiting for what happens in another thread or process."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

_Value = TypeVar("_Value")


def eventually(
    look: Callable[[], _Value],
    accept: Callable[[_Value], bool] = bool,
    *,
    what: str = "what is waited for",
    seconds: float = 60.0,
) -> _Value:
    """The first value of `look` that is accepted; fails with `what` and the last value seen."""
    deadline, pause = time.monotonic() + seconds, threading.Event()
    while True:
        value = look()
        if accept(value):
            return value
        assert time.monotonic() < deadline, f"{what} was not seen within {seconds:.0f} s; last seen: {value!r}"
        pause.wait(0.02)
