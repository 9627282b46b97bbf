"""What happens to a machine: no disk, no memory, a clock that jumps, ports that are taken, users in a hurry, sleep."""

from __future__ import annotations

import contextlib
import json
import os
import random
import re
import resource
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from simulator.home import Home
from tests.eventually import eventually
from tests.faults.campaign import (
    LIMIT,
    OTHER,
    SEED,
    STACK,
    UP,
    assert_gone,
    await_start,
    own_processes,
    processes_of,
    small_stack,
)
from tests.interrupted import begin

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from tests.faults.campaign import Campaign

pytestmark = pytest.mark.usefixtures("_counted")
_SLEEP: Final = 150.0
"""Seconds that the machine sleeps."""
_MOMENTS: Final = range(4)
_MEGABYTE: Final = 1 << 20
_TOO_LITTLE: Final = 100
"""Megabytes in which Python itself may crash before it runs a line of ours; only the state is judged then."""


@pytest.fixture
def _counted(record_property: Callable[[str, object], None]) -> None:
    record_property("family", "conditions")


@pytest.fixture
def disk(tmp_path_factory: pytest.TempPathFactory) -> Generator[Path]:
    """A disk of its own, which only root can mount."""
    folder = tmp_path_factory.mktemp("disk")
    if _mount("-t", "tmpfs", "-o", "size=600m", "tmpfs", str(folder)) != 0:
        pytest.skip("a disk is mounted by root alone")
    yield folder
    subprocess.run(["umount", "--recursive", "--lazy", str(folder)], check=True)  # noqa: S607


@pytest.fixture
def on_disk(disk: Path, tmp_path: Path) -> Generator[Campaign]:
    """The stack, up, in a simulator on that disk."""
    made = small_stack(Home(disk / "home"), tmp_path / "project")
    made.begin_anew()
    yield made
    made.simulator.run("down", "--delete", code=None)


def _mount(*words: str) -> int:
    return subprocess.run(["mount", *words], check=False, capture_output=True).returncode  # noqa: S607


def _changed(campaign: Campaign) -> tuple[int, str]:
    """The change under a condition: exit code, and what it said."""
    campaign.declare(campaign.other)
    done = campaign.simulator.up(STACK, code=None)
    assert "Traceback" not in done.text
    return done.code, done.text


def _made_good(campaign: Campaign, *, restarted: bool = False) -> None:
    """`recover` and `up`, if need be after `down` and `up`; then all is as it is declared."""
    simulator = campaign.simulator
    if restarted:
        simulator.run("down")
        simulator.run("up")
    sys.stdout.write(simulator.run("recover", "--stack", STACK).text)  # shown when the test fails
    simulator.up(STACK)
    campaign.assert_sound()


def test_a_full_disk(on_disk: Campaign, disk: Path) -> None:
    filler = disk / "filler"
    with filler.open("wb") as file, contextlib.suppress(OSError):
        while True:
            file.write(bytes(_MEGABYTE))
            file.flush()
    with filler.open("ab", buffering=0) as file, contextlib.suppress(OSError):
        while file.write(bytes(512)):
            pass
    code, said = _changed(on_disk)
    assert code != 0
    assert "no space left on device" in said.lower()
    filler.unlink()
    _made_good(on_disk, restarted=True)
    on_disk.end()


def test_a_folder_that_becomes_read_only(on_disk: Campaign) -> None:
    root = on_disk.simulator.home.root
    for is_up in (True, False):
        if not is_up:
            on_disk.simulator.run("down")
        assert _mount("--bind", str(root), str(root)) == 0
        assert _mount("-o", "remount,bind,ro", str(root)) == 0
        code, said = _changed(on_disk)
        subprocess.run(["umount", "--lazy", str(root)], check=True)  # noqa: S607
        assert code != 0
        assert "read-only file system" in said.lower()
        _made_good(on_disk)
    on_disk.end()


@pytest.mark.parametrize("megabytes", [_TOO_LITTLE, 300, 800, 2000])
def test_a_command_without_memory(settled: Campaign, megabytes: int) -> None:
    settled.declare(settled.other)
    simulator, limit = settled.simulator, ["prlimit", f"--as={megabytes * _MEGABYTE}"]
    done = subprocess.run(
        [*limit, *simulator.command("exec", "--", "pulumi", *UP)],
        cwd=simulator.project,
        env=simulator.environment,
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )
    if (megabytes, done.returncode) != (_TOO_LITTLE, -signal.SIGSEGV):
        assert done.returncode == 0 or re.search("memory|thread", done.stdout + done.stderr, re.IGNORECASE)
    _made_good(settled)


def test_a_control_plane_without_memory(settled: Campaign) -> None:
    """No process of the control plane gets more than it has; those that are started again do."""
    daemon, *others = own_processes(settled.simulator)
    assert daemon
    for pid in others:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[0])
        resource.prlimit(pid, resource.RLIMIT_AS, (pages * resource.getpagesize(), resource.RLIM_INFINITY))
    _changed(settled)
    _made_good(settled, restarted=True)


_JUMPING: Final = """
import os, sys, time
_real = time.time
def _time():
    with open(os.environ["CLOCK_OFFSET"]) as file:
        return _real() + float(file.read() or 0)
if "simulator.daemon" in sys.orig_argv:
    time.time = _time
"""


@pytest.mark.parametrize("seconds", [86400, -86400])
def test_a_clock_that_jumps(settled: Campaign, seconds: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Doubles the daemon's clock, which is Python's alone.

    Other processes also ask the kernel, in Go or in gRPC's C, and would see two clocks that no machine has.
    """
    (tmp_path / "sitecustomize.py").write_text(_JUMPING)
    offset = tmp_path / "offset"
    offset.write_text("0")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("CLOCK_OFFSET", str(offset))
    settled.simulator.run("down")
    settled.simulator.run("up")
    settled.declare(settled.other)
    engine = _begin_to(settled, tmp_path / "shown", STACK)
    await_start(engine)
    eventually(settled.locks, what="the change is under way")
    offset.write_text(str(seconds))
    assert engine.wait(LIMIT) == 0, (tmp_path / "shown").read_text()
    _made_good(settled)
    monkeypatch.undo()
    _made_good(settled, restarted=True)


def test_ports_that_are_taken(settled: Campaign) -> None:
    simulator = settled.simulator
    (record,) = simulator.home.clusters.glob("*/ports.json")
    for name, port in json.loads(record.read_text()).items():
        simulator.run("down")
        with socket.create_server(("127.0.0.1", port)):
            said = simulator.run("up").out
        assert "not up: " in said, name
        assert str(port) in said, name
        assert "address already in use" in said.lower(), name
    _made_good(settled, restarted=True)


def test_two_updates_at_once(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("twice")
    campaign = small_stack(Home(folder / "home"), folder / "project", OTHER)
    simulator, outs = campaign.simulator, [folder / name for name in ("first", "second", "third")]
    try:
        stacks = (STACK, STACK, OTHER)
        engines = [_begin_to(campaign, out, stack) for out, stack in zip(outs, stacks, strict=True)]
        codes = [engine.wait(LIMIT) for engine in engines]
        said = [out.read_text() for out in outs]
        assert codes[2] == 0, said[2]
        assert 0 in codes[:2], said
        assert all(code == 0 or "currently locked" in text for code, text in zip(codes, said, strict=True)), said
        assert "Traceback" not in "".join(said)
        for stack in (STACK, OTHER):
            simulator.pulumi("up", "--yes", "--skip-preview", "--expect-no-changes", "--stack", stack)
            simulator.pulumi("destroy", "--yes", "--skip-preview", "--stack", stack)
        simulator.run("down")
        assert_gone(simulator.home)
    finally:
        simulator.run("down", "--delete", code=None)


def _begin_to(campaign: Campaign, out: Path, stack: str) -> subprocess.Popen[bytes]:
    with out.open("w") as file:
        return begin(campaign.simulator, *UP[:-1], f"--stack={stack}", out=file)


def _moment(campaign: Campaign, what: str) -> float:
    return random.Random(f"{SEED} {what}").random() * campaign.took["change"]  # noqa: S311  nothing is secret


def _begin_until(campaign: Campaign, what: str, out: Path) -> subprocess.Popen[bytes]:
    """A change that goes on until its moment has come."""
    campaign.declare(campaign.other)
    engine = _begin_to(campaign, out, STACK)
    await_start(engine)
    at = time.monotonic() + _moment(campaign, what)
    eventually(lambda: engine.poll() is not None or time.monotonic() >= at, what="the moment comes")
    return engine


@pytest.mark.parametrize("moment", _MOMENTS)
@pytest.mark.parametrize("times", [1, 2])
def test_ctrl_c(settled: Campaign, times: int, moment: int, tmp_path: Path) -> None:
    out = tmp_path / "shown"
    engine = _begin_until(settled, f"ctrl-c {times} {moment}", out)
    for _ in range(times):
        before = len(out.read_text())
        with contextlib.suppress(ProcessLookupError):
            os.killpg(engine.pid, signal.SIGINT)
        eventually(lambda before=before: engine.poll() is not None or len(out.read_text()) > before, what="an answer")
    engine.wait(LIMIT)
    assert "Traceback" not in out.read_text()
    _made_good(settled)


@pytest.mark.parametrize("moment", _MOMENTS)
def test_a_terminal_that_goes_away(settled: Campaign, moment: int) -> None:
    settled.declare(settled.other)
    ours, theirs = os.openpty()
    simulator = settled.simulator
    engine = subprocess.Popen(
        simulator.command("exec", "--", "pulumi", *UP),
        cwd=simulator.project,
        env=simulator.environment,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        preexec_fn=lambda: os.login_tty(theirs),  # noqa: PLW1509  one thread runs here
    )
    os.close(theirs)
    await_start(engine)
    at = time.monotonic() + _moment(settled, f"terminal {moment}")
    eventually(lambda: _read(ours) or engine.poll() is not None or time.monotonic() >= at, what="the moment comes")
    os.close(ours)
    engine.wait(LIMIT)
    _made_good(settled)


def _read(terminal: int) -> None:
    """Take what the command has written, so that it can write more."""
    with contextlib.suppress(OSError):  # the command has ended
        if select.select([terminal], [], [], 0)[0]:
            os.read(terminal, 1 << 16)


def test_a_laptop_that_sleeps(settled: Campaign, tmp_path: Path) -> None:
    engine = _begin_until(settled, "sleep", tmp_path / "shown")
    asleep = [pid for pid, _ in processes_of(settled.simulator.home)]
    for number in (signal.SIGSTOP, signal.SIGCONT):
        for pid in asleep:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)
        if number == signal.SIGSTOP:
            threading.Event().wait(_SLEEP)  # the condition itself
    code, said = engine.wait(LIMIT), (tmp_path / "shown").read_text()
    assert code == 0 or "error" in said
    assert "Traceback" not in said
    _made_good(settled)
