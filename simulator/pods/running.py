"""The program in the place of a container: a process of this machine, or a script that is interpreted."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING, Final, Protocol

from simulator.pods.container_environment import ContainerConfigError
from simulator.pods.logs import CriWriter
from simulator.pods.programs import ImageError, Invocation
from simulator.processes import end_process, record_child

if TYPE_CHECKING:
    from pathlib import Path

_BACKOFF_SECONDS: Final = (0.5, 1.0, 2.0, 5.0, 10.0, 20.0)
"""Pauses before a container is started again; a kubelet's begin at 10 s."""
_WAITING: Final[dict[type[Exception], str]] = {
    ImageError: "ErrImagePull",
    ContainerConfigError: "CreateContainerConfigError",
}
"""A kubelet's reason for a container that is not started; any other reason is ContainerCreating."""


def pause_before_restart(restarts: int) -> float:
    """Real seconds before a container that was started again so often is started once more."""
    return _BACKOFF_SECONDS[min(restarts, len(_BACKOFF_SECONDS) - 1)]


def waiting_reason(error: Exception) -> str:
    """A kubelet's reason for a container that is not started because of an error."""
    return _WAITING.get(type(error), "ContainerCreating")


class Running(Protocol):
    """A container's program, which has been started."""

    @property
    def pid(self) -> int | None:
        """Its process on this machine; None of a script."""
        ...

    def poll(self) -> int | None:
        """How it ended, as a wait status of subprocess; None while it runs."""
        ...

    def join(self) -> int:
        """Return how it ended, when it has and its output is written."""
        ...

    def end(self, seconds: float) -> None:
        """SIGTERM, then SIGKILL after `seconds`."""
        ...


class ProgramProcess:
    """A process of this machine, whose output goes to a log file."""

    def __init__(self, invocation: Invocation, *, home: Path, log: Path, record: Path) -> None:
        """Start it; `home` is its home, and `record` the file by which a later simulator finds it."""
        self._child = subprocess.Popen(
            invocation.arguments,
            cwd=invocation.folder,
            env={"PATH": "/usr/bin:/bin", "HOME": str(home), **invocation.environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        record_child(record, self._child)
        assert self._child.stdout is not None  # noqa: S101  it is a pipe
        self._writer = CriWriter(self._child.stdout, log)

    @property
    def pid(self) -> int | None:
        """Its process."""
        return self._child.pid

    def poll(self) -> int | None:
        """How it ended; None while it runs."""
        return self._child.poll()

    def join(self) -> int:
        """Return how it ended, when its output is written."""
        status = self._child.wait()
        self._writer.join()
        return status

    def end(self, seconds: float) -> None:
        """SIGTERM, then SIGKILL after real seconds."""
        end_process(self._child, seconds)
