"""The time of the simulated cloud: injected, so that a test or a faster simulation decides how long a second is."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from threading import Event


class Clock(Protocol):
    """Simulated time."""

    def now(self) -> float:
        """Simulated seconds since 1970."""
        ...

    def sleep_until(self, moment: float, stop: Event) -> None:
        """Return when the simulated time has reached `moment`, or earlier when `stop` is set."""
        ...


def timestamp(seconds: float) -> str:
    """A moment as Google's APIs write it.

    >>> timestamp(0)
    '1970-01-01T00:00:00.000000Z'
    """
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
