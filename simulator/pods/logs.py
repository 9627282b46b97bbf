"""Pods' logs: lines with the time at which they were written, from a file or from a script that is not run.

A log file is in the kubelet's CRI form (`TIME stdout F TEXT`), so that `kubectl logs --timestamps` has what it needs.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import threading
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from simulator.pods.script import Script
    from simulator.shown import Shown


@dataclass(frozen=True, slots=True)
class Line:
    """One line of output."""

    time: float
    """Seconds since the epoch."""
    text: str


class Log(Protocol):
    """The output of one container."""

    def lines(self) -> list[Line]:
        """Everything written so far, oldest first."""
        ...

    def is_over(self) -> bool:
        """Whether nothing will follow."""
        ...


@dataclass(frozen=True, slots=True)
class ScriptLog:
    """The output of a simulated container by now: its script, whose steps take simulated seconds."""

    script: Script
    started: float
    """Seconds since the epoch, real as the others."""
    ended: float | None
    """When the container ended, perhaps before its script."""
    now: Callable[[], float]
    shown: Callable[[], Shown]
    """Converts real moments to simulated ones."""

    def lines(self) -> list[Line]:
        """The steps' output up to now, each line with its real time."""
        shown = self.shown()
        until = shown.at(min(self.now(), self.ended if self.ended is not None else float("inf")))
        written: list[Line] = []
        time = shown.at(self.started)
        for step in self.script.steps:
            time += step.seconds
            if time > until:
                break
            if step.output is not None:
                written.append(Line(shown.real(time), step.output))
        return written

    def is_over(self) -> bool:
        """Whether the script has ended or was cut off."""
        shown = self.shown()
        return self.ended is not None or shown.at(self.now()) >= shown.at(self.started) + self.script.seconds


@dataclass(frozen=True, slots=True)
class FileLog:
    """The output of a host program, as `CriWriter` wrote it."""

    path: Path
    running: Callable[[], bool]

    def lines(self) -> list[Line]:
        """Every whole line in the file; one that a full disk or a crash cut short is left out."""
        if not self.path.exists():
            return []
        parsed: list[Line] = []
        # Only a newline ends a line here: a program may print any other character that Python takes for an end.
        for line in self.path.read_bytes().decode(errors="replace").split("\n")[:-1]:
            stamp, _, rest = line.partition(" ")
            with contextlib.suppress(ValueError):
                parsed.append(Line(dt.datetime.fromisoformat(stamp).timestamp(), rest.split(" ", 2)[-1]))
        return parsed

    def is_over(self) -> bool:
        """Whether the program has ended."""
        return not self.running()


class CriWriter:
    """Copies a program's output into a log file, line by line, until the program closes it."""

    def __init__(self, output: IO[bytes], path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._output = output
        self._path = path
        self._thread = threading.Thread(target=self._copy, name=f"log-{path.stem}", daemon=True)
        self._thread.start()

    def join(self) -> None:
        """Return when everything is written."""
        self._thread.join()

    def _copy(self) -> None:
        with self._output, self._path.open("ab", buffering=0) as log:
            for line in self._output:
                text = line.decode(errors="replace").rstrip("\n")
                with contextlib.suppress(OSError):  # the disk is full: the line is lost, the program goes on
                    log.write(f"{rfc3339(dt.datetime.now(dt.UTC).timestamp())} stdout F {text}\n".encode())


def rfc3339(time: float) -> str:
    """A time as the kubelet writes it, with nine digits of a second.

    >>> rfc3339(0.5)
    '1970-01-01T00:00:00.500000000Z'
    """
    whole = dt.datetime.fromtimestamp(time, dt.UTC)
    return f"{whole:%Y-%m-%dT%H:%M:%S}.{whole.microsecond:06d}000Z"
