"""The way from an API server to webhooks and nodes, over a real unix socket."""

from __future__ import annotations

import os
import socket
from typing import TYPE_CHECKING, Final

import pytest

from simulator.clusters import egress
from simulator.clusters.egress import EgressProxy

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from tests.simulator.clusters.conftest import Echo

_SECONDS: Final = 10.0
"""Real time after which a wait in a test has failed."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder whose sockets have paths that are too long for an address."""
    deep = tmp_path / ("d" * 60) / ("e" * 60)
    deep.mkdir(parents=True)
    assert len(os.fsencode(deep)) > 108
    return deep


@pytest.fixture
def proxy(folder: Path, echo: Echo) -> Generator[EgressProxy]:
    """A proxy that leads `hooks.team.svc:443` to the server, `dead.team.svc:443` to nobody, and refuses all others."""
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        routes = {("hooks.team.svc", 443): echo.port, ("fd00::1", 443): echo.port, ("dead.team.svc", 443): 0}
        routes["dead.team.svc", 443] = int(nobody.getsockname()[1])
        made = EgressProxy(folder / "egress.sock", lambda host, port: routes.get((host, port), f"no way to {host}"))
        yield made
        made.close()


def dial(folder: Path) -> socket.socket:
    """A connection to the proxy, as the API server in its working directory makes it."""
    here = os.open(folder, os.O_RDONLY)
    try:
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(_SECONDS)
        connection.connect(f"/proc/self/fd/{here}/egress.sock")
    finally:
        os.close(here)
    return connection


def ask(folder: Path, request: bytes, size: int = 4096) -> bytes:
    """The first answer to a request."""
    with dial(folder) as connection:
        connection.sendall(request)
        return connection.recv(size)


def test_bytes_are_carried_both_ways_until_both_are_done(proxy: EgressProxy, folder: Path) -> None:
    with dial(folder) as connection:
        connection.sendall(b"CONNECT hooks.team.svc:443 HTTP/1.1\r\nHost: x\r\nUser-Agent: y\r\n\r\n")
        assert connection.recv(4096) == b"HTTP/1.1 200 Connection Established\r\n\r\n"
        for word in (b"one", b"two"):
            connection.sendall(word)
            assert connection.recv(4096) == b"<" + word
        connection.shutdown(socket.SHUT_WR)
        assert connection.recv(4096) == b""
    assert proxy is not None


@pytest.mark.usefixtures("proxy")
def test_what_comes_right_behind_the_request_is_carried_too(folder: Path) -> None:
    with dial(folder) as connection:
        connection.sendall(b"CONNECT hooks.team.svc:443 HTTP/1.1\r\n\r\nhello")
        received = b""
        while not received.endswith(b"<hello"):
            chunk = connection.recv(4096)
            assert chunk, received
            received += chunk
    assert received == b"HTTP/1.1 200 Connection Established\r\n\r\n<hello"


@pytest.mark.usefixtures("proxy")
def test_an_address_may_be_of_version_6(folder: Path) -> None:
    assert ask(folder, b"CONNECT [fd00::1]:443 HTTP/1.1\r\n\r\n").startswith(b"HTTP/1.1 200 ")


@pytest.mark.usefixtures("proxy")
@pytest.mark.parametrize(
    ("request_", "answer"),
    [
        (
            b"CONNECT 10.0.0.9:443 HTTP/1.1\r\n\r\n",
            b"HTTP/1.1 503 no way to 10.0.0.9\r\nContent-Length: 0\r\n\r\n",
        ),
        (
            b"CONNECT dead.team.svc:443 HTTP/1.1\r\n\r\n",
            b"HTTP/1.1 503 dead.team.svc:443: Connection refused\r\nContent-Length: 0\r\n\r\n",
        ),
        (b"GET / HTTP/1.1\r\n\r\n", b"HTTP/1.1 400 Bad Request\r\n\r\n"),
        (b"CONNECT hooks.team.svc HTTP/1.1\r\n\r\n", b"HTTP/1.1 400 Bad Request\r\n\r\n"),
        (b"CONNECT hooks.team.svc:https HTTP/1.1\r\n\r\n", b"HTTP/1.1 400 Bad Request\r\n\r\n"),
        (b"\r\n\r\n", b"HTTP/1.1 400 Bad Request\r\n\r\n"),
    ],
)
def test_what_leads_nowhere_is_refused_with_the_reason(folder: Path, request_: bytes, answer: bytes) -> None:
    assert ask(folder, request_) == answer


def test_closing_removes_the_socket(proxy: EgressProxy, folder: Path) -> None:
    proxy.close()
    assert list(folder.iterdir()) == []


def test_a_socket_that_a_dead_daemon_left_is_replaced(tmp_path: Path, echo: Echo) -> None:
    left = socket.socket(socket.AF_UNIX)
    left.bind(str(tmp_path / "egress.sock"))
    left.close()

    def route(host: str, port: int) -> int | str:
        return echo.port if (host, port) == ("a", 1) else "elsewhere"

    made = EgressProxy(tmp_path / "egress.sock", route)
    assert ask(tmp_path, b"CONNECT a:1 HTTP/1.1\r\n\r\n").startswith(b"HTTP/1.1 200 ")
    made.close()


def test_a_path_that_is_too_long_elsewhere_is_refused_with_the_remedy(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(egress.sys, "platform", "darwin")
    path = folder / "egress.sock"
    with pytest.raises(OSError, match="too long") as caught:
        EgressProxy(path, lambda host, port: f"no way to {host}:{port}")
    assert str(caught.value) == (f"{path} is too long for a unix socket: set TPU_SIMULATOR_HOME to a shorter folder")
