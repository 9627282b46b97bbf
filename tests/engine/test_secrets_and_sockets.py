"""An update with secrets, looked at from outside: what it writes, prints and shows, and what its ports answer.

The update is held while every process of it runs: the engine, the language host, a policy pack, the program, the
providers. Nobody may then drive any of them without its credential; what the engine's protocol leaves open is named in
docs/simulator.md, and a web page cannot drive that either.
"""

from __future__ import annotations

import errno
import http.client
import json
import os
import secrets
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import grpc
import pytest
from pulumi.runtime.proto.plugin_pb2 import PluginInfo

from tests.eventually import eventually
from tests.leaks import Seen, assert_hidden, assert_no_secret, processes_watched, secrets_of, written
from tests.sockets import NOTHING, SILENCE, Listener, answer, family, from_a_page, listeners, told
from tests.tracked import ROOT

if TYPE_CHECKING:
    from collections.abc import Generator

    from tests.harness import Simulator

_STACK: Final = "dev"
_PROJECT: Final = "name: secretive\nruntime: {name: python, options: {toolchain: pip, virtualenv: .venv}}\n"
_CONFIG: Final = "config: {gcp:project: acme-test, gcp:region: us-west4, secretive:length: 24}\n"
_GIVEN: Final = secrets.token_urlsafe(24)
_SECONDS: Final = 120.0
_PORTS: Final = {
    "simulator.daemon": "",
    "pulumi up": "",
    "pulumi-language-python 127": "LanguageRuntime",
    "pulumi.policy": "Analyzer",
    "simulator.providers gcp": "ResourceProvider",
    "simulator.providers kubernetes": "ResourceProvider",
    "simulator.providers random": "ResourceProvider",
}
"""What listens in an update: a part of its command line, and the service that the engine asks there, if any."""


@dataclass(frozen=True)
class Held:
    """What there was to be seen of the update while it was held."""

    listeners: list[Listener]
    pages: dict[str, str]
    """What each port answered to each request of a page."""
    versions: dict[str, str]
    """What each plugin says of itself to anybody who speaks the engine's protocol, by a part of its command line."""
    daemon: dict[str, int]
    """Statuses of the daemon's answers: to a stranger, to pages with its token, to a command."""


@dataclass(frozen=True)
class Run:
    """The update, and what was written and printed of it and after it."""

    simulator: Simulator
    held: Held
    seen: Seen
    secrets: dict[str, str]
    texts: dict[str, str]


@pytest.fixture(scope="module")
def run(simulator: Simulator, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """The update and what follows it, with a umask that hides nothing."""
    folder = tmp_path_factory.mktemp("project")
    shutil.copyfile(Path(__file__).parent / "secret_program.py", folder / "__main__.py")
    (folder / ".venv").symlink_to(ROOT / ".venv")
    (folder / "Pulumi.yaml").write_text(_PROJECT)
    config = folder / "secure.yaml"
    config.write_text(_CONFIG)
    inside = replace(simulator, project=folder, umask=0)
    inside.pulumi("stack", "init", _STACK)
    with processes_watched() as seen:
        _give(inside, config)
        with _update(inside, config, folder / "up") as pid:
            held = _look(inside, pid)
        texts = _told_afterwards(inside, config, folder)
    hidden = secrets_of(inside.home) | {"the given secret": _GIVEN}
    both = inside.pulumi("stack", "output", "both", "--show-secrets", "--stack", _STACK).out.strip()
    given, _, hidden["the generated secret"] = both.partition(" and ")
    assert (given, len(hidden["the generated secret"])) == (_GIVEN, 24)
    return Run(inside, held, seen, hidden, texts)


def _give(simulator: Simulator, config: Path) -> None:
    """Put the given secret into a stack file, as a user does who does not want it in the history of the shell."""
    words = ("config", "set", "--secret", "given", f"--config-file={config}", "--stack", _STACK, "--non-interactive")
    command = simulator.command("exec", "--", "pulumi", *words)
    subprocess.run(
        command, cwd=simulator.project, env=simulator.environment, input=_GIVEN, text=True, check=True, timeout=_SECONDS
    )
    assert "secure:" in config.read_text()


@contextmanager
def _update(simulator: Simulator, config: Path, printed: Path) -> Generator[int]:
    """The update, held in the middle; the value is the engine's process id."""
    gate = simulator.project / "gate"
    os.mkfifo(gate)
    pack = ("--policy-pack", str(ROOT / "policies" / "quota"))
    words = ("up", "--yes", "--skip-preview", "--stack", _STACK, f"--config-file={config}", *pack, "--json")
    command = simulator.command("exec", "--", "pulumi", *words, "--non-interactive")
    environment = {**simulator.environment, "GATE": str(gate)}
    with (
        printed.open("wb") as file,
        subprocess.Popen(
            command, cwd=simulator.project, env=environment, stdout=file, stderr=file, umask=simulator.umask
        ) as engine,
    ):

        def opened() -> int | None:
            assert engine.poll() is None, printed.read_text()
            try:
                return os.open(gate, os.O_WRONLY | os.O_NONBLOCK)
            except OSError as error:
                if error.errno == errno.ENXIO:  # nobody reads yet
                    return None
                raise

        handle = eventually(opened, lambda found: found is not None, what="the held update", seconds=_SECONDS)
        assert handle is not None
        try:
            yield engine.pid
        finally:
            os.close(handle)
        assert engine.wait(_SECONDS) == 0, printed.read_text()


def _look(simulator: Simulator, engine: int) -> Held:
    """Look at every port of the update and of the daemon."""
    daemon = json.loads(simulator.home.daemon_file.read_text())
    found = listeners(family(engine, daemon["pid"]))
    # Whoever could call these would end the update, which must go on to its end.
    requests = {
        f"{each.owner} {each.address} {request!r}": (port, request)
        for each in found
        if (port := each.port) is not None
        for request in from_a_page(f"/pulumirpc.{_service(each)}/Cancel", port)
    }
    with ThreadPoolExecutor(len(requests)) as pool:  # a server that is silent takes its time
        said = {place: pool.submit(answer, *asked) for place, asked in requests.items()}
    pages = {place: told(future.result()) for place, future in said.items()}
    versions = {part: _version(found, part) for part in _PORTS if part.startswith("simulator.providers")}
    return Held(found, pages, versions, _daemon_answers(daemon["port"], daemon["token"]))


def _service(listener: Listener) -> str:
    """The service that is asked for at a port."""
    return next((service for part, service in _PORTS.items() if part in listener.owner and service), "Engine")


def _version(found: list[Listener], part: str) -> str:
    """What the plugin with that part of a command line answers to a client of the engine's protocol."""
    (port,) = {each.port for each in found if part in each.owner}
    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        ask: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(
            f"/pulumirpc.{_PORTS[part]}/GetPluginInfo"
        )
        return PluginInfo.FromString(ask(b"")).version


def _daemon_answers(port: int, token: str) -> dict[str, int]:
    """The daemon's answers to the same call with and without its token, from a command and from pages."""
    known = {"Authorization": f"Bearer {token}"}
    sent = {
        "a stranger": {},
        "a page": {**known, "Origin": "https://page.example"},
        "a page whose name leads here": {**known, "Host": f"page.example:{port}"},
        "a command": known,
    }
    answers: dict[str, int] = {}
    for who, headers in sent.items():
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_SECONDS)
        connection.request("POST", "/", json.dumps({"method": "ping", "arguments": {}}), headers)
        answers[who] = connection.getresponse().status
        connection.close()
    return answers


def _told_afterwards(simulator: Simulator, config: Path, folder: Path) -> dict[str, str]:
    """Everything that commands write or print of the update, and of the next one, which would change both secrets."""
    texts = {"the update": (folder / "up").read_text()}
    texts["the output"] = simulator.pulumi("stack", "output", "--json", "--stack", _STACK).text
    simulator.pulumi("config", "set", "length", "30", "--stack", _STACK, f"--config-file={config}")
    return texts | written(simulator, _STACK, folder, f"--config-file={config}")


def test_no_secret_is_written_or_printed_in_clear(run: Run) -> None:
    assert [place for place, text in run.texts.items() if "generated" not in text] == ["the output"]
    assert_hidden(run.texts, run.secrets)


def test_no_secret_stands_in_the_simulators_folder_and_what_holds_one_is_private(run: Run) -> None:
    assert_no_secret(run.simulator.home, run.secrets)


def test_pulumi_keeps_no_logs(run: Run) -> None:
    assert list(run.simulator.home.pulumi_home.rglob("*.log")) == []


def test_no_process_shows_a_secret(run: Run) -> None:
    words = b"\n".join(run.seen.commands)
    assert all(part.replace(" ", "\0").encode() in words for part in _PORTS), "every process was looked at"
    run.seen.assert_no_secret(run.secrets)


def test_what_listens_is_on_loopback_and_known(run: Run) -> None:
    owners = {part for part in _PORTS for each in run.held.listeners if part in each.owner}
    assert owners == set(_PORTS)
    assert [each for each in run.held.listeners if each.port is None] == []
    assert [each for each in run.held.listeners if not any(part in each.owner for part in _PORTS)] == []


def test_a_web_page_drives_none_of_the_ports(run: Run) -> None:
    assert len(run.held.pages) == 2 * len(run.held.listeners)
    assert {place: said for place, said in run.held.pages.items() if said not in (NOTHING, SILENCE, "400", "403")} == {}


def test_the_daemon_answers_commands_and_nobody_else(run: Run) -> None:
    assert run.held.daemon == {"a stranger": 403, "a page": 403, "a page whose name leads here": 403, "a command": 200}


def test_the_engines_protocol_has_no_credential(run: Run) -> None:
    """So the ports above were alive. Where a credential comes into the protocol, this and docs/simulator.md change."""
    assert all(run.held.versions.values())
