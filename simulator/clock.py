"""Simulated time that runs faster than the real one, at a speed that can be changed while it runs, and can be skipped.

Every turn of the clock is recorded for readers that convert real moments to simulated ones: the logs of pods, the next
daemon, and `watch` (`watch/shown.py`).
"""

from __future__ import annotations

import json
import math
import threading
import time
from typing import TYPE_CHECKING, Final

from simulator.files import write_whole
from simulator.shown import Shown, Turn, turns_in

if TYPE_CHECKING:
    from pathlib import Path
    from threading import Event

_NOTICE_SECONDS: Final = 0.1
"""Real time within which a sleeper notices that the clock has turned."""


class SpeedClock:
    """Simulated seconds since 1970; starts at the real time and runs `speed` times as fast."""

    def __init__(self, speed: float, path: Path) -> None:
        """Continue from the turns in the file `path`, and record new ones there; while stopped, it stood still."""
        self._lock = threading.Lock()
        self._path = path
        self._turns = turns_in(path)
        write_whole(path, "".join(map(_line, self._turns)))  # the next turn begins a line, whatever was cut short
        self._alarms: dict[object, float] = {}
        real = time.time()
        self._turn(real, max(real, self.shown.at(real)), speed)

    @property
    def speed(self) -> float:
        """Simulated seconds per real second."""
        return self._speed

    @property
    def shown(self) -> Shown:
        """Simulated moments for real ones, and the other way round."""
        return Shown(self._turns)

    def set_speed(self, speed: float) -> None:
        """Run `speed` times as fast as the real time from now on."""
        with self._lock:
            self._turn(time.time(), self._now(), speed)

    def stop(self) -> None:
        """Stand still until another clock goes on."""
        self.set_speed(0.0)

    def now(self) -> float:
        """The simulated time."""
        with self._lock:
            return self._now()

    def sleep_until(self, moment: float, stop: Event) -> None:
        """Return when the simulated time has reached `moment`, or earlier when `stop` is set."""
        sleeper = object()
        with self._lock:
            self._alarms[sleeper] = moment
        try:
            while (left := moment - self.now()) > 0:
                if stop.wait(min(left / self._speed, _NOTICE_SECONDS) if self._speed else _NOTICE_SECONDS):
                    return
        finally:
            with self._lock:
                del self._alarms[sleeper]

    def next_alarm(self) -> float | None:
        """The earliest moment that somebody sleeps until; None when nobody sleeps."""
        with self._lock:
            return min(self._alarms.values(), default=None)

    def skip_to(self, moment: float) -> float:
        """Skip to just before `moment`, early enough that sleepers until then, or a little longer, wake up in order.

        The turn is recorded at the beginning of this real second: the API server keeps whole seconds, and what happens
        after the skip must not look as if it had happened before.

        Returns:
            The simulated seconds that were skipped: 0 when `moment` is less than a real second away.
        """
        with self._lock:
            real, target = time.time(), moment - _NOTICE_SECONDS * self._speed
            skipped = target - self._now()
            if not self._speed < skipped < math.inf:
                return 0.0
            whole = float(math.floor(real))
            self._turn(whole, target - (real - whole) * self._speed, self._speed, late=real - whole)
            return skipped

    def _turn(self, real: float, shown: float, speed: float, late: float = 0.0) -> None:
        """Be at `shown` at a real moment `late` seconds ago, and go on at `speed`."""
        self._base, self._since, self._speed = shown, time.monotonic() - late, speed
        self._turns = [*self._turns, Turn(real, shown, speed)]
        with self._path.open("a") as file:
            file.write(_line(self._turns[-1]))

    def _now(self) -> float:
        return self._base + (time.monotonic() - self._since) * self._speed


def _line(turn: Turn) -> str:
    return f"{json.dumps(turn)}\n"
