"""Processes of this machine: how they ended, what they last wrote, and which were left behind.

A process is recorded with its start time, because its id alone may belong to another process by the time it is read.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import threading
from pathlib import Path
from typing import Final

from simulator.files import BrokenFileError, read_json, write_whole

GO_VARIABLES: Final = ("GOGC", "GOMEMLIMIT", "GOMAXPROCS")
"""The settings of Go's runtime that processes get from the user's environment."""


def go_variables() -> dict[str, str]:
    """Those of `GO_VARIABLES` that the user has set."""
    return {name: value for name in GO_VARIABLES if (value := os.environ.get(name))}


def exit_reason(status: int) -> str:
    """How a process ended, from its wait status as subprocess gives it."""
    if status < 0:
        return f"was killed by {signal.Signals(-status).name}"
    return f"exited with status {status}"


def tail(log: Path, lines: int) -> tuple[str, ...]:
    """The last non-empty lines of a log file, none when there is no such file."""
    try:
        with log.open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - 16384))
            text = file.read().decode(errors="replace")
    except FileNotFoundError:
        return ()
    return tuple(line for line in text.splitlines() if line.strip())[-lines:]


def end_process(child: subprocess.Popen[bytes], seconds: float) -> None:
    """SIGTERM, then SIGKILL after `seconds`, to a child and everything in its session.

    What the child leaves behind in its session is killed. A child that has ended already gets no signal: its id may
    belong to another process by now.
    """
    if child.poll() is not None:
        return
    _signal_group(child.pid, signal.SIGTERM)
    with contextlib.suppress(subprocess.TimeoutExpired):
        child.wait(seconds)
    _signal_group(child.pid, signal.SIGKILL)
    child.wait()


def record_process(path: Path, pid: int) -> None:
    """Record a process with its start time, which distinguishes it from a later one with the same id."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, json.dumps({"pid": pid, "started": start_time(pid)}))


def record_child(path: Path, child: subprocess.Popen[bytes]) -> None:
    """Record a child; end it when the disk does not take the record, because nobody would find it again."""
    try:
        record_process(path, child.pid)
    except OSError:
        end_process(child, 0)
        raise


def end_recorded(folder: Path) -> list[str]:
    """Kill every process recorded in `folder` that still runs, and return their names.

    A supervisor that was itself killed left them.
    """
    ended: list[str] = []
    for path in sorted(folder.glob("*.json")):
        with contextlib.suppress(BrokenFileError):  # it names no process
            record = read_json(path)
            if start_time(record["pid"]) == record["started"] is not None:
                _signal_group(record["pid"], signal.SIGKILL)
                _await_gone(record["pid"])
                ended.append(path.stem)
        path.unlink()
    return ended


def start_time(pid: int) -> str | None:
    """When the process began, in the kernel's own words, or None when there is no such process (or it is a zombie)."""
    stat = Path(f"/proc/{pid}/stat")
    if Path("/proc/self/stat").exists():
        try:
            state, *rest = stat.read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            return None
        return None if state == "Z" else rest[18]
    done = subprocess.run(["ps", "-o", "lstart=", "-p", str(pid)], capture_output=True, text=True, check=False)  # noqa: S607
    return done.stdout.strip() or None


def _signal_group(pid: int, number: signal.Signals) -> None:
    try:
        os.killpg(pid, number)
    except (PermissionError, ProcessLookupError):
        return  # gone, or (on macOS) nothing but zombies


def _await_gone(pid: int) -> None:
    """The process is not our child, so its end can only be seen, not waited for."""
    gone = threading.Event()
    while start_time(pid) is not None:
        gone.wait(0.02)
