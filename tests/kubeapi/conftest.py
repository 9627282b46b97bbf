"""An API server double and a client of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from components.kubeapi import Api, client
from simulator.clusters.pki import ClusterFiles, write_cluster_files
from tests.kubeapi.server import FakeApiServer

if TYPE_CHECKING:
    from collections.abc import Generator


@pytest.fixture(autouse=True)
def _look_again_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "_RELIST_SECONDS", 0.005)


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> ClusterFiles:
    """A cluster's certificates."""
    return write_cluster_files(tmp_path_factory.mktemp("pki"), "10.0.0.1")


@pytest.fixture
def server(files: ClusterFiles) -> Generator[FakeApiServer]:
    """A server without routes."""
    fake = FakeApiServer(files)
    yield fake
    fake.close()


@pytest.fixture
def api(server: FakeApiServer) -> Generator[Api]:
    """A client of `server` with a token."""
    made = Api(server.connection("let-me-in"))
    yield made
    made.close()
