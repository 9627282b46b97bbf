"""Finding or starting the daemon, and the cloud in it; a small script doubles the daemon."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from typing import TYPE_CHECKING, Any, Final

import pytest

from simulator import client as client_module, serving
from simulator.client import DaemonError, RemoteCloud, connect, ensure
from simulator.cloud.api import CloudError
from simulator.home import Home
from simulator.processes import start_time
from simulator.providers.serving import DaemonOutages
from simulator.rpc import Address, CallError, Client, Server
from toolchain.tool import ToolchainError

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

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


class Cloud:
    """Doubles the daemon's cloud: it notes each call and answers with its name, or refuses."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.refusal: Exception | None = None

    def method(self, name: str) -> Any:  # noqa: ANN401  a function of any JSON
        """The method of that name."""

        def call(**arguments: Any) -> dict[str, str]:  # noqa: ANN401  any JSON
            self.calls.append((name, arguments))
            if self.refusal is not None:
                raise self.refusal
            return {"name": name}

        return call


@pytest.fixture
def cloud() -> Cloud:
    """The cloud on the daemon's side."""
    return Cloud()


@pytest.fixture
def remote(cloud: Cloud, monkeypatch: pytest.MonkeyPatch) -> Generator[RemoteCloud]:
    """The same cloud as a provider sees it."""
    monkeypatch.setattr(serving, "_POLL_SECONDS", 0.002)
    names = ("create", "update", "delete", "get", "list", "operation", "wait")
    server = Server("t", {f"cloud.{name}": cloud.method(name) for name in names}, (CloudError, LookupError))
    yield RemoteCloud(Client(Address(server.port, "t")))
    server.close()


def test_every_call_reaches_the_cloud_as_it_is(remote: RemoteCloud, cloud: Cloud) -> None:
    answers = [
        remote.create("network", "n", {"a": 1}),
        remote.update("n", {"a": 2}),
        remote.delete("n"),
        remote.get("n"),
        remote.list("network", "projects/"),
        remote.operation("o"),
        remote.wait("o", 1.5),
    ]
    assert cloud.calls == [
        ("create", {"kind": "network", "name": "n", "body": {"a": 1}}),
        ("update", {"name": "n", "changes": {"a": 2}}),
        ("delete", {"name": "n"}),
        ("get", {"name": "n"}),
        ("list", {"kind": "network", "prefix": "projects/"}),
        ("operation", {"name": "o"}),
        ("wait", {"operation": "o", "seconds": 1.5}),
    ]
    assert answers == [{"name": name} for name, _ in cloud.calls]


def test_a_refusal_of_the_cloud_is_the_same_error_here(remote: RemoteCloud, cloud: Cloud) -> None:
    cloud.refusal = CloudError(409, "ALREADY_EXISTS", "Already exists: n")
    with pytest.raises(CloudError) as caught:
        remote.get("n")
    assert (caught.value.code, caught.value.status, str(caught.value)) == (
        409,
        "ALREADY_EXISTS",
        str(cloud.refusal),
    )
    cloud.refusal = LookupError("no such thing")
    with pytest.raises(CallError, match="no such thing"):
        remote.get("n")


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
