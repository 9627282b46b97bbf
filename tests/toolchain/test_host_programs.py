"""The processes of the language host: what they write, how they end, and that none outlives the host."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

import pytest

from tests.eventually import eventually
from tests.toolchain.calls import Call
from toolchain.language_host.errors import HostError
from toolchain.language_host.programs import Program, Programs

if TYPE_CHECKING:
    from collections.abc import Generator

LIMIT = 30.0
"""Seconds after which a test fails that waits for a thread."""


@pytest.fixture
def programs() -> Generator[Programs]:
    made = Programs()
    yield made
    made.kill_all()


def shell(programs: Programs, script: str, call: Call | None = None) -> Program:
    return programs.start(
        ["/bin/sh", "-c", script], folder=None, environment=dict(os.environ), piped=True, call=call or Call()
    )


def alive(pid: int) -> bool:
    """Whether the process runs; one that has ended and waits to be reaped does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def first_line(program: Program) -> str:
    return next(chunk for _, chunk in program.output()).decode().strip()


def test_output_comes_by_stream_with_the_exit_code_after_it(programs: Programs) -> None:
    program = shell(programs, "echo out; echo err >&2; exit 3")
    assert sorted(program.output()) == [("stderr", b"err\n"), ("stdout", b"out\n")]
    assert program.wait() == 3
    assert not program.was_killed


def test_output_comes_while_the_program_runs(programs: Programs) -> None:
    program = shell(programs, "echo first; exec sleep 600")
    output = program.output()
    assert next(output) == ("stdout", b"first\n")
    program.kill()
    assert list(output) == []


def test_what_an_ended_program_wrote_is_not_waited_for(programs: Programs) -> None:
    program = shell(programs, "echo never taken")
    program.wait()
    draining = Thread(target=program.drain, daemon=True)
    draining.start()
    draining.join(LIMIT)
    assert not draining.is_alive()
    assert list(program.output()) == [("stdout", b"never taken\n")]


def test_a_signal_is_a_negative_code(programs: Programs) -> None:
    program = shell(programs, "kill -TERM $$")
    assert list(program.output()) == []
    assert program.wait() == -signal.SIGTERM


def test_killing_ends_what_the_program_started_too(programs: Programs) -> None:
    program = shell(programs, "sleep 600 & echo $!; wait")
    child = int(first_line(program))
    assert alive(child)
    programs.kill_all()
    assert program.wait() == -signal.SIGKILL
    assert program.was_killed
    eventually(lambda: not alive(child))


def test_the_end_of_all_is_waited_for(programs: Programs) -> None:
    pid = int(first_line(shell(programs, "echo $$; exec sleep 600")))
    programs.kill_all()
    assert not Path(f"/proc/{pid}").exists()


def test_a_program_ends_with_the_call_that_it_runs_for(programs: Programs) -> None:
    call = Call()
    program = shell(programs, "exec sleep 600", call)
    call.give_up()
    assert list(program.output()) == []
    assert program.wait() == -signal.SIGKILL
    late = shell(programs, "exec sleep 600", call)
    assert list(late.output()) == []
    assert late.wait() == -signal.SIGKILL


def test_what_a_program_leaves_behind_ends_with_it(programs: Programs) -> None:
    program = shell(programs, "sleep 600 & echo $!")  # it would hold the output open
    child = int(b"".join(chunk for _, chunk in program.output()))
    assert program.wait() == 0
    eventually(lambda: not alive(child))


def test_a_program_that_does_not_exist_says_so_and_ends_as_in_a_shell(programs: Programs) -> None:
    program = programs.start(["/nowhere/python"], folder=None, environment={}, piped=True, call=Call())
    assert list(program.output()) == [("stderr", b"/nowhere/python cannot be run: No such file or directory\n")]
    assert program.wait() == 127


def test_a_folder_that_does_not_exist_is_refused(programs: Programs, tmp_path: Path) -> None:
    with pytest.raises(HostError, match="could not be started: No such file or directory"):
        programs.start(["/bin/true"], folder=str(tmp_path / "none"), environment={}, piped=True, call=Call())


def test_the_program_gets_its_environment_and_folder_and_no_input(programs: Programs, tmp_path: Path) -> None:
    program = programs.start(
        ["/bin/sh", "-c", "pwd; echo $A; cat"],
        folder=str(tmp_path),
        environment={"A": "1"},
        piped=True,
        call=Call(),
    )
    assert b"".join(chunk for _, chunk in program.output()) == f"{tmp_path}\n1\n".encode()


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel's signal for a dead parent is Linux's")
def test_no_program_outlives_a_host_that_is_killed() -> None:
    # Doubles the host: like a call of the engine, a thread starts a program, sees it run, and ends.
    host = """if True:
        import os, sys, threading, time
        from toolchain.language_host.programs import Programs
        programs = Programs()
        class Call:
            def add_callback(self, callback):
                return True
        def call():
            programs.start(["/bin/sleep", "600"], folder=None, environment={}, piped=False, call=Call())
            [program] = programs._running
            while os.path.samefile(f"/proc/{program._process.pid}/exe", sys.executable):
                time.sleep(0.01)
            print(program._process.pid)
        caller = threading.Thread(target=call)
        caller.start()
        caller.join()
        print("the caller has ended", flush=True)
        sys.stdin.read()
    """
    command = [sys.executable, "-c", host]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        assert parent.stdout.readline() == "the caller has ended\n"
        assert alive(child)
        parent.kill()
    eventually(lambda: not alive(child))
