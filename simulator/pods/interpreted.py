"""Pods whose shell script is interpreted in simulated time, by a process of `pod-shell` that a thread here serves.

A script that only sleeps and prints is read beforehand (`script.py`), which costs nothing while it runs. One with
files, traps or variables of its pod is interpreted: its files are there for whoever reads them, such as the pod that
continues from a checkpoint.
"""

from __future__ import annotations

import math
import posixpath
import signal
import threading
import time
from typing import TYPE_CHECKING, Final

from components.kubeapi.documents import Document, entries, section
from simulator.pods.logs import rfc3339
from simulator.pods.script import Script, command_of, is_shell, read_command
from simulator.pods.shell import Shell
from simulator.pods.tpu_environment import device_counts
from simulator.pods.volumes import are_modelled

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from simulator.cloud.clock import Clock
    from simulator.pods.programs import Surroundings

ANNOTATION_INTERPRETED: Final = "simulator.tpu-platform.dev/interpreted"
"""On a pod whose script is interpreted."""
NAME: Final = "shell script"
_KILLED: Final = -signal.SIGKILL


def is_interpreted(pod: Document) -> bool:
    """Whether admission has marked a pod."""
    return ANNOTATION_INTERPRETED in section(pod, "metadata", "annotations")


def can_be_interpreted(pod: Document) -> bool:
    """Whether a pod has one container, with a shell that ends, and only volumes that the simulator mounts."""
    spec = section(pod, "spec")
    containers = entries(spec, "containers")
    if len(containers) != 1 or entries(spec, "initContainers") or not are_modelled(pod):
        return False
    command = command_of(containers[0], {})
    return spec.get("restartPolicy") in ("Never", "OnFailure") and bool(command) and is_shell(command)


class ScriptProcess:
    """A script that runs in the place of a container."""

    has_trap = False
    """Whether the script handles SIGTERM."""

    def __init__(self, surroundings: Surroundings, clock: Clock, log: Path) -> None:
        """Start it; its output goes to a log file."""
        self._counts = device_counts(surroundings.pod)
        self._clock = clock
        self._log = log
        self._signaled = threading.Event()  # a SIGTERM that the shell does not know of yet, or SIGKILL
        self._killed = threading.Event()
        self._status: int | None = None
        log.parent.mkdir(parents=True, exist_ok=True)
        mounted = [posixpath.normpath(mount["mountPath"]) for mount in entries(surroundings.container, "volumeMounts")]
        folders = {inside: surroundings.path(inside) for inside in ("/", *mounted)}
        self._shell = Shell([*surroundings.command, *surroundings.arguments], surroundings.environment, folders)
        self._thread = threading.Thread(target=self._run, name="script", daemon=True)
        self._thread.start()

    # --- as a container's program

    @property
    def pid(self) -> int | None:
        """None: no process runs."""
        return None

    def poll(self) -> int | None:
        """How it ended; None while it runs."""
        return self._status

    def join(self) -> int:
        """Return how it ended, when it has."""
        self._thread.join()
        return _KILLED if self._status is None else self._status

    def end(self, seconds: float) -> None:
        """SIGTERM, then SIGKILL after simulated seconds; at once where nothing handles SIGTERM.

        A shell that is the first process of a container ignores SIGTERM unless it has a trap for it.
        """
        if self.has_trap and seconds:
            self._signaled.set()
            over = threading.Thread(target=self._kill_after, args=(seconds,), name="script-grace", daemon=True)
            over.start()
        else:
            self._kill()
        self._thread.join()
        self._kill()

    def _kill_after(self, seconds: float) -> None:
        self._clock.sleep_until(self._clock.now() + seconds, self._killed)
        self._kill()

    def _kill(self) -> None:
        self._killed.set()
        self._signaled.set()
        self._shell.kill()

    def _run(self) -> None:
        code = self._shell.run(self)
        self._status = _KILLED if code is None or self._killed.is_set() else code

    # --- as the machine of a shell

    def say(self, line: str) -> None:
        """Print a line."""
        with self._log.open("a") as log:
            log.write(f"{rfc3339(time.time())} stdout F {line}\n")

    def sleep(self, seconds: float, *, until_signal: bool) -> bool:
        """Let simulated seconds pass; returns whether SIGTERM has come since the last call."""
        stop = self._signaled if until_signal else self._killed
        self._clock.sleep_until(self._clock.now() + seconds if seconds < math.inf else math.inf, stop)
        if not self._signaled.is_set():
            return False
        self._signaled.clear()
        if self._killed.is_set():  # `_kill` sets it first, so that no kill is lost here
            self._signaled.set()
        return True

    def need(self) -> None:
        """Everything is there."""

    def play(self, words: Sequence[str]) -> Script:
        """The steps of a command."""
        return read_command(words, self._counts)
