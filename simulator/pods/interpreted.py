"""Pods whose shell script is interpreted (`shell_run.py`) in simulated time, in a thread of the daemon.

A script that only sleeps and prints is read beforehand (`script.py`), which costs nothing while it runs. One with
loops, variables or files is interpreted: what it writes is there for whoever reads it, such as the pod that continues
from a checkpoint.
"""

from __future__ import annotations

import math
import signal
import threading
import time
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final, Protocol

from kubeapi.documents import entries, section
from simulator.pods.logs import rfc3339
from simulator.pods.script import SHELLS, read_command, variables_of
from simulator.pods.shell import ShellSyntaxError, commands
from simulator.pods.shell_grammar import parse
from simulator.pods.shell_machine import ScriptEndError
from simulator.pods.shell_run import Shell
from simulator.pods.tpu_environment import device_counts
from simulator.pods.volumes import are_modelled

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from kubeapi.documents import Document
    from simulator.pods.programs import Surroundings

ANNOTATION_INTERPRETED: Final = "simulator.tpu-platform.dev/interpreted"
"""On a pod whose script is interpreted."""
NAME: Final = "shell script"
_KILLED: Final = -signal.SIGKILL
_WORDS: Final = 3


class Clock(Protocol):
    """Simulated time."""

    def now(self) -> float:
        """Simulated seconds since 1970."""
        ...

    def sleep_until(self, moment: float, stop: threading.Event) -> None:
        """Return at a simulated moment, or earlier when `stop` is set."""
        ...


def interpreted_script(pod: Document) -> str | None:
    """The script of a pod that admission has marked; None of another pod."""
    return script_of(pod) if ANNOTATION_INTERPRETED in section(pod, "metadata", "annotations") else None


def script_of(pod: Document) -> str | None:
    """The script of a pod that is interpreted; None of a pod that is not."""
    spec = section(pod, "spec")
    containers = entries(spec, "containers")
    if len(containers) != 1 or entries(spec, "initContainers") or not are_modelled(pod):
        return None
    words = [str(word) for word in (*(containers[0].get("command") or ()), *(containers[0].get("args") or ()))]
    ends = spec.get("restartPolicy") in ("Never", "OnFailure")
    is_script = len(words) == _WORDS and PurePosixPath(words[0]).name in SHELLS and words[1] == "-c"
    variables = variables_of(containers[0])
    return words[2] if ends and is_script and _is_program(words[2], variables) else None


def _is_program(script: str, variables: Mapping[str, str]) -> bool:
    """Whether a script does more than the commands that can be read beforehand, and only what can be interpreted."""
    try:
        parse(script)
        return any(not (each.words and each.is_literal and each.is_shown) for each in commands(script, variables))
    except ShellSyntaxError:
        return False


class ScriptProcess:
    """A script that runs in the place of a container."""

    def __init__(self, script: str, surroundings: Surroundings, clock: Clock, log: Path) -> None:
        """Start it; its output goes to a log file."""
        self._surroundings = surroundings
        self._counts: Mapping[str, int] = device_counts(surroundings.pod)
        self._clock = clock
        self._log = log
        self._told = threading.Event()
        self._killed = threading.Event()
        self._woken = threading.Event()
        self._status: int | None = None
        self._shell = Shell(self, dict(surroundings.environment))
        log.parent.mkdir(parents=True, exist_ok=True)
        self._thread = threading.Thread(target=self._run, args=(script,), name="script", daemon=True)
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
        if self._shell.has_trap and seconds:
            self._told.set()
            self._woken.set()
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
        self._woken.set()

    def _run(self, script: str) -> None:
        try:
            self._status = self._shell.run(script)
        except ShellSyntaxError as error:
            self.say(f"[simulator] not run from here on: {error}")
            self._status = 0
        if self._killed.is_set():
            self._status = _KILLED

    # --- as the machine of a shell

    def say(self, line: str) -> None:
        """Print a line."""
        with self._log.open("a") as log:
            log.write(f"{rfc3339(time.time())} stdout F {line}\n")

    def sleep(self, seconds: float, *, until_signal: bool) -> None:
        """Let simulated seconds pass.

        Raises:
            ScriptEndError: the script is killed.
        """
        stop = self._woken if until_signal else self._killed
        self._clock.sleep_until(self._clock.now() + seconds if seconds < math.inf else math.inf, stop)
        if self._killed.is_set():
            raise ScriptEndError(_KILLED)

    def is_told_to_end(self) -> bool:
        """Whether SIGTERM has come since the last call."""
        told = self._told.is_set()
        self._told.clear()
        return told

    def path(self, inside: str) -> Path:
        """Where a path of the container is on this machine; its folder exists in the container's own file system."""
        found = self._surroundings.path(inside)
        if self._surroundings.volumes.path(self._surroundings.container, f"/{inside.lstrip('/')}") is None:
            found.parent.mkdir(parents=True, exist_ok=True)
        return found

    def other(self, words: Sequence[str]) -> int:
        """Play a command that is not one of the shell's."""
        script = read_command(words, self._counts)
        for step in script.steps:
            if step.seconds:
                self.sleep(step.seconds, until_signal=False)
            if step.output is not None:
                self.say(step.output)
        return script.exit_code
