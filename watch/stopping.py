"""Ending on Ctrl-C or SIGTERM between two steps, never in the middle of one."""

from __future__ import annotations

import os
import select
import signal
from typing import TYPE_CHECKING, Final, Self

if TYPE_CHECKING:
    from types import FrameType, TracebackType

_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


class Stop:
    """Within `with`, the first signal only asks for the end; a second one ends the process as it would without this."""

    def __init__(self) -> None:
        self.is_asked = False
        """Whether the end was asked for."""
        self._wake, self._signalled = os.pipe()
        self._before = {each: signal.getsignal(each) for each in _SIGNALS}

    def __enter__(self) -> Self:
        """Take the signals."""
        for each in _SIGNALS:
            signal.signal(each, self._ask)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Give the signals back."""
        self._restore()
        os.close(self._wake)
        os.close(self._signalled)

    def wait(self, seconds: float) -> bool:
        """Whether the end is asked for, within `seconds` at most."""
        select.select([self._wake], [], [], max(0.0, seconds))
        return self.is_asked

    def _ask(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        self.is_asked = True
        self._restore()
        os.write(self._signalled, b"x")

    def _restore(self) -> None:
        for each, handler in self._before.items():
            signal.signal(each, handler)
