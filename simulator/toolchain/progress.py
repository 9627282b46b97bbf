"""The display while tools are built: how far the present build is, and a line that stays for each that has ended."""

from __future__ import annotations

import shutil
import time
from typing import Final, TextIO

PLAIN_SECONDS: Final = 15.0
"""Least time between two passing lines where there is no terminal."""
_ERASE_LINE: Final = "\r\x1b[K"


class Progress:
    """Lines on a stream. A terminal shows passing lines in one place; elsewhere one is printed now and then."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._erase = _ERASE_LINE if stream.isatty() else ""
        self._due = 0.0

    def passing(self, text: str) -> None:
        """Show how far a build is."""
        if self._erase:
            self._stream.write(f"{self._erase}{text[: shutil.get_terminal_size().columns - 1]}")
            self._stream.flush()
        elif time.monotonic() >= self._due:
            self._due = time.monotonic() + PLAIN_SECONDS
            self.lasting(text)

    def lasting(self, text: str) -> None:
        """Print a line that stays."""
        print(f"{self._erase}{text}", file=self._stream, flush=True)


def duration(seconds: float) -> str:
    """A time for a reader: `46 s`, `6 min 06 s`."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02d} s" if minutes else f"{rest} s"
