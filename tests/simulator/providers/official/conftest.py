"""Every resource of the table, made by the stand-ins."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from simulator.clusters.pki import write_cluster_files
from simulator.providers.kube.provider import KubernetesProvider
from tests.simulator.providers.kube.builders import ScriptedHelm, Told
from tests.simulator.providers.kube.cluster import ApplyCluster
from tests.simulator.providers.official.table import Made, resources

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from tests.simulator.conftest import GcpWorld


@pytest.fixture
def cluster(tmp_path: Path) -> Generator[ApplyCluster]:
    """An API server that knows the kinds of the table."""
    made = ApplyCluster(write_cluster_files(tmp_path / "pki", "10.0.0.1"))
    yield made
    made.server.close()


@pytest.fixture
def made(gcp: GcpWorld, cluster: ApplyCluster, tmp_path: Path) -> dict[tuple[str, str], Made]:
    """Every resource of the table, by type and name; those of Google in the simulated cloud."""
    gcp.provider.configure({"project": "tpu-sandbox"})
    kube = KubernetesProvider(Told(), Told(), ScriptedHelm(tmp_path / "helm").tool)
    kube.configure({"kubeconfig": cluster.kubeconfig})
    found: dict[tuple[str, str], Made] = {}
    for type_, name, declared in resources():
        if type_.startswith("gcp:"):
            one = gcp.up(type_, name, declared)
            found[type_, name] = Made(gcp.provider, one.target, declared, one.inputs, one.outputs)
        else:
            target = gcp.target(type_, name)
            inputs = kube.check(replace(target, new=declared, seed=b"seed")).inputs
            found[type_, name] = Made(kube, target, declared, inputs, inputs)
    return found
