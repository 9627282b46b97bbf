"""The shells of containers: `pod-shell` interprets their scripts, and a machine here lets the time pass.

Source of the protocol: simulator/toolchain/modules/pod-shell/pod-shell/main.go.
"""

from __future__ import annotations

import contextlib
import functools
import json
import math
import subprocess
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final, Protocol

from simulator.toolchain.provision import locate
from simulator.toolchain.tools import POD_SHELL

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from simulator.pods.script import Script

_FOREVER: Final = 1e12
"""Seconds that stand for infinity, which JSON lacks."""


class Machine(Protocol):
    """The surroundings of a shell."""

    has_trap: bool
    """Whether the script handles SIGTERM; the shell sets it."""

    def say(self, line: str) -> None:
        """Print a line."""
        ...

    def sleep(self, seconds: float, *, until_signal: bool) -> bool:
        """Let simulated seconds pass, with `until_signal` fewer when SIGTERM comes; returns whether it has come."""
        ...

    def need(self) -> None:
        """The script uses files, variables or signals that are not there."""
        ...

    def play(self, words: Sequence[str]) -> Script:
        """The steps of a command that the shell does not know."""
        ...


class Shell:
    """One process of `pod-shell`, with the container that it runs."""

    def __init__(
        self,
        words: Sequence[str],
        environment: Mapping[str, str],
        folders: Mapping[str, Path],
        *,
        seconds: float = 0.0,
    ) -> None:
        """Start it.

        Args:
            words: the shell, its options and its script.
            environment: its variables.
            folders: those of this machine by their paths in the container, with one for `/`; empty to read the script
                beforehand, without files.
            seconds: real seconds after which it ends unfinished; 0 means no limit.
        """
        self._process = subprocess.Popen(
            [_binary()], stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8", start_new_session=True
        )
        self._container = {
            "words": list(words),
            "environment": [f"{name}={value}" for name, value in environment.items()],
            "folders": {inside: str(here) for inside, here in folders.items()},
            "seconds": seconds,
        }

    def run(self, machine: Machine) -> int | None:
        """Serve it until it ends; returns the script's exit code, None if the script did not end by itself.

        Raises:
            ValueError: it sent a message that is not in the protocol.
        """
        # One that was killed no longer reads its answers.
        with contextlib.suppress(BrokenPipeError), self._process as process:
            assert process.stdout is not None  # noqa: S101  it is a pipe
            try:
                self._answer(**self._container)
                for line in process.stdout:
                    message = json.loads(line)
                    if "exit" in message:
                        return message["exit"]
                    self._serve(message, machine)
            except json.JSONDecodeError:  # it was killed in the middle of a line
                return None
            finally:
                process.kill()
        return None

    def _serve(self, message: Mapping[str, Any], machine: Machine) -> None:
        match message:
            case {"say": line}:
                machine.say(line)
            case {"trap": has_trap}:
                machine.has_trap = has_trap
            case {"sleep": seconds, "until_signal": until_signal}:
                left = seconds if seconds < _FOREVER else math.inf
                self._answer(signaled=machine.sleep(left, until_signal=until_signal))
            case {"run": words}:
                self._answer(**_finite(machine.play(words)))
            case {"needs": True}:
                machine.need()
            case _:
                raise ValueError(f"pod-shell sent an unknown message: {dict(message)}")

    def kill(self) -> None:
        """End it; another thread may be in `run`."""
        self._process.kill()

    def _answer(self, **message: object) -> None:
        assert self._process.stdin is not None  # noqa: S101  it is a pipe
        self._process.stdin.write(f"{json.dumps(message)}\n")
        self._process.stdin.flush()


def _finite(script: Script) -> dict[str, Any]:
    return {
        "steps": [{**asdict(step), "seconds": min(step.seconds, _FOREVER)} for step in script.steps],
        "exit_code": script.exit_code,
    }


@functools.cache
def _binary() -> Path:
    return locate([POD_SHELL]).binary(POD_SHELL)
