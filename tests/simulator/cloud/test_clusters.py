"""Clusters and their node pools through the cloud's API."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.cloud.api import Body, Kind

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.simulator.conftest import World

CLUSTER = "projects/acme/locations/us-west4/clusters/tpus"


def test_a_standard_cluster_runs_with_its_default_pool(world: World) -> None:
    cluster = world.make(Kind.CLUSTER, CLUSTER, {"initialNodeCount": 1})

    assert cluster["status"] == "RUNNING"
    assert cluster["endpoint"] == "127.0.0.1:16443"
    assert cluster["masterAuth"]["clusterCaCertificate"] == "Q0E="
    assert cluster["locations"] == ["us-west4-a", "us-west4-b", "us-west4-c"]
    assert world.machines.clusters[CLUSTER].service_range == "34.118.224.0/20"
    assert len(world.pool_nodes("default-pool")) == 3


def test_a_slice_pool_has_its_hosts(world: World, slice_body: Callable[..., Body]) -> None:
    world.make_cluster()
    pool = world.make(Kind.NODE_POOL, f"{CLUSTER}/nodePools/slice", slice_body())

    assert pool["status"] == "RUNNING"
    nodes = world.pool_nodes("slice")
    assert [node["metadata"]["labels"]["cloud.google.com/gke-tpu-topology"] for node in nodes] == ["2x4", "2x4"]
    assert world.delete(f"{CLUSTER}/nodePools/slice")["error"] is None
    assert world.pool_nodes("slice") == []
    assert world.delete(CLUSTER)["error"] is None
    assert world.machines.clusters == {}
    assert world.cloud.list(Kind.INSTANCE_GROUP) == []
