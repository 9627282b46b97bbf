"""Processes: how they ended, what they said, and finding those that were left behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from typing import TYPE_CHECKING

import pytest

from simulator.processes import end_process, end_recorded, record_process, start_time, tail
from tests.eventually import eventually

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path


@pytest.fixture
def run() -> Generator[Callable[[str], subprocess.Popen[bytes]]]:
    """Runs a shell script in a session of its own; what is left of it ends with the test."""
    children: list[subprocess.Popen[bytes]] = []

    def start(script: str) -> subprocess.Popen[bytes]:
        children.append(subprocess.Popen(["/bin/sh", "-c", script], stdout=subprocess.PIPE, start_new_session=True))
        return children[-1]

    yield start
    for child in children:
        if child.poll() is None:
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        assert child.stdout is not None
        child.stdout.close()


def first_line(child: subprocess.Popen[bytes]) -> str:
    """What the process says first."""
    assert child.stdout is not None
    return child.stdout.readline().decode().strip()


def test_the_last_words_of_a_log(tmp_path: Path) -> None:
    log = tmp_path / "log"
    assert tail(log, 5) == ()
    log.write_bytes(b"one\n\n  \ntwo\xff\nthree")
    assert tail(log, 2) == ("two\N{REPLACEMENT CHARACTER}", "three")
    assert tail(log, 9) == ("one", "two\N{REPLACEMENT CHARACTER}", "three")
    log.write_text("".join(f"line {number}\n" for number in range(100_000)))
    assert tail(log, 3) == ("line 99997", "line 99998", "line 99999")


def test_a_process_has_one_start_time_while_it_lives(run: Callable[[str], subprocess.Popen[bytes]]) -> None:
    child = run("echo up; while :; do sleep 0.01; done")
    first_line(child)
    began = start_time(child.pid)
    assert began is not None
    assert start_time(child.pid) == began
    assert start_time(os.getpid()) not in (None, began)
    child.kill()
    eventually(lambda: start_time(child.pid) is None, seconds=5)
    child.wait()
    assert start_time(child.pid) is None


def test_a_process_with_blanks_in_its_name_has_a_start_time(
    run: Callable[[str], subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    named = tmp_path / "a ) b"
    named.symlink_to("/bin/sh")
    child = run(f"exec '{named}' -c 'echo up; while :; do sleep 0.01; done'")
    first_line(child)
    began = start_time(child.pid)
    assert began is not None
    assert began.isdecimal()


def test_what_it_leaves_in_its_session_ends_too(run: Callable[[str], subprocess.Popen[bytes]]) -> None:
    child = run("trap '' TERM; sleep 1000 & trap 'exit 0' TERM; echo $!; while :; do sleep 0.01; done")
    left = int(first_line(child))
    end_process(child, 5.0)
    assert child.returncode == 0
    eventually(lambda: start_time(left) is None, seconds=5)


def test_one_that_has_ended_is_not_signalled_again(
    run: Callable[[str], subprocess.Popen[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    child = run("exit 0")
    child.wait()

    def killpg(pid: int, number: int) -> None:
        pytest.fail(f"process {pid} got signal {number}")

    monkeypatch.setattr(os, "killpg", killpg)
    end_process(child, 5.0)
    assert child.returncode == 0


def test_recorded_processes_are_found_and_ended(run: Callable[[str], subprocess.Popen[bytes]], tmp_path: Path) -> None:
    child = run("sleep 1000 & echo $!; wait")
    other = int(first_line(child))
    record_process(tmp_path / "pids" / "etcd.json", child.pid)
    assert json.loads((tmp_path / "pids" / "etcd.json").read_text()) == {
        "pid": child.pid,
        "started": start_time(child.pid),
    }
    assert end_recorded(tmp_path / "pids") == ["etcd"]
    assert start_time(child.pid) is None
    eventually(lambda: start_time(other) is None, seconds=5)
    assert list((tmp_path / "pids").iterdir()) == []


def test_another_process_with_the_same_id_is_let_be(
    run: Callable[[str], subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    child = run("echo up; while :; do sleep 0.01; done")
    first_line(child)
    gone = run("exit 0")
    gone.wait()
    for name, pid, started in (("reused", child.pid, "12345"), ("gone", gone.pid, "1"), ("never", gone.pid, None)):
        (tmp_path / f"{name}.json").write_text(json.dumps({"pid": pid, "started": started}))
    assert end_recorded(tmp_path) == []
    assert start_time(child.pid) is not None
    assert list(tmp_path.iterdir()) == []


def test_no_records_are_no_processes(tmp_path: Path) -> None:
    assert end_recorded(tmp_path / "none") == []
