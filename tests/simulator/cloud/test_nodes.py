"""Node documents: what a machine of each kind of pool says of itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from simulator import nodes
from simulator.cloud import capacity
from simulator.cloud.api import Body, Kind
from simulator.cloud.service import merged

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.simulator.conftest import World

    NodeOf = Callable[[Body], dict[str, Any]]

CLUSTER = "projects/acme/locations/us-west4/clusters/tpus"
ORDINARY: Body = {"config": {"machineType": "e2-standard-4"}, "initialNodeCount": 1, "locations": ["us-west4-a"]}
TPU_TAINT = {"key": "google.com/tpu", "value": "present", "effect": "NoSchedule"}
SPECIFIC = {
    "consumeReservationType": "SPECIFIC_RESERVATION",
    "key": "compute.googleapis.com/reservation-name",
    "values": ["projects/other/reservations/mine"],
}


@pytest.fixture
def node_of(world: World) -> NodeOf:
    """Make a pool of that document and return its first node."""
    world.make_cluster()

    def make(body: Body) -> dict[str, Any]:
        world.make(Kind.NODE_POOL, f"{CLUSTER}/nodePools/pool", body)
        return world.pool_nodes("pool")[0]

    return make


def test_a_node_of_a_slice(node_of: NodeOf, slice_body: Body) -> None:
    node = node_of(slice_body)

    name = node["metadata"]["name"]
    prefix, digest, suffix = name.rsplit("-", 2)
    assert (prefix, len(digest), len(suffix)) == ("gke-tpu", 8, 4)
    assert node["metadata"]["annotations"]["kwok.x-k8s.io/node"] == "fake"
    expected = {
        "kubernetes.io/hostname": name,
        "kubernetes.io/os": "linux",
        "kubernetes.io/arch": "amd64",
        "node.kubernetes.io/instance-type": "ct5lp-hightpu-4t",
        "topology.kubernetes.io/region": "us-west4",
        "topology.kubernetes.io/zone": "us-west4-a",
        "cloud.google.com/gke-nodepool": "pool",
        "cloud.google.com/machine-family": "ct5lp",
        "cloud.google.com/gke-tpu-accelerator": "tpu-v5-lite-podslice",
        "cloud.google.com/gke-tpu-topology": "2x4",
        "cloud.google.com/gke-accelerator-count": "4",
        "cloud.google.com/gke-provisioning": "standard",
        "cloud.google.com/gke-boot-disk": "pd-balanced",
        "cloud.google.com/gke-os-distribution": "cos",
    }
    assert expected.items() <= node["metadata"]["labels"].items()
    assert node["spec"] == {"providerID": f"gce://acme/us-west4-a/{name}", "taints": [TPU_TAINT]}
    status = node["status"]
    assert status["capacity"] == {
        "cpu": "112",
        "memory": "201326592Ki",
        "ephemeral-storage": "104857600Ki",
        "pods": "110",
        "google.com/tpu": "4",
    }
    assert status["allocatable"]["google.com/tpu"] == "4"
    assert status["addresses"] == [
        {"type": "InternalIP", "address": "10.182.0.5"},
        {"type": "Hostname", "address": name},
    ]
    assert status["daemonEndpoints"] == {"kubeletEndpoint": {"Port": 10250}}
    assert sorted(status["nodeInfo"]) == [
        "architecture",
        "bootID",
        "containerRuntimeVersion",
        "kernelVersion",
        "kubeProxyVersion",
        "kubeletVersion",
        "machineID",
        "operatingSystem",
        "osImage",
        "systemUUID",
    ]
    assert status["nodeInfo"]["kubeletVersion"] == "v1.36.4-gke.1247000"


LABELS: dict[str, tuple[Body, dict[str, str]]] = {
    "ordinary": (ORDINARY, {"cloud.google.com/gke-provisioning": "standard"}),
    "spot": (
        merged(ORDINARY, {"config": {"spot": True}}),
        {"cloud.google.com/gke-provisioning": "spot", "cloud.google.com/gke-spot": "true"},
    ),
    "preemptible": (
        merged(ORDINARY, {"config": {"preemptible": True}}),
        {"cloud.google.com/gke-provisioning": "preemptible", "cloud.google.com/gke-preemptible": "true"},
    ),
    "limited run": (
        merged(ORDINARY, {"config": {"maxRunDuration": "3600s"}}),
        {"cloud.google.com/gke-max-run-duration-seconds": "3600"},
    ),
    "reserved": (
        merged(ORDINARY, {"config": {"reservationAffinity": SPECIFIC}}),
        {"cloud.google.com/reservation-name": "mine"},
    ),
    "own labels": (merged(ORDINARY, {"config": {"labels": {"team": "a"}}}), {"team": "a"}),
    "another image": (
        merged(ORDINARY, {"config": {"imageType": "UBUNTU_CONTAINERD"}}),
        {"cloud.google.com/gke-os-distribution": "ubuntu"},
    ),
    "max pods": (
        merged(ORDINARY, {"maxPodsConstraint": {"maxPodsPerNode": "15"}}),
        {"cloud.google.com/gke-max-pods-per-node": "15"},
    ),
    "single-host TPU": (
        ORDINARY | {"config": {"machineType": "ct5lp-hightpu-8t"}},
        {"cloud.google.com/gke-tpu-topology": "2x4", "cloud.google.com/gke-accelerator-count": "8"},
    ),
    "GPU": (
        ORDINARY
        | {
            "config": {
                "machineType": "n1-standard-8",
                "accelerators": [{"acceleratorType": "nvidia-tesla-t4", "acceleratorCount": "2"}],
            }
        },
        {"cloud.google.com/gke-accelerator": "nvidia-tesla-t4", "cloud.google.com/gke-accelerator-count": "2"},
    ),
}


@pytest.mark.parametrize(("body", "labels"), LABELS.values(), ids=LABELS)
def test_labels_follow_from_the_pool(node_of: NodeOf, body: Body, labels: dict[str, str]) -> None:
    node = node_of(body)

    assert labels.items() <= node["metadata"]["labels"].items()


def test_a_gpu_node_offers_and_guards_its_cards(node_of: NodeOf) -> None:
    node = node_of(LABELS["GPU"][0])

    assert node["status"]["allocatable"]["nvidia.com/gpu"] == "2"
    assert node["spec"]["taints"] == [{"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}]


def test_flex_start_and_queued_nodes_say_so(world: World, slice_body: Body) -> None:
    world.make_cluster()
    flex = {"flexStart": True, "reservationAffinity": {"consumeReservationType": "NO_RESERVATION"}}
    machine = {"machineType": "ct6e-standard-4t"}
    body = merged(slice_body, {"config": {**flex, **machine}, "initialNodeCount": 0}) | {
        "autoscaling": {"enabled": True, "minNodeCount": 0, "maxNodeCount": 2},
        "queuedProvisioning": {"enabled": True},
    }
    world.make(Kind.NODE_POOL, f"{CLUSTER}/nodePools/pool", body)
    group = next(one for one in world.cloud.list(Kind.INSTANCE_GROUP) if one["gangSize"] == 2)
    world.update(group["apiName"], {"targetSize": 2})

    node = world.pool_nodes("pool")[0]

    labels = node["metadata"]["labels"]
    assert labels["cloud.google.com/gke-provisioning"] == "flex-start"
    assert labels["cloud.google.com/gke-flex-start"] == "true"
    assert node["spec"]["taints"] == [
        TPU_TAINT,
        {"key": "cloud.google.com/gke-queued", "value": "true", "effect": "NoSchedule"},
    ]


def test_a_workload_policy_says_the_topology(world: World) -> None:
    world.make_cluster()
    policy = {"workloadPolicy": {"type": "HIGH_THROUGHPUT", "acceleratorTopology": "2x2x2"}}
    world.make(Kind.RESOURCE_POLICY, "projects/acme/regions/us-west4/resourcePolicies/mesh", policy)
    body = {
        "config": {"machineType": "tpu7x-standard-4t"},
        "initialNodeCount": 2,
        "locations": ["us-west4-a"],
        "placementPolicy": {"policyName": "mesh"},
    }
    world.make(Kind.NODE_POOL, f"{CLUSTER}/nodePools/pool", body)

    labels = world.pool_nodes("pool")[0]["metadata"]["labels"]

    assert labels["cloud.google.com/gke-tpu-topology"] == "2x2x2"
    assert labels["cloud.google.com/placement-policy-name"] == "mesh"


def test_names_are_the_same_in_every_run_and_differ_in_a_pool() -> None:
    names = [nodes.instance_name("gke-tpu-0a1b2c3d-grp", "seed", number) for number in range(64)]

    assert names == [nodes.instance_name("gke-tpu-0a1b2c3d-grp", "seed", number) for number in range(64)]
    assert nodes.instance_name("gke-tpu-0a1b2c3d-grp", "other", 0) != names[0]
    assert all(len(name) <= 63 for name in names)


def test_long_names_fit_into_a_dns_label() -> None:
    pool = f"projects/acme/locations/us-west4/clusters/{'c' * 40}/nodePools/{'p' * 40}"

    name = nodes.instance_name(nodes.group_name(pool, ORDINARY, "us-west4-a"), "", 0)

    assert len(name) == 63
    assert name.startswith(f"gke-{'c' * 22}-{'p' * 22}-")


CAPACITIES = [
    # machine type, boot disk in GiB, allocatable cpu, memory in Ki, ephemeral storage in Ki; by hand:
    # 4 GiB - 25 % of 4 - 100 MiB; 100 GiB - 10 % - (6 GiB + 35 %)
    ("e2-medium", 100, "940m", 3043328, 51380224),
    # 60 + 10 + 2 x 5 millicores; 16 GiB - 25 % of 4 - 20 % of 4 - 10 % of 8 - 100 MiB
    ("e2-standard-4", 100, "3920m", 13948518, 51380224),
    # 60 millicores; 3.75 GiB - 25 % - 100 MiB; 20 GiB - 10 % - 50 %
    ("n1-standard-1", 20, "940m", 2846720, 8388608),
]


@pytest.mark.parametrize(("machine", "disk", "cpu", "memory", "storage"), CAPACITIES)
def test_gke_keeps_its_part(machine: str, disk: int, cpu: str, memory: int, storage: int) -> None:
    offered = capacity.capacity(machine, disk_gb=disk, max_pods=110)

    assert offered.allocatable == {
        "cpu": cpu,
        "memory": f"{memory}Ki",
        "ephemeral-storage": f"{storage}Ki",
        "pods": "110",
    }
