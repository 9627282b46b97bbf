"""The program's process, which loads what it needs while policy packs start.

The engine waits for the descriptions of the packs before it runs the program. Meanwhile the program's process is forked
and loads the module that its option `preload` names. The official host starts it when everything is known.
"""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

from toolchain.language_host.forks import rest

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from toolchain.language_host.forks import Forks
    from toolchain.language_host.interpreter import Interpreter
    from toolchain.language_host.programs import Call, Program


class Ahead:
    """The processes of programs; at most one waits."""

    def __init__(self, forks: Forks, language_exec: str) -> None:
        """`language_exec` is the script that runs programs."""
        self._forks = forks
        self._language_exec = language_exec
        self._lock = threading.Lock()
        self._expected: Interpreter | None = None
        self._waiting: tuple[Interpreter, Program] | None = None

    def expect(self, interpreter: Interpreter) -> None:
        """The engine has asked about a program that `interpreter` runs."""
        with self._lock:
            self._expected = interpreter

    def start(self) -> None:
        """Start the process of the program that is expected, if there is one and none waits yet.

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
        environment = interpreter.environment(os.environ)
        return self._forks.start(interpreter, self._language_exec, folder=None, environment=environment, piped=False)
