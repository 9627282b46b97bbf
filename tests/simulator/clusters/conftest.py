"""A cluster's certificates, made once, and fleets of fake clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from simulator import serving
from simulator.clusters import fleet as fleet_module
from simulator.clusters.fleet import Fleet
from simulator.clusters.pki import write_cluster_files
from tests.simulator.clusters.fake_clusters import FakeClusters
from tests.simulator.clusters.fleet_builders import Scripts, a_spec

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from simulator.clusters.pki import ClusterFiles


@pytest.fixture(autouse=True)
def _end_servers_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "_POLL_SECONDS", 0.002)


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> ClusterFiles:
    """The files of a cluster whose own API address is 10.20.0.1."""
    return write_cluster_files(tmp_path_factory.mktemp("pki") / "pki", "10.20.0.1")


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
