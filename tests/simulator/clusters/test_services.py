"""Loopback ports that lead to the pods behind a Service."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING, Final

import pytest

from simulator.clusters.services import ServicePorts

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path

    from tests.simulator.clusters.conftest import Echo

_SECONDS: Final = 10.0


class Ways:
    """Doubles `Routes`: every target leads to the same port, or nowhere."""

    def __init__(self) -> None:
        self.behind: int | str = "nothing is ready"
        self.asked: list[tuple[str, int]] = []

    def __call__(self, host: str, port: int) -> int | str:
        self.asked.append((host, port))
        return self.behind


@pytest.fixture
def ways() -> Ways:
    """Nothing is ready yet."""
    return Ways()


@pytest.fixture
def opened(tmp_path: Path, ways: Ways) -> Generator[Callable[[], ServicePorts]]:
    """Opens the ports of the cluster, again after a close."""
    made: list[ServicePorts] = []

    def open_() -> ServicePorts:
        made.append(ServicePorts(tmp_path / "ports.json", ways))
        made[-1].start()
        return made[-1]

    yield open_
    for each in made:
        each.close()


def said(port: int, words: bytes) -> bytes:
    """What the other end answers."""
    with socket.create_connection(("127.0.0.1", port), timeout=_SECONDS) as connection:
        try:
            connection.sendall(words)
            connection.shutdown(socket.SHUT_WR)
            return b"".join(iter(lambda: connection.recv(4096), b""))
        except OSError:  # it was closed before everything was said
            return b""


def test_an_address_leads_to_what_is_ready_when_a_connection_comes(
    opened: Callable[[], ServicePorts], ways: Ways, echo: Echo
) -> None:
    services = opened()
    port = services.port("team", "redis", 6379)
    assert services.port("team", "redis", 6379) == port
    assert services.port("other", "redis", 6379) != port
    assert said(port, b"PING") == b"", "nothing is ready: the connection is closed"
    ways.behind = echo.port
    assert said(port, b"PING") == b"<PING"
    assert ways.asked == [("redis.team.svc", 6379)] * 2


def test_an_address_stays_over_a_restart(opened: Callable[[], ServicePorts], ways: Ways, echo: Echo) -> None:
    ways.behind = echo.port
    first = opened()
    port = first.port("team", "redis", 6379)
    assert said(port, b"a") == b"<a"
    first.close()
    second = opened()
    assert said(port, b"b") == b"<b", "it is listened on without being asked for"
    assert second.port("team", "redis", 6379) == port


def test_a_port_that_somebody_took_meanwhile_is_given_up(opened: Callable[[], ServicePorts]) -> None:
    first = opened()
    port = first.port("team", "redis", 6379)
    first.close()
    with socket.create_server(("127.0.0.1", port)):
        assert opened().port("team", "redis", 6379) != port
