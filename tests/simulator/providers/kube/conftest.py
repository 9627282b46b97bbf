"""The kubernetes provider before an API server that holds what is applied, a reporter and a Helm that are scripted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from components.kubeapi import client
from simulator.providers.kube.provider import KubernetesProvider
from tests.simulator.providers.kube.builders import Kube, ScriptedHelm, Told
from tests.simulator.providers.kube.cluster import ApplyCluster

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from simulator.clusters.pki import ClusterFiles


@pytest.fixture(autouse=True)
def _look_again_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "_RELIST_SECONDS", 0.005)


@pytest.fixture
def cluster(files: ClusterFiles) -> Generator[ApplyCluster]:
    """A cluster with Kueue's CRDs and the namespace `default`."""
    made = ApplyCluster(files)
    yield made
    made.server.close()


@pytest.fixture
def told() -> Told:
    """What the engine and the reporter hear and say."""
    return Told()


@pytest.fixture
def helm(tmp_path: Path) -> ScriptedHelm:
    """A Helm that succeeds in everything."""
    return ScriptedHelm(tmp_path / "helm")


@pytest.fixture
def kube(cluster: ApplyCluster, told: Told, helm: ScriptedHelm) -> Kube:
    """A provider that was configured without further settings."""
    made = Kube(KubernetesProvider(told, told, helm.tool), cluster)
    made.configure()
    return made
