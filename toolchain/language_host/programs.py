"""The processes that the host runs: programs, policy packs, providers, pip.

Each is a process group of its own, so that the host can end it with all that it started. None outlives the host: it
ends them when it ends itself, and the kernel ends them when the host is killed (`toolchain/parent_death.py`).
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from typing import IO, TYPE_CHECKING, Protocol

from toolchain.language_host.errors import HostError
from toolchain.language_host.output import Output
from toolchain.parent_death import leashed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from toolchain.language_host.output import Stream


class Call(Protocol):
    """A call of the engine; gRPC's contexts are of this shape."""

    def add_callback(self, callback: Callable[[], None]) -> bool:
        """Have `callback` called when the call ends; False when it has ended already."""
        ...


class Process(Protocol):
    """What a program is made of: `subprocess.Popen` or `forks.Forked`."""

    stdin: IO[bytes] | None
    stdout: IO[bytes] | None
    stderr: IO[bytes] | None

    @property
    def pid(self) -> int:
        """The process's number, which is that of its group."""
        ...

    @property
    def returncode(self) -> int:
        """How it ended, after `wait`."""
        ...

    def wait(self) -> int:
        """Wait for its end."""
        ...


class Program:
    """One running process and its group."""

    def __init__(self, process: Process, line: socket.socket | None = None) -> None:
        self._line = line
        self._process = process
        pipes: dict[Stream, IO[bytes] | None] = {"stdout": process.stdout, "stderr": process.stderr}
        self._output = Output({name: pipe for name, pipe in pipes.items() if pipe is not None})
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self.was_killed = False
        """Whether the host ended it, so that its exit code says nothing about the program."""

    def belong_to(self, call: Call) -> None:
        """End with a call of the engine; at once, if it has ended."""
        if not call.add_callback(self.kill):
            self.kill()

    def tell(self, data: bytes) -> None:
        """Give all of its input to a process that waits for it; a process that has ended takes none."""
        if self._process.stdin is None:
            raise ValueError("the process was started without input")
        with suppress(BrokenPipeError, ValueError), self._process.stdin as stdin:  # ValueError: closed, by `reap`
            stdin.write(data)

    def reap(self) -> None:
        """Wait for the process to end, and end what it left running in its group."""
        self._process.wait()
        with self._lock:
            self._ended.set()
        self._output.end()
        self._signal_group()
        if self._process.stdin is not None:
            with suppress(BrokenPipeError):  # unwritten input of `tell`
                self._process.stdin.close()
        if self._line is not None:
            self._line.close()

    def wait(self) -> int:
        """The exit code, negative for a signal, once the process has ended."""
        self._ended.wait()
        return self._process.returncode

    def kill(self) -> None:
        """End the process and all that it started."""
        with self._lock:
            if not self._ended.is_set():
                self.was_killed = True
                self._signal_group()

    def _signal_group(self) -> None:
        with suppress(ProcessLookupError, PermissionError):  # PermissionError: macOS, when only zombies are left
            os.killpg(self._process.pid, signal.SIGKILL)

    def output(self) -> Iterator[tuple[Stream, bytes]]:
        """The output of a process started with `piped`, as it comes, until it has ended."""
        return self._output.pieces()

    def drain(self) -> None:
        """Wait until what the process has written by now was taken from its `output`, or until it has ended."""
        self._output.drain()


class Programs:
    """All processes of one host."""

    def __init__(self) -> None:
        self._starting = ThreadPoolExecutor(1)  # its thread lives as long as the host: see parent_death.py
        self._lock = threading.Lock()
        self._running: set[Program] = set()

    def start(
        self,
        command: Sequence[str],
        *,
        folder: str | None,
        environment: Mapping[str, str],
        piped: bool,
        call: Call | None = None,
    ) -> Program:
        """Start `command` in `folder` (None: the host's own), for as long as the engine keeps up its `call`.

        The output is the host's own unless it is `piped`. There is no input.

        Raises:
            HostError: the system refused, with its reason.
        """
        output = subprocess.PIPE if piped else None
        return self.watch(self._process(command, folder, environment, subprocess.DEVNULL, output), call)

    def start_with_line(self, command: Sequence[str], environment: Mapping[str, str]) -> socket.socket:
        """Start `command`, whose input is the other end of the socket that is returned; its end closes the socket.

        Raises:
            HostError: the system refused, with its reason.
        """
        ours, theirs = socket.socketpair()
        with ExitStack() as unneeded, theirs:
            unneeded.enter_context(ours)
            process = self._process(command, None, environment, theirs.fileno(), None)
            unneeded.pop_all()
        self.watch(process, line=ours)
        return ours

    def _process(
        self,
        command: Sequence[str],
        folder: str | None,
        environment: Mapping[str, str],
        stdin: int,
        output: int | None,
    ) -> subprocess.Popen[bytes]:
        try:
            return self._starting.submit(
                subprocess.Popen[bytes],
                leashed(command),
                cwd=folder,
                env=environment,
                stdin=stdin,
                stdout=output,
                stderr=output,
                process_group=0,
            ).result()
        except OSError as error:
            raise HostError(f"{command[0]} could not be started: {error.strerror}") from error

    def watch(self, process: Process, call: Call | None = None, line: socket.socket | None = None) -> Program:
        """The program of a process that was started, and the `line` to it, if any; it belongs to the `call`."""
        program = Program(process, line)
        with self._lock:
            self._running.add(program)
        threading.Thread(target=self._reap, args=(program,), daemon=True).start()
        if call is not None:
            program.belong_to(call)
        return program

    def _reap(self, program: Program) -> None:
        program.reap()
        with self._lock:
            self._running.discard(program)

    def kill_all(self) -> None:
        """End every process that runs now, and wait for the ends."""
        with self._lock:
            running = list(self._running)
        for program in running:
            program.kill()
        for program in running:
            program.wait()
