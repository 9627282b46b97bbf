"""How to end a process that serves: by SIGINT or SIGTERM at any moment, or by a call that it serves.

A signal handler that raises can break into anything, and is swallowed inside a finalizer; one that sets a
`threading.Event` waits for ever when the thread that it interrupts is just inside the event's own lock. So the handler
here does nothing, and the interpreter writes the signal into a pipe that the main thread reads.
"""

from __future__ import annotations

import os
import select
import signal
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import FrameType


class Ending:
    """The request to end this process; it cannot be withdrawn."""

    def __init__(self) -> None:
        self._asked, self._asking = os.pipe()
        os.set_blocking(self._asking, False)

    def take_signals(self) -> None:
        """From now on SIGINT and SIGTERM ask for the end and do nothing else; to be called from the main thread."""
        signal.set_wakeup_fd(self._asking, warn_on_full_buffer=False)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, _nothing)

    def ask(self) -> None:
        """Ask for the end, from any thread."""
        with suppress(BlockingIOError):  # full of earlier requests
            os.write(self._asking, b"\0")

    def wait(self, seconds: float | None = None) -> bool:
        """Whether the end was asked for, within `seconds` or whenever that is."""
        asked, _, _ = select.select([self._asked], [], [], seconds)
        return bool(asked)


def _nothing(_number: int, _frame: FrameType | None) -> None:
    """Keep the signal from ending the process: the interpreter has recorded it already."""
