"""Waiting for what happens in another thread or process."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

_Value = TypeVar("_Value")
_SHORTEST: Final = 0.02
_LONGEST: Final = 1.0
"""Seconds between two looks: twice what the last one took, so that to look keeps nobody from what is awaited."""
_SHARE: Final = 0.05
"""The same as a share of the time that was waited: whoever waits long looks seldom, and waits hardly longer for it."""


def eventually(
    look: Callable[[], _Value],
    accept: Callable[[_Value], bool] = bool,
    *,
    what: str = "what is waited for",
    seconds: float = 60.0,
) -> _Value:
    """The first value of `look` that is accepted; fails with `what` and the last value seen."""
    first, pause = time.monotonic(), threading.Event()
    while True:
        begun = time.monotonic()
        value = look()
        if accept(value):
            return value
        now = time.monotonic()
        assert now < first + seconds, f"{what} was not seen within {seconds:.0f} s; last seen: {value!r}"
        pause.wait(min(max(2 * (now - begun), _SHARE * (now - first), _SHORTEST), _LONGEST))
