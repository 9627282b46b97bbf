"""Files that were cut short, and a disk that takes no more: each is named, and what helps is said."""

from __future__ import annotations

import errno
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from typing import TYPE_CHECKING, Final

import pytest

from simulator.clock import SpeedClock
from simulator.cloud import operations as operations_module
from simulator.cloud.api import Kind
from simulator.cloud.stock import Stock
from simulator.cloud.store import Store
from simulator.clusters import supervisor as supervisor_module
from simulator.clusters.https import LoopbackServer, Request, Response
from simulator.clusters.pki import ClusterFiles, write_cluster_files
from simulator.commands.lifecycle import take_down
from simulator.commands.recover import await_rest, put_state_back
from simulator.files import BrokenFileError, read_json
from simulator.home import Home
from simulator.pods.logs import FileLog
from simulator.processes import end_recorded, record_child, start_time
from simulator.shown import Turn, turns_in
from tests.eventually import eventually
from tests.simulator.clusters.test_supervisor import Plane
from tests.simulator.conftest import CLUSTER, World

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

_BROKEN: Final = "is broken: it was cut short or overwritten."
_ALL: Final = "`tpu simulator down --delete` removes everything."
_WAITS: Final = [sys.executable, "-S", "-c", "input()"]


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A simulator's folder."""
    made = Home(tmp_path / ".simulator")
    made.root.mkdir()
    return made


@pytest.fixture
def child() -> Generator[subprocess.Popen[bytes]]:
    """A process that does nothing until the test ends."""
    made = subprocess.Popen(_WAITS, stdin=subprocess.PIPE, start_new_session=True)
    yield made
    made.communicate()


@pytest.fixture
def files(tmp_path: Path) -> ClusterFiles:
    """The certificates of a cluster."""
    return write_cluster_files(tmp_path / "pki", "10.0.0.1")


def _full(*_: object, **__: object) -> None:
    """Doubles a write to a disk that is full."""
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize("content", [b"", b'{"a"', bytes(9)])
def test_a_broken_file_is_named_with_what_helps(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "file.json"
    path.write_bytes(content)
    for remedy in ("", "Remove it."):
        with pytest.raises(BrokenFileError) as caught:
            read_json(path, remedy)
        assert str(caught.value) == f"{path} {_BROKEN} {remedy or _ALL}"


@pytest.mark.parametrize("content", ["", "x" * 21, "\0" * 43])
def test_a_broken_secret_is_not_used(home: Home, content: str) -> None:
    for path, helps in ((home.token_file, "Remove it: the next start makes another."), (home.passphrase_file, _ALL)):
        path.write_text(content)
        with pytest.raises(BrokenFileError) as caught:
            home.secret(path)
        assert str(caught.value) == f"{path} {_BROKEN} {helps}"


def test_what_is_out_of_stock_is_named_too(home: Home) -> None:
    home.stock_file.write_text('["nvidia')
    with pytest.raises(BrokenFileError, match="Remove it: nothing is then out of stock"):
        Stock(home.stock_file)


@pytest.mark.parametrize("name", ["etcd.crt", "admin.key", "service-accounts.pub", "service-accounts.key"])
def test_a_broken_certificate_or_key_is_named(files: ClusterFiles, name: str) -> None:
    text = files.path(name).read_text()
    assert write_cluster_files(files.folder, "10.0.0.1").path(name).read_text() == text
    files.path(name).write_text(text[: len(text) // 2])
    with pytest.raises(BrokenFileError, match=name):
        write_cluster_files(files.folder, "10.0.0.1")


def test_turns_of_the_clock_that_were_cut_short_are_left_out(home: Home) -> None:
    home.clock_file.write_text("[1, 2, 10]\n[3, 4")
    SpeedClock(10.0, home.clock_file)
    first, second = turns_in(home.clock_file)
    assert (first, second.pace) == (Turn(1, 2, 10), 10.0)
    home.clock_file.write_text("\0\0\0[1, 2, 10]\n7\n[5, 6, 10]\n")
    assert turns_in(home.clock_file) == [Turn(5, 6, 10)]


def test_lines_of_a_log_that_were_cut_short_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text("2026-11-23T06:00:00Z stdout F one\n2026-112026-11-23T06:00:01Z stdout F two\n\0\0\n")
    assert [line.text for line in FileLog(path, lambda: False).lines()] == ["one"]


def test_a_broken_record_of_a_process_is_forgotten(tmp_path: Path) -> None:
    (tmp_path / "etcd.json").write_text('{"pid"')
    assert end_recorded(tmp_path) == []
    assert list(tmp_path.iterdir()) == []


def test_a_process_that_cannot_be_written_down_does_not_stay(
    tmp_path: Path, child: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("simulator.processes.write_whole", _full)
    with pytest.raises(OSError, match="No space left on device"):
        record_child(tmp_path / "etcd.json", child)
    assert start_time(child.pid) is None


def test_a_change_that_the_disk_does_not_take_is_undone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(tmp_path / "state.json")
    with store.change() as changes:
        changes.put("kind", "a", {"x": 1})
    monkeypatch.setattr("pathlib.Path.write_text", _full)

    def change() -> None:
        with store.change() as changes:
            changes.put("kind", "a", {"x": 2})
            changes.put("kind", "b", {})

    with pytest.raises(OSError, match="No space left on device"):
        change()
    with store.look() as view:
        assert view.list("kind") == [("a", {"x": 1})]


def test_an_operation_ends_once_the_disk_takes_its_end(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    tries: list[None] = []

    def fail(*_: object, **__: object) -> None:
        tries.append(None)
        _full()

    monkeypatch.setattr(operations_module, "_RETRY_SECONDS", 0.001)
    world.machines.gate.clear()
    name = world.cloud.create(Kind.CLUSTER, CLUSTER, {"initialNodeCount": 1})["name"]
    with monkeypatch.context() as full:
        full.setattr("pathlib.Path.write_text", fail)
        world.machines.gate.set()
        eventually(lambda: len(tries) > 2, what="its end is written again")
        assert world.cloud.operation(name)["status"] == "RUNNING"
    eventually(lambda: world.cloud.operation(name)["status"] == "DONE")


def test_a_process_that_cannot_be_started_again_is_given_up(
    files: ClusterFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervisor_module, "_FIRST_PAUSE", 0.001)
    plane = Plane(files.folder.parent)
    process = plane.process("while :; do sleep 0.01; done")
    plane.supervisor.start(process)
    monkeypatch.setattr("simulator.processes.write_whole", _full)
    os.kill(plane.pid(), signal.SIGKILL)
    eventually(lambda: plane.supervisor.is_given_up("etcd"))
    assert "keeps ending: it cannot be started again: [Errno 28] No space left on device" in plane.refusal(process)
    plane.supervisor.stop()


def test_a_port_that_is_taken_is_named(files: ClusterFiles) -> None:
    def answer(request: Request) -> Response:
        return Response(200, request.body)

    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = int(taken.getsockname()[1])
        with pytest.raises(OSError, match=f"port {port} of the node API: Address already in use"):
            LoopbackServer(port, files, answer)


def _state(home: Home) -> Path:
    path = home.backend / ".pulumi" / "stacks" / "shop" / "dev.json"
    path.parent.mkdir(parents=True)
    return path


def test_down_tells_of_broken_files_and_removes_them_when_it_is_asked_to(home: Home) -> None:
    _state(home).write_bytes(bytes(9))
    home.cloud_file.write_text("{")
    (first, _) = take_down(home, delete=False)
    assert first.startswith(
        "simulator: stopped. .simulator keeps stack dev (its state is broken), a cloud that cannot be"
    )
    assert str(home.cloud_file) in first
    list(take_down(home, delete=True))
    assert not home.root.exists()


def test_a_daemon_whose_own_file_is_broken_is_ended(home: Home) -> None:
    script = "import fcntl, os, sys; lock = open(sys.argv[1], 'a'); fcntl.flock(lock, fcntl.LOCK_EX)"
    script += "; print(os.getpid(), file=lock, end='', flush=True); print(flush=True); input()"
    words = [sys.executable, "-S", "-c", script, str(home.daemon_lock)]
    daemon = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert daemon.stdout is not None
    daemon.stdout.readline()
    home.daemon_file.write_text('{"pid"')
    list(take_down(home, delete=True))
    assert not home.root.exists()
    daemon.communicate()
    assert daemon.returncode != 0


def test_recovery_waits_until_the_cloud_has_deleted_what_it_is_deleting(world: World) -> None:
    world.create(Kind.CLUSTER, CLUSTER, {"initialNodeCount": 1})
    world.machines.gate.clear()
    world.cloud.delete(CLUSTER)
    waiting = threading.Thread(target=await_rest, args=(world.cloud,))
    waiting.start()
    assert world.cloud.get(CLUSTER)["status"] == "STOPPING"
    assert waiting.is_alive()
    world.machines.gate.set()
    waiting.join()
    assert world.cloud.list(Kind.CLUSTER) == []


def test_the_last_state_that_is_whole_is_put_back(home: Home) -> None:
    state = _state(home)
    history = home.backend / ".pulumi" / "history" / "shop" / "dev"
    history.mkdir(parents=True)
    assert list(put_state_back(home, "dev")) == [], "there is no such stack"
    state.write_text("{}")
    assert list(put_state_back(home, "dev")) == [], "it is whole"
    for age, (path, text) in enumerate(
        [(state, "{"), (state.with_suffix(".json.bak"), "["), (history / "dev-2.checkpoint.json", '{"serial": 2}')]
    ):
        path.write_text(text)
        os.utime(path, (1000 - age, 1000 - age))
    assert list(put_state_back(home, "dev")) == [
        "stack dev: its state was broken; dev-2.checkpoint.json is in its place"
    ]
    assert json.loads(state.read_text()) == {"serial": 2}
    state.write_text("{")
    (history / "dev-2.checkpoint.json").unlink()
    with pytest.raises(BrokenFileError, match=r"dev\.json is broken"):
        list(put_state_back(home, "dev"))
