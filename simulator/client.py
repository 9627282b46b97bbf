"""The simulator as its commands and providers see it: its daemon, found or started, and the cloud in it.

This module imports none of the daemon's own modules: every command starts a provider, which must start fast.
"""

from __future__ import annotations

import contextlib
import fcntl
import functools
import json
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING, Any, Final

from simulator.cloud.api import CloudError, Operation
from simulator.processes import tail
from simulator.rpc import Address, CallError, Client, DaemonGoneError
from simulator.toolchain.provision import locate
from simulator.toolchain.tools import DEFINITIONS, POD_SHELL

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from simulator.home import Home

CONTROL_PLANE_TOOLS: Final = ("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kwok")
IMAGE_TOOLS: Final = ("kueue", "jobset")
CLUSTER_TOOLS: Final = (*CONTROL_PLANE_TOOLS, *IMAGE_TOOLS, DEFINITIONS, POD_SHELL)
"""The tools that the clusters need."""
_START_SECONDS: Final = 120.0
"""Limit for the daemon's own start, which brings up the clusters that were there."""


class DaemonError(Exception):
    """The daemon does not start; the text has the last lines of its log."""


class RemoteCloud:
    """The cloud in the daemon, as `simulator.cloud.api.CloudApi`."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def create(self, kind: str, name: str, body: dict[str, Any]) -> Operation:
        """As `CloudApi.create`."""
        return self._call("create", kind=kind, name=name, body=body)

    def update(self, name: str, changes: dict[str, Any]) -> Operation:
        """As `CloudApi.update`."""
        return self._call("update", name=name, changes=changes)

    def delete(self, name: str) -> Operation:
        """As `CloudApi.delete`."""
        return self._call("delete", name=name)

    def get(self, name: str) -> dict[str, Any]:
        """As `CloudApi.get`."""
        return self._call("get", name=name)

    def list(self, kind: str, prefix: str = "") -> list[dict[str, Any]]:
        """As `CloudApi.list`."""
        return self._call("list", kind=kind, prefix=prefix)

    def operation(self, name: str) -> Operation:
        """As `CloudApi.operation`."""
        return self._call("operation", name=name)

    def wait(self, operation: str, seconds: float) -> Operation:
        """As `CloudApi.wait`."""
        return self._call("wait", operation=operation, seconds=seconds)

    def _call(self, method: str, **arguments: Any) -> Any:  # noqa: ANN401  JSON comes back
        try:
            return self._client.call(f"cloud.{method}", **arguments)
        except CallError as error:
            if error.kind == CloudError.__name__:
                raise CloudError(error.data["code"], error.data["status"], error.data["message"]) from error
            raise


def connect(home: Home) -> Client | None:
    """The running daemon of `home`, or None when there is none."""
    try:
        record = json.loads(home.daemon_file.read_text())
    except (FileNotFoundError, json.JSONDecodeError):
        return None
    client = Client(Address(record["port"], record["token"]))
    try:
        client.call("ping")
    except DaemonGoneError:
        return None
    return client


def ensure(home: Home) -> Client:
    """The daemon of `home`, started when it does not run.

    Raises:
        DaemonError: it does not start; the text has the last lines of its log.
        ToolchainError: a tool that it runs is not built yet.
    """
    with beginning(home) as daemon:
        return daemon()


@contextlib.contextmanager
def beginning(home: Home) -> Generator[Callable[[], Client]]:
    """Start the daemon of `home` unless it runs; the block does something else, then calls for the client.

    Nobody else starts a daemon until the block ends.

    Raises:
        DaemonError, ToolchainError: as `ensure`; the call waits until the daemon answers.
    """
    running = connect(home)
    if running is not None:
        yield lambda: running
        return
    locate(CLUSTER_TOOLS)
    home.root.mkdir(parents=True, exist_ok=True, mode=0o700)
    with (home.root / "start.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        beside = connect(home)
        if beside is not None:
            yield lambda: beside
            return
        child = _start(home)
        yield functools.cache(lambda: _answering(home, child))


def _start(home: Home) -> subprocess.Popen[bytes]:
    if home.daemon_file.exists():  # a daemon that was asked to end removes it
        sys.stderr.write("simulator: the daemon had died; it and its clusters are started again\n")
        home.daemon_file.unlink()
    with home.daemon_log.open("ab") as log:
        return subprocess.Popen(
            [sys.executable, "-m", "simulator.daemon", str(home.root)],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd="/",
            start_new_session=True,
        )


def _answering(home: Home, child: subprocess.Popen[bytes]) -> Client:
    """The daemon once it answers."""
    deadline, pause = time.monotonic() + _START_SECONDS, threading.Event()
    while child.poll() is None and time.monotonic() < deadline:
        client = connect(home)
        if client is not None:
            child.returncode = 0  # it outlives this process, so nothing waits for it
            return client
        pause.wait(0.05)
    words = "\n    ".join(tail(home.daemon_log, 10))
    raise DaemonError(f"the simulator's daemon does not start. Last lines of {home.daemon_log}:\n    {words}")
