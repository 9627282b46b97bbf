"""A cluster's certificates, made once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from simulator import serving
from simulator.clusters.pki import write_cluster_files

if TYPE_CHECKING:
    from simulator.clusters.pki import ClusterFiles


@pytest.fixture(autouse=True)
def _end_servers_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "_POLL_SECONDS", 0.002)


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> ClusterFiles:
    """The files of a cluster whose own API address is 10.20.0.1."""
    return write_cluster_files(tmp_path_factory.mktemp("pki") / "pki", "10.20.0.1")
