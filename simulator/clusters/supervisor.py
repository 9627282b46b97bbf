"""Keep processes running: start, see them ready, notice their death, start them again, stop them.

A process that dies by itself is an incident: it is recorded with its exit status and the last lines of its log, and the
process is started again, as a managed control plane would be. One that keeps dying is given up, and whoever waits for
it gets an error instead of a time-out. Every process is recorded with its start time, so that the next supervisor finds
and ends what a killed one left behind.
"""

from __future__ import annotations

import subprocess
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from simulator.probes import HttpProbe
from simulator.processes import end_process, exit_reason, record_child, tail

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from simulator.clusters.control_plane import Process

_PROBE_INTERVAL: Final = 0.1
"""Seconds between two looks at a health endpoint."""
_STOP_SECONDS: Final = 10.0
"""Seconds that a process has to end after SIGTERM before it is killed."""
_RESTARTS: Final = 5
"""Restarts within `_RESTART_WINDOW` seconds after which a process is given up."""
_RESTART_WINDOW: Final = 60.0
_FIRST_PAUSE: Final = 0.2
"""Seconds before the first restart; each further one within the window waits twice as long."""
_LOG_LINES: Final = 5


class ProcessError(Exception):
    """A process does not run or does not become ready; the text has its name, exit status and last log lines."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Incident:
    """The unexpected end of a process."""

    process: str
    time: float
    """Seconds since the epoch."""
    reason: str
    """`was killed by SIGKILL` or `exited with status 1`."""
    last_lines: tuple[str, ...]

    def __str__(self) -> str:
        """One sentence and the last lines of the log."""
        lines = "".join(f"\n    {line}" for line in self.last_lines)
        return f"{self.process} {self.reason}{lines}"


def told(incidents: Sequence[Incident]) -> str:
    """What happened, in order, with the last lines of the last one's log; there is at least one incident."""
    *before, last = incidents
    return ", then ".join([*(f"{each.process} {each.reason}" for each in before), str(last)])


@dataclass(slots=True)
class _Running:
    process: Process
    child: subprocess.Popen[bytes]
    starts: list[float] = field(default_factory=list[float])


class Supervisor:
    """The processes of one cluster. Thread-safe; one thread per process waits for its end."""

    def __init__(self, folder: Path, report: Callable[[Incident], None]) -> None:
        """`folder` is the processes' working directory; `report` is called for every incident."""
        self._folder = folder
        self._report = report
        self._running: dict[str, _Running] = {}
        self._given_up: dict[str, Incident] = {}
        self._incidents: list[Incident] = []
        self._changed = threading.Condition()
        self._stopping = threading.Event()

    @property
    def incidents(self) -> list[Incident]:
        """Every unexpected end since the supervisor began, oldest first."""
        with self._changed:
            return list(self._incidents)

    def pid(self, name: str) -> int | None:
        """Process id, or None when it does not run."""
        with self._changed:
            running = self._running.get(name)
            return running.child.pid if running is not None and running.child.poll() is None else None

    def is_given_up(self, name: str) -> bool:
        """Whether the process died too often to be started again."""
        with self._changed:
            return name in self._given_up

    def start(self, process: Process) -> None:
        """Start a process that does not run yet and keep it running."""
        with self._changed:
            running = _Running(process, self._spawn(process), [time.monotonic()])
            self._running[process.name] = running
        threading.Thread(target=self._supervise, args=(running,), name=f"supervise-{process.name}", daemon=True).start()

    def wait_ready(self, processes: Sequence[Process], seconds: float) -> None:
        """Return when every probe of `processes` answers; one without a probe is not waited for.

        Raises:
            ProcessError: one was given up, or not all are ready after `seconds`; with its name and last log lines.
        """
        deadline = time.monotonic() + seconds
        for process in processes:
            probe = None if process.probe is None else HttpProbe(process.probe, self._folder / "pki")
            while probe is not None and not probe.answers():
                self._raise_if_lost(process, probe, late=time.monotonic() > deadline)
                self._stopping.wait(_PROBE_INTERVAL)

    def stop(self, names: Sequence[str] | None = None) -> None:
        """End the processes (all when `names` is None), the last started first, and wait until they are gone."""
        if names is None:
            self._stopping.set()
        with self._changed:
            chosen = [name for name in self._running if names is None or name in names]
            leaving = [self._running.pop(name) for name in reversed(chosen)]
        for running in leaving:
            end_process(running.child, _STOP_SECONDS)
            self._record_path(running.process.name).unlink(missing_ok=True)

    def _raise_if_lost(self, process: Process, probe: HttpProbe, *, late: bool) -> None:
        with self._changed:
            lost = self._given_up.get(process.name)
        if lost is not None:
            raise ProcessError(f"{lost.process} keeps ending: it {lost.reason}.{_quoted(process.log)}")
        if self._stopping.is_set():
            raise ProcessError(f"{process.name} was stopped before it was ready")
        if late:
            raise ProcessError(f"{process.name} is not ready: {probe.last_answer}.{_quoted(process.log)}")

    def _spawn(self, process: Process) -> subprocess.Popen[bytes]:
        process.log.parent.mkdir(parents=True, exist_ok=True)
        with process.log.open("ab") as log:
            child = subprocess.Popen(
                process.arguments,
                cwd=self._folder,
                env=dict(process.environment),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        record_child(self._record_path(process.name), child)
        return child

    def _supervise(self, running: _Running) -> None:
        """Wait for the end of the process, again and again while it is wanted."""
        while True:
            status = running.child.wait()
            with self._changed:
                if self._running.get(running.process.name) is not running:
                    return
                incident = _incident(running.process, exit_reason(status))
                self._incidents.append(incident)
                recent = [start for start in running.starts if time.monotonic() - start < _RESTART_WINDOW]
                give_up = len(recent) > _RESTARTS
                if give_up:
                    self._given_up[running.process.name] = incident
                    del self._running[running.process.name]
            self._report(incident)
            if give_up or self._stopping.wait(_FIRST_PAUSE * 2 ** (len(recent) - 1)):
                return
            with self._changed:
                if self._running.get(running.process.name) is not running:
                    return
                try:
                    running.child = self._spawn(running.process)
                except OSError as error:
                    self._give_up(running, f"cannot be started again: {error}")
                    return
                running.starts = [*recent, time.monotonic()]

    def _give_up(self, running: _Running, reason: str) -> None:
        """Leave the process ended, for a reason of this machine; called with the lock held."""
        incident = _incident(running.process, reason)
        self._incidents.append(incident)
        self._given_up[running.process.name] = incident
        del self._running[running.process.name]

    def _record_path(self, name: str) -> Path:
        return self._folder / "pids" / f"{name}.json"


def _incident(process: Process, reason: str) -> Incident:
    """What happened to a process now, with the last lines of its log."""
    return Incident(process=process.name, time=time.time(), reason=reason, last_lines=tail(process.log, _LOG_LINES))


def _quoted(log: Path) -> str:
    lines = tail(log, _LOG_LINES)
    return "" if not lines else f" Last lines of {log.name}:" + "".join(f"\n    {line}" for line in lines)
