"""Processes of programs and policy packs, forked by an interpreter that has loaded the SDK.

Loading it takes longer than everything else that the host does. The program of a command and its packs have one
interpreter that loads it for all of them; `waiting.py` runs there. The official host starts each by itself.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import threading
from concurrent.futures import Future
from contextlib import ExitStack
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

from toolchain.language_host.errors import HostError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from toolchain.language_host.interpreter import Interpreter
    from toolchain.language_host.programs import Call, Program, Programs

WAITING: Final = str(Path(__file__).parent / "waiting.py")
"""What an interpreter runs to load the SDK and fork."""


def rest(arguments: Sequence[str], environment: Mapping[str, str]) -> bytes:
    """The input of a process: its arguments, and variables to add to its environment."""
    return json.dumps({"arguments": list(arguments), "environment": dict(environment)}).encode()


class Forked:
    """One process, as `Program` uses it."""

    def __init__(self, *, stdin: IO[bytes], outputs: Sequence[IO[bytes]], report: IO[bytes]) -> None:
        """`outputs` are its output and error output, or none; `report` says its number and how it ended."""
        self.stdin: IO[bytes] | None = stdin
        self.stdout: IO[bytes] | None
        self.stderr: IO[bytes] | None
        self.stdout, self.stderr = outputs or (None, None)
        self.returncode = 0
        self._report = report
        self._pid: Future[int] = Future()

    @property
    def pid(self) -> int:
        """The process's number, once it has been forked.

        Raises:
            ProcessLookupError: it never was, because the interpreter has ended.
        """
        return self._pid.result()

    def wait(self) -> int:
        """The exit code, negative for a signal, once it has ended; called once. Its interpreter's end kills it."""
        with self._report as report:
            if number := report.readline():
                self._pid.set_result(int(number))
            else:
                self._pid.set_exception(ProcessLookupError("the interpreter has ended"))
            self.returncode = int(report.readline() or -signal.SIGKILL)
        return self.returncode


class Forks:
    """The interpreters of one host; each has loaded the SDK, or is about to."""

    def __init__(self, programs: Programs) -> None:
        self._programs = programs
        self._lock = threading.Lock()
        self._lines: dict[tuple[object, ...], socket.socket] = {}

    def start(
        self,
        interpreter: Interpreter,
        *target: str,
        folder: str | None,
        environment: Mapping[str, str],
        piped: bool,
        unbuffered: bool = False,
        call: Call | None = None,
    ) -> Program:
        """A process that runs `target`, a script or `-m` and a module, once it has the `rest`.

        Folder, environment, output and `call` are as for `Programs.start`.

        Raises:
            HostError: the system refused.
        """
        order = {
            "target": target,
            "preload": interpreter.preload or "",
            "late_types": interpreter.late_types,
            "folder": folder,
            "environment": dict(environment),
            "unbuffered": unbuffered,
        }
        try:
            with self._lock:
                forked = _order(self._line_of(interpreter, environment), order, piped=piped)
        except OSError as error:
            raise HostError(f"{interpreter.path} could not be started: {error.strerror}") from error
        return self._programs.watch(forked, call)

    def _line_of(self, interpreter: Interpreter, environment: Mapping[str, str]) -> socket.socket:
        """The line to the interpreter for processes of this environment: the SDK reads it while it is loaded."""
        key = interpreter.path, *sorted(environment.items())
        if key not in self._lines:
            command = [str(interpreter.path), WAITING]
            self._lines[key] = self._programs.start_with_line(command, environment)
        return self._lines[key]


def _order(line: socket.socket, order: Mapping[str, object], *, piped: bool) -> Forked:
    """Have a process forked.

    Raises:
        OSError: the system refused to open files, or the interpreter has ended.
    """
    text = json.dumps(order).encode()
    with ExitStack() as theirs, ExitStack() as ours:

        def pipe(*, to: bool = False) -> tuple[IO[bytes], int]:
            ends = os.pipe()
            other, own = ends if to else reversed(ends)
            theirs.callback(os.close, other)
            return ours.enter_context(os.fdopen(own, "wb" if to else "rb")), other

        stdin, given = pipe(to=True)
        report, reported = pipe()
        outputs = [pipe(), pipe()] if piped else []
        files = given, *([end for _, end in outputs] or (1, 2)), reported
        socket.send_fds(line, [len(text).to_bytes(4)], files)
        line.sendall(text)
        ours.pop_all()
    return Forked(stdin=stdin, outputs=[file for file, _ in outputs], report=report)
