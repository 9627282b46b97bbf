"""The objects of add-ons, with an API server that only notes what it gets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import yaml

from simulator.cloud.add_ons import RAY
from simulator.clusters.add_ons import AddOns
from tests.simulator.memory_api import MemoryApi

if TYPE_CHECKING:
    from pathlib import Path


class Applying(MemoryApi):
    """A `MemoryApi` that stores what is applied."""

    def apply(self, path: str, document: dict[str, Any], *, manager: str, force: bool) -> None:
        """As `Api.apply`."""
        del manager, force
        self.put(path, document)


def test_the_kinds_of_ray_are_read_only_for_a_cluster_with_ray(tmp_path: Path) -> None:
    (tmp_path / "rayclusters.yaml").write_text("kind: [")
    add_ons, cluster = AddOns(tmp_path), Applying()
    add_ons.install(cluster.api, ["GcsFuseCsiDriver"])
    assert "/apis/storage.k8s.io/v1/csidrivers/gcsfuse.csi.storage.gke.io" in cluster.objects
    with pytest.raises(yaml.YAMLError):
        add_ons.install(cluster.api, [RAY])
