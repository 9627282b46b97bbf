"""Simulated time that runs faster than the real one, at a speed that can be changed while it runs."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from threading import Event


class SpeedClock:
    """Simulated seconds since 1970; starts at the real time and runs `speed` times as fast."""

    def __init__(self, speed: float, *, not_before: float = 0.0) -> None:
        """`not_before` is the moment that an earlier clock had come to: time does not go back."""
        self._lock = threading.Lock()
        self._speed = speed
        self._base = max(time.time(), not_before)
        self._since = time.monotonic()

    @property
    def speed(self) -> float:
        """Simulated seconds per real second."""
        return self._speed

    def set_speed(self, speed: float) -> None:
        """Run `speed` times as fast as the real time from now on."""
        with self._lock:
            self._base, self._since = self._now(), time.monotonic()
            self._speed = speed

    def now(self) -> float:
        """The simulated time."""
        with self._lock:
            return self._now()

    def sleep_until(self, moment: float, stop: Event) -> None:
        """Return when the simulated time has reached `moment`, or earlier when `stop` is set."""
        while (left := moment - self.now()) > 0:
            if stop.wait(min(left / self._speed, 1.0)):
                return

    def _now(self) -> float:
        return self._base + (time.monotonic() - self._since) * self._speed
