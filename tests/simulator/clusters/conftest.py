"""A cluster's certificates, made once, and fleets of fake clusters."""

from __future__ import annotations

import socket
import threading
from typing import TYPE_CHECKING

import pytest

from simulator import serving
from simulator.clusters import fleet as fleet_module
from simulator.clusters.fleet import Fleet
from tests.simulator.clusters.fake_clusters import FakeClusters
from tests.simulator.clusters.fleet_builders import Scripts, a_spec

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path


class Echo:
    """Doubles a webhook's server: it sends back what it gets, with a mark before it, until the other side is done."""

    def __init__(self) -> None:
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listening.getsockname()[1])
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        self._thread.join(10.0)

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            with connection:
                while data := connection.recv(1 << 16):
                    connection.sendall(b"<" + data)


@pytest.fixture(autouse=True)
def _end_servers_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "_POLL_SECONDS", 0.002)


@pytest.fixture
def echo() -> Generator[Echo]:
    """A server on loopback."""
    made = Echo()
    yield made
    made.close()


@pytest.fixture
def clusters(monkeypatch: pytest.MonkeyPatch) -> FakeClusters:
    """The clusters that fleets make from now on."""
    made = FakeClusters()
    monkeypatch.setattr(fleet_module, "Cluster", made)
    return made


@pytest.fixture
def new_fleet(tmp_path: Path, clusters: FakeClusters) -> Callable[[], Fleet]:
    """Makes the fleet of one folder, as every new daemon does."""
    assert clusters.all == []
    shared = Scripts(tmp_path / "bin").shared()
    return lambda: Fleet(tmp_path / "clusters", tmp_path / "kubeconfig", shared)


@pytest.fixture
def fleet(new_fleet: Callable[[], Fleet]) -> Fleet:
    """A fleet with one cluster."""
    made = new_fleet()
    made.start_cluster(a_spec())
    return made
