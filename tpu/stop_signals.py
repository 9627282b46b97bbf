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
        self._wake, self._signalled = os.pipe()
        os.set_blocking(self._signalled, False)
        self._before = {each: signal.getsignal(each) for each in _SIGNALS}

    def __enter__(self) -> Self:
        """Take the signals."""
        # Written by the interpreter's own handler: a signal just before `select` would not end it otherwise.
        self._wakeup_before = signal.set_wakeup_fd(self._signalled, warn_on_full_buffer=False)
        for each in _SIGNALS:
            signal.signal(each, self._ask)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Give the signals back."""
        self._restore()
        signal.set_wakeup_fd(self._wakeup_before)
        os.close(self._wake)
        os.close(self._signalled)

    def wait(self, seconds: float) -> bool:
        """Whether the end is asked for, within `seconds` at most."""
        signalled, _, _ = select.select([self._wake], [], [], max(0.0, seconds))
        return bool(signalled)

    def _ask(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        self._restore()

    def _restore(self) -> None:
        for each, handler in self._before.items():
            signal.signal(each, handler)
