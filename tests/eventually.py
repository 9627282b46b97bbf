"""Waiting for what happens in another thread or process."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

_Value = TypeVar("_Value")
_SHORTEST: Final = 0.02
_LONGEST: Final = 0.15
"""Seconds between two looks: a twentieth of the time that has passed. Who looks at an API server all the time keeps it,
and the controllers beside it, from what is awaited."""


def eventually(
    look: Callable[[], _Value],
    accept: Callable[[_Value], bool] = bool,
    *,
    what: str = "what is waited for",
    seconds: float = 60.0,
) -> _Value:
    """The first value of `look` that is accepted; fails with `what` and the last value seen."""
    begun, pause = time.monotonic(), threading.Event()
    while True:
        value = look()
        if accept(value):
            return value
        waited = time.monotonic() - begun
        assert waited < seconds, f"{what} was not seen within {seconds:.0f} s; last seen: {value!r}"
        pause.wait(min(max(waited / 20, _SHORTEST), _LONGEST))
