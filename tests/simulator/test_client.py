"""Finding or starting the daemon, and the cloud in it; a small script doubles the daemon."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from typing import TYPE_CHECKING, Final

import pytest

from simulator import client as client_module, serving
from simulator.client import DaemonError, RemoteCloud, connect, ensure
from simulator.cloud.api import CloudError, Kind
from simulator.home import Home
from simulator.processes import start_time
from simulator.providers.serving import DaemonOutages
from simulator.rpc import Address, Client, Server
from simulator.toolchain.tool import ToolchainError

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from tests.simulator.conftest import World

_DAEMON: Final = """
import json, os, sys, threading
from pathlib import Path
from simulator.rpc import Server
root = Path(sys.argv[1])
with (root / "starts").open("a") as starts:
    starts.write(f"{os.getpid()}\\n")
if (root / "fails").exists():
    print("Traceback (most recent call last):\\nOSError: no space left", flush=True)
    raise SystemExit(1)
server = Server("t", {"ping": os.getpid}, ())
(root / "daemon.new").write_text(json.dumps({"pid": os.getpid(), "port": server.port, "token": "t"}))
(root / "daemon.new").replace(root / "daemon.json")
threading.Event().wait()
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Home]:
    """A folder whose daemon is the script; what was started ends with the test."""
    located: list[tuple[str, ...]] = []
    script = tmp_path / "daemon.py"
    script.write_text(_DAEMON)
    python = tmp_path / "python"
    start = f'[ "$1 $2" = "-m simulator.daemon" ] && exec {sys.executable} {script} "$3"'
    python.write_text(f"#!/bin/sh\n{start}\nexit 9\n")
    python.chmod(0o755)
    monkeypatch.setattr(client_module.sys, "executable", str(python))
    monkeypatch.setattr(client_module, "locate", located.append)
    made = Home(tmp_path / "home")
    yield made
    for pid in starts(made):
        if start_time(pid) is not None:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def starts(home: Home) -> list[int]:
    """The process ids of every daemon that was started."""
    path = home.root / "starts"
    return [int(line) for line in path.read_text().split()] if path.exists() else []


def test_without_a_daemon_there_is_nothing_to_connect_to(home: Home) -> None:
    assert connect(home) is None


def test_a_daemon_is_started_once_even_by_callers_at_the_same_moment(home: Home) -> None:
    answers: list[int] = []
    threads = [threading.Thread(target=lambda: answers.append(ensure(home).call("ping"))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(starts(home)) == 1
    assert answers == starts(home) * 3
    assert ensure(home).call("ping") == starts(home)[0]
    assert home.root.stat().st_mode & 0o777 == 0o700


def test_what_a_dead_daemon_wrote_leads_to_a_new_one_and_is_told(
    home: Home, capsys: pytest.CaptureFixture[str]
) -> None:
    home.root.mkdir()
    home.daemon_file.write_text(json.dumps({"pid": 1, "port": 1, "token": "old"}))
    assert connect(home) is None
    assert ensure(home).call("ping") == starts(home)[0]
    assert capsys.readouterr().err == "simulator: the daemon had died; it and its clusters are started again\n"


@pytest.mark.parametrize("text", ["", "{"])
def test_a_half_written_address_is_none(home: Home, text: str) -> None:
    home.root.mkdir()
    home.daemon_file.write_text(text)
    assert connect(home) is None


def test_a_daemon_that_does_not_start_is_told_with_its_last_words(home: Home) -> None:
    home.root.mkdir()
    (home.root / "fails").touch()
    with pytest.raises(DaemonError) as caught:
        ensure(home)
    assert str(caught.value) == (
        f"the simulator's daemon does not start. Last lines of {home.daemon_log}:\n"
        "    Traceback (most recent call last):\n    OSError: no space left"
    )


def test_a_tool_that_is_missing_is_told_before_anything_is_made(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    def locate(names: tuple[str, ...]) -> None:
        raise ToolchainError(f"{names[0]} is not built")

    monkeypatch.setattr(client_module, "locate", locate)
    with pytest.raises(ToolchainError, match="etcd is not built"):
        ensure(home)
    assert not home.root.exists()


@pytest.fixture
def remote(world: World, monkeypatch: pytest.MonkeyPatch) -> Generator[RemoteCloud]:
    """The cloud as a provider sees it."""
    monkeypatch.setattr(serving, "_POLL_SECONDS", 0.002)
    names = ("create", "update", "delete", "get", "list", "operation", "wait")
    server = Server("t", {f"cloud.{name}": getattr(world.cloud, name) for name in names}, (CloudError,))
    yield RemoteCloud(Client(Address(server.port, "t")))
    server.close()


def test_every_call_reaches_the_cloud(remote: RemoteCloud, world: World) -> None:
    name, other = (f"projects/{project}/global/networks/vpc" for project in ("acme", "other"))
    made = remote.create(Kind.NETWORK, name, {"autoCreateSubnetworks": False})
    assert remote.wait(made["name"], 10)["status"] == remote.operation(made["name"])["status"] == "DONE"
    world.make(Kind.NETWORK, other, {"autoCreateSubnetworks": False})
    world.done(remote.update(name, {"mtu": 1500}))
    assert remote.get(name)["mtu"] == world.cloud.get(name)["mtu"] == 1500
    assert [found["apiName"] for found in remote.list(Kind.NETWORK, "projects/acme/")] == [name]
    world.done(remote.delete(other))
    assert [found["apiName"] for found in world.cloud.list(Kind.NETWORK)] == [name]
    world.cloud.set_pace({Kind.NETWORK: 60.0})
    assert remote.wait(remote.delete(name)["name"], 0.01)["status"] == "RUNNING"


def test_a_refusal_of_the_cloud_is_the_same_error_here(remote: RemoteCloud, world: World) -> None:
    refused = world.refusal(lambda: remote.get("b/none"))
    assert (refused.code, refused.status, str(refused)) == (404, "NOT_FOUND", "The specified bucket does not exist.")


def test_the_outage_reporter_asks_the_daemon_and_knows_when_it_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "_POLL_SECONDS", 0.002)
    answers: dict[str, object] = {"https://ours": [True, "it was killed"], "https://theirs": None}

    def outage(server: str) -> object:
        return answers[server]

    server = Server("t", {"clusters.outage": outage}, ())
    reporter = DaemonOutages(Client(Address(server.port, "t")))
    assert reporter.outage("https://ours") == (True, "it was killed")
    assert reporter.outage("https://theirs") is None
    server.close()
    gone = reporter.outage("https://ours")
    assert gone is not None
    assert gone[0] is False
    assert gone[1].startswith("the simulator's daemon does not answer (")
