"""One switch that ends all builds: for an interrupt, and for the failure of one of them.

Go runs in a process group of its own, so that an interrupt of the terminal reaches this process alone, which then ends
the group and removes everything half-made.
"""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

_END_SECONDS: Final = 5.0
"""Time that Go has to remove its own temporary files after an interrupt."""


class Stopped(Exception):  # noqa: N818  nobody's error: the user or another build's failure ended it
    """The switch ended the build."""


class Stop:
    """One switch for every running build."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pulled = threading.Event()
        self._running: set[subprocess.Popen[str]] = set()

    def pull(self) -> None:
        """End the running builds and prevent new ones."""
        with self._lock:
            self._pulled.set()
            running = list(self._running)
        for process in running:
            _signal_group(process, signal.SIGINT)
        for process in running:
            try:
                process.wait(_END_SECONDS)
            except subprocess.TimeoutExpired:
                _signal_group(process, signal.SIGKILL)

    def pause(self, seconds: float) -> None:
        """Wait; the switch ends the wait.

        Raises:
            Stopped: it was pulled.
        """
        if self._pulled.wait(seconds):
            raise Stopped

    def start(
        self, command: list[str], *, folder: Path, environment: dict[str, str], output: int
    ) -> subprocess.Popen[str]:
        """Start `command`, its standard output on the descriptor `output`, its standard error readable by lines.

        Raises:
            Stopped: the switch was pulled.
        """
        with self._lock:
            if self._pulled.is_set():
                raise Stopped
            process = subprocess.Popen(
                command,
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
                process_group=0,
            )
            self._running.add(process)
            return process

    def ended(self, process: subprocess.Popen[str]) -> None:
        """Forget a process that has been waited for.

        Raises:
            Stopped: the switch was pulled, so that its exit code means nothing.
        """
        with self._lock:
            self._running.discard(process)
            if self._pulled.is_set():
                raise Stopped


def _signal_group(process: subprocess.Popen[str], number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, number)
