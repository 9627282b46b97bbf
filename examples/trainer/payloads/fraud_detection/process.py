"""The process: its output, and its end on SIGTERM or Ctrl-C between two steps, never in the middle of one."""

from __future__ import annotations

import json
import signal
import sys
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, TextIO

from payloads.fraud_detection.errors import StoppedError

if TYPE_CHECKING:
    from types import FrameType

_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)
EXIT_STOPPED: Final = 128 + signal.SIGTERM
"""Exit code of a worker that was asked to end, which does not complete its Job."""


class Log:
    """The output of a command: lines for people, or one JSON object a line."""

    def __init__(self, *, is_json: bool = False, to: TextIO | None = None) -> None:
        """`to` is the standard output by default."""
        self._is_json = is_json
        self._to = sys.stdout if to is None else to

    def say(self, event: str, text: str, **fields: object) -> None:
        """One line: `text`, or as JSON the time, the event, the text and the fields. Undecodable names are escaped."""
        if self._is_json:
            when = datetime.now(UTC).isoformat(timespec="milliseconds")
            line = json.dumps({"time": when, "event": event, "message": text, **fields})
        else:
            line = text.encode(errors="backslashreplace").decode()
        print(line, file=self._to, flush=True)


class Stop:
    """The first signal only asks for the end; a second one ends the process, as without this class."""

    def __init__(self) -> None:
        """Signals are handled from here on until `restore`."""
        self._is_asked = False
        self._is_waiting = False
        self._before = {each: signal.signal(each, self._ask) for each in _SIGNALS}

    def wait(self, seconds: float) -> None:
        """Wait that long; raises StoppedError when the end was asked for, before or meanwhile."""
        self._is_waiting = True  # from here on a signal ends the wait by its error, also just before the sleep
        try:
            self.check()
            time.sleep(seconds)
        finally:
            self._is_waiting = False

    def check(self) -> None:
        """Raises StoppedError when the end is asked for."""
        if self._is_asked:
            raise StoppedError

    def _ask(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        self._is_asked = True
        self.restore()
        if self._is_waiting:
            raise StoppedError

    def restore(self) -> None:
        """Handle signals as before."""
        for each, handler in self._before.items():
            signal.signal(each, handler)
