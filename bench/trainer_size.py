"""Peak memory and time of a worker of the batch-ml trainer for a dataset of a million rows.

The worker is a process of its own with a real Redis server, on a share in a folder; the kernel measures the peak.
"""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING, Final

from simulator.pods.redis_server import server_executable
from simulator.ports import free_port

if TYPE_CHECKING:
    from pathlib import Path

ROWS: Final = 1_000_000
GOAL_MIB: Final = 500
_COMMAND: Final = (sys.executable, "-m", "payloads.fraud_detection")


def worker_size(folder: Path) -> tuple[float, float]:
    """Peak memory of a worker in MiB, and its processor time in seconds, for one dataset of a million rows.

    The dataset, and a test set as large, are made in `folder`.
    """
    share, data = folder / "share", folder / "redis"
    for each in (share, data):
        each.mkdir()
    port = free_port()
    environment = {**os.environ, "REDIS_HOST": "127.0.0.1", "REDIS_PORT": str(port)}
    settings = f"port {port}\nbind 127.0.0.1\ndir {data}\n"
    with subprocess.Popen([str(server_executable()), "-"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as server:
        assert server.stdin is not None  # noqa: S101  a pipe was asked for
        server.stdin.write(settings.encode())
        server.stdin.close()
        try:
            _run("generate", "--to", str(share / "datasets"), "--days", "1", "--rows", str(ROWS), into=environment)
            _run("queue", "--share", str(share), into=environment)
            return _measured("work", "--share", str(share), into=environment)
        finally:
            server.kill()


def _run(*words: str, into: dict[str, str]) -> None:
    subprocess.run([*_COMMAND, *words], env=into, check=True, stdout=subprocess.DEVNULL)


def _measured(*words: str, into: dict[str, str]) -> tuple[float, float]:
    """Peak memory and processor time of a command."""
    process = subprocess.Popen([*_COMMAND, *words], env=into, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None  # noqa: S101  a pipe was asked for
    said = process.stdout.read()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0 or "Checkpoint 1: " not in said:
        raise SystemExit(f"the worker trained nothing:\n{said}")
    return used.ru_maxrss / 1024, used.ru_utime + used.ru_stime
