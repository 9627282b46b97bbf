"""Clusters, their node pools and instance groups through the cloud's API."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.cloud import gke_versions
from simulator.cloud.api import Body, Kind
from simulator.toolchain.tools import find_tool

if TYPE_CHECKING:
    from tests.simulator.conftest import World

CLUSTER = "projects/acme/locations/us-west4/clusters/tpus"
POOL = f"{CLUSTER}/nodePools/pool"
NETWORK = "projects/acme/global/networks/vpc"
SUBNETWORK = "projects/acme/regions/us-west4/subnetworks/nodes"
ORDINARY: Body = {
    "config": {"machineType": "e2-standard-4", "labels": {"team": "a"}},
    "initialNodeCount": 1,
    "locations": ["us-west4-a", "us-west4-b"],
}


def _groups(world: World, pool: str = POOL) -> list[str]:
    return sorted(group["apiName"] for group in world.cloud.list(Kind.INSTANCE_GROUP) if group["pool"] == pool)


def test_a_standard_cluster_runs_with_its_default_pool(world: World) -> None:
    cluster = world.make(Kind.CLUSTER, CLUSTER, {"initialNodeCount": 1})

    assert cluster["status"] == "RUNNING"
    assert cluster["endpoint"] == "127.0.0.1:16443"
    assert cluster["masterAuth"]["clusterCaCertificate"] == "Q0E="
    assert cluster["currentMasterVersion"] == "1.36.4-gke.1247000"
    assert cluster["locations"] == ["us-west4-a", "us-west4-b", "us-west4-c"]
    spec = world.machines.clusters[CLUSTER]
    assert (spec.pod_range, spec.service_range, spec.is_autopilot) == ("10.0.0.0/14", "34.118.224.0/20", False)
    assert len(world.pool_nodes("default-pool")) == 3


def test_an_autopilot_cluster_has_no_pool(world: World) -> None:
    cluster = world.make(Kind.CLUSTER, CLUSTER, {"autopilot": {"enabled": True}})

    assert cluster["workloadIdentityConfig"] == {"workloadPool": "acme.svc.id.goog"}
    assert world.machines.clusters[CLUSTER].is_autopilot
    assert world.cloud.list(Kind.NODE_POOL) == []


def test_a_cluster_goes_with_everything_in_it(world: World, slice_body: Body) -> None:
    world.make_cluster()
    world.make(Kind.NODE_POOL, POOL, slice_body)

    assert world.delete(CLUSTER)["error"] is None

    assert world.machines.clusters == {}
    kinds = (Kind.CLUSTER, Kind.NODE_POOL, Kind.INSTANCE_GROUP)
    assert [world.cloud.list(kind) for kind in kinds] == [[], [], []]


def test_ranges_come_from_the_subnetwork(world: World) -> None:
    world.make(Kind.NETWORK, NETWORK, {"autoCreateSubnetworks": False})
    ranges = [
        {"rangeName": "pods", "ipCidrRange": "10.8.0.0/16"},
        {"rangeName": "services", "ipCidrRange": "10.9.0.0/20"},
    ]
    body = {"network": NETWORK, "ipCidrRange": "10.1.0.0/28", "secondaryIpRanges": ranges}
    world.make(Kind.SUBNETWORK, SUBNETWORK, body)

    policy = {"clusterSecondaryRangeName": "pods", "servicesSecondaryRangeName": "services"}
    wanted = {
        "initialNodeCount": 4,
        "network": NETWORK,
        "subnetwork": SUBNETWORK,
        "locations": ["us-west4-a"],
        "ipAllocationPolicy": policy,
    }
    cluster = world.make(Kind.CLUSTER, CLUSTER, wanted)

    assert (cluster["clusterIpv4Cidr"], cluster["servicesIpv4Cidr"]) == ("10.8.0.0/16", "10.9.0.0/20")
    addresses = {node["status"]["addresses"][0]["address"] for node in world.pool_nodes("default-pool")}
    assert addresses == {"10.1.0.2", "10.1.0.3", "10.1.0.4", "10.1.0.5"}
    operation = world.create(Kind.NODE_POOL, POOL, ORDINARY | {"initialNodeCount": 5})
    assert operation["error"] is not None
    assert operation["error"]["message"] == f"Instance creation failed: IP space of '{SUBNETWORK}' is exhausted."
    assert world.cloud.get(POOL)["status"] == "ERROR"
    other = "projects/acme/locations/us-west4/clusters/other"
    refused = world.refusal(lambda: world.cloud.create(Kind.CLUSTER, other, wanted))
    assert refused.message == (
        'Services range "services" in network "vpc", subnetwork "nodes" is already used by another cluster.'
    )


def test_a_control_plane_has_its_range_to_itself_in_its_network_alone(world: World) -> None:
    body = {"initialNodeCount": 1, "privateClusterConfig": {"masterIpv4CidrBlock": "172.16.0.0/28"}}
    world.make(Kind.CLUSTER, CLUSTER, body)
    second = world.refusal(lambda: world.cloud.create(Kind.CLUSTER, f"{CLUSTER}-2", body))
    assert second.message.endswith("'172.16.0.0/28' overlaps 172.16.0.0/28, which is in use.")

    elsewhere = CLUSTER.replace("acme", "other")
    assert world.make(Kind.CLUSTER, elsewhere, body)["status"] == "RUNNING"


def test_the_offered_versions_are_of_the_kubernetes_that_runs_here() -> None:
    running = find_tool("kube-apiserver").version.removeprefix("v")

    assert [version.partition("-gke.")[0] for version in gke_versions.OFFERED] == [running] * len(gke_versions.OFFERED)


def test_versions_only_go_up(world: World) -> None:
    world.make_cluster({"initialNodeCount": 1, "initialClusterVersion": "1.36.4-gke.1082000"})
    assert world.update(CLUSTER, {"desiredMasterVersion": "latest"})["error"] is None
    assert world.cloud.get(CLUSTER)["currentMasterVersion"] == "1.36.4-gke.1247000"

    refused = world.refusal(lambda: world.cloud.update(CLUSTER, {"desiredMasterVersion": "1.36.4-gke.1082000"}))

    assert refused.message == (
        "Master cannot be upgraded to 1.36.4-gke.1082000: it is older than the current 1.36.4-gke.1247000."
    )


def test_labels_and_taints_reach_the_nodes_as_they_are(world: World) -> None:
    world.make_cluster()
    world.make(Kind.NODE_POOL, POOL, ORDINARY)
    before = [node["metadata"]["name"] for node in world.pool_nodes("pool")]
    taint = {"key": "only", "value": "batch", "effect": "NO_SCHEDULE"}

    world.update(POOL, {"config": {"labels": {"team": None, "tier": "b"}, "taints": [taint]}})

    nodes = world.pool_nodes("pool")
    assert [node["metadata"]["name"] for node in nodes] == before
    assert all("team" not in node["metadata"]["labels"] for node in nodes)
    assert {node["metadata"]["labels"]["tier"] for node in nodes} == {"b"}
    assert nodes[0]["spec"]["taints"] == [{"key": "only", "value": "batch", "effect": "NoSchedule"}]
    assert world.cloud.get(POOL)["status"] == "RUNNING"


def test_another_machine_type_makes_other_machines(world: World) -> None:
    world.make_cluster()
    world.make(Kind.NODE_POOL, POOL, ORDINARY)
    before = {node["metadata"]["name"] for node in world.pool_nodes("pool")}

    world.update(POOL, {"config": {"machineType": "e2-standard-8"}})

    nodes = world.pool_nodes("pool")
    assert {node["metadata"]["name"] for node in nodes}.isdisjoint(before)
    assert [node["status"]["capacity"]["cpu"] for node in nodes] == ["8", "8"]


def test_zones_come_and_go(world: World) -> None:
    world.make_cluster()
    world.make(Kind.NODE_POOL, POOL, ORDINARY)

    world.update(POOL, {"locations": ["us-west4-b", "us-west4-c"]})

    zones = [node["metadata"]["labels"]["topology.kubernetes.io/zone"] for node in world.pool_nodes("pool")]
    assert sorted(zones) == ["us-west4-b", "us-west4-c"]
    assert [group.split("/")[3] for group in _groups(world)] == ["us-west4-b", "us-west4-c"]


def test_a_pool_is_resized_in_each_zone(world: World) -> None:
    world.make_cluster()
    world.make(Kind.NODE_POOL, POOL, ORDINARY)

    world.update(POOL, {"nodeCount": 3})
    assert len(world.pool_nodes("pool")) == 6
    world.update(POOL, {"nodeCount": 0})

    assert world.pool_nodes("pool") == []
    assert world.cloud.get(POOL)["initialNodeCount"] == 1


def test_a_group_is_resized_and_loses_machines_by_name(world: World) -> None:
    world.make_cluster()
    world.make(Kind.NODE_POOL, POOL, ORDINARY | {"locations": ["us-west4-a"]})
    (group,) = _groups(world)

    world.update(group, {"targetSize": 3})
    first = world.pool_nodes("pool")[0]["metadata"]["name"]
    world.update(group, {"deleteInstances": [first]})

    names = [node["metadata"]["name"] for node in world.pool_nodes("pool")]
    assert len(names) == 2
    assert first not in names
    assert world.cloud.get(group)["targetSize"] == 2
    refused = world.refusal(lambda: world.cloud.update(group, {"deleteInstances": ["nobody"]}))
    assert refused.message == f"Instances nobody are not managed by {group}."


def test_a_slice_comes_and_goes_whole(world: World, slice_body: Body) -> None:
    world.make_cluster()
    autoscaling = {"enabled": True, "minNodeCount": 0, "maxNodeCount": 2}
    world.make(Kind.NODE_POOL, POOL, slice_body | {"initialNodeCount": 0, "autoscaling": autoscaling})
    (group,) = _groups(world)

    refused = world.refusal(lambda: world.cloud.update(group, {"targetSize": 1}))
    assert refused.message == (
        "Requested invalid target size '1' for a Managed Instance Group in the gang mode of size '2'. "
        "Should be equal to the gang size."
    )
    assert world.refusal(lambda: world.cloud.update(POOL, {"nodeCount": 3})).message.startswith("Requested invalid")
    assert world.update(group, {"targetSize": 2})["error"] is None
    assert len(world.pool_nodes("pool")) == 2
    assert world.update(group, {"targetSize": 0})["error"] is None
    assert world.pool_nodes("pool") == []


def test_a_slice_keeps_its_machine_type(world: World, slice_body: Body) -> None:
    world.make_cluster()
    world.make(Kind.NODE_POOL, POOL, slice_body)

    change = {"config": {"machineType": "ct6e-standard-4t", "diskType": "hyperdisk-balanced"}}
    refused = world.refusal(lambda: world.cloud.update(POOL, change))

    assert refused.message == (
        "Machine type of a multi-host TPU slice node pool cannot be changed from ct5lp-hightpu-4t to ct6e-standard-4t."
    )


def test_work_that_failed_half_way_is_finished_by_the_next_change(world: World, slice_body: Body) -> None:
    world.make_cluster()
    world.machines.failures["add_nodes"] = "the API server is gone"
    assert world.create(Kind.NODE_POOL, POOL, slice_body)["error"] is not None
    assert world.cloud.get(POOL)["status"] == "ERROR"
    del world.machines.failures["add_nodes"]

    world.update(POOL, {"config": {"labels": {"a": "b"}}})

    pool = world.cloud.get(POOL)
    assert (pool["status"], "statusMessage" in pool) == ("RUNNING", False)
    assert len(world.pool_nodes("pool")) == 2


def test_groups_belong_to_their_pool(world: World) -> None:
    world.make_cluster()
    (group, *_) = _groups(world, f"{CLUSTER}/nodePools/default-pool")
    other = "projects/acme/zones/us-west4-a/instanceGroupManagers/mine"

    assert world.refusal(lambda: world.cloud.delete(group)).message == (
        f"{group}: instance groups are removed by their node pool only"
    )
    assert world.refusal(lambda: world.cloud.create(Kind.INSTANCE_GROUP, other, {})).message == (
        f"{other}: instance groups are made by their node pool only"
    )
