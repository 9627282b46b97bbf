"""Processes that load the SDK before they know which program they run.

Loading it takes longer than everything else that the host does. A policy pack loads it while the engine is about to
name the stack. A program loads it beside the packs: the engine waits for their descriptions before it runs the program.
Either also loads the module that its option `preload` names. The official host starts both when everything is known.
"""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from toolchain.language_host.interpreter import Interpreter
    from toolchain.language_host.programs import Call, Program, Programs

_WAITING: Final = str(Path(__file__).parent / "waiting.py")


def waiting_command(interpreter: Interpreter, *target: str, flags: Sequence[str] = ()) -> list[str]:
    """The command line that waits for its arguments; `target` is a script, or `-m` and a module.

    Start it with `waits`; `rest` makes its input.
    """
    return [str(interpreter.path), *flags, _WAITING, interpreter.preload or "", *target]


def rest(arguments: Sequence[str], environment: Mapping[str, str]) -> bytes:
    """The input of a waiting process: its arguments, and variables to add to its environment."""
    return json.dumps({"arguments": list(arguments), "environment": dict(environment)}).encode()


class Ahead:
    """The interpreters of programs; at most one waits."""

    def __init__(self, programs: Programs, language_exec: str) -> None:
        """`language_exec` is the script that runs programs."""
        self._programs = programs
        self._language_exec = language_exec
        self._lock = threading.Lock()
        self._expected: Interpreter | None = None
        self._waiting: tuple[Interpreter, Program] | None = None

    def expect(self, interpreter: Interpreter) -> None:
        """The engine has asked about a program that `interpreter` runs."""
        with self._lock:
            self._expected = interpreter

    def start(self) -> None:
        """Start the interpreter of the program that is expected, if there is one and none waits yet.

        Raises:
            HostError: the system refused.
        """
        with self._lock:
            if self._expected is not None and self._waiting is None:
                self._waiting = self._expected, self._start(self._expected)

    def run(
        self, interpreter: Interpreter, arguments: Sequence[str], environment: Mapping[str, str], call: Call
    ) -> Program:
        """Run the script with `arguments` and added variables for as long as the engine keeps up its `call`.

        Raises:
            HostError: the system refused.
        """
        with self._lock:
            waiting, self._waiting = self._waiting, None
        if waiting is not None and waiting[0] == interpreter:
            program = waiting[1]
        else:
            if waiting is not None:
                waiting[1].kill()
            program = self._start(interpreter)
        program.belong_to(call)
        program.tell(rest(arguments, environment))
        return program

    def _start(self, interpreter: Interpreter) -> Program:
        return self._programs.start(
            waiting_command(interpreter, self._language_exec),
            folder=None,
            environment=interpreter.environment(os.environ),
            piped=False,
            waits=True,
        )
