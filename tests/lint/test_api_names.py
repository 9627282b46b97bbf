"""What gcloud prints in the names of Pulumi, and places the way back."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, cast

import pytest

from policies.objects.api_names import CLUSTER, FILESTORE, NODE_POOL
from tests.lint.given import CLUSTER as CLUSTER_TEXT, POOLS

if TYPE_CHECKING:
    from components.model.places import Key
    from policies.objects.values import Value

_POOLS = cast("list[dict[str, Value]]", json.loads(POOLS))
_SHARE: dict[str, Value] = {
    "name": "projects/tpu-sandbox/locations/us-west4-a/instances/share",
    "createTime": "2026-01-03T02:00:00Z",
    "fileShares": [{"capacityGb": "1024", "name": "vol"}],
    "networks": [{"ipAddresses": ["10.60.0.2"], "modes": ["MODE_IPV4"], "network": "ml"}],
    "state": "READY",
    "tier": "ZONAL",
}


def test_a_node_pool_has_the_properties_of_its_resource() -> None:
    assert NODE_POOL.properties(_POOLS[1]) == {
        "name": "slice-a",
        "project": "tpu-sandbox",
        "location": "us-west4",
        "cluster": "ml",
        "nodeConfig": {"machineType": "ct5lp-hightpu-4t", "diskType": "pd-balanced"},
        "initialNodeCount": 2,
        "nodeLocations": ["us-west4-a"],
        "management": {"autoRepair": True, "autoUpgrade": True},
        "maxPodsPerNode": "110",
        "placementPolicy": {"type": "COMPACT", "tpuTopology": "2x4"},
        "upgradeSettings": {"maxSurge": 1, "strategy": "SURGE"},
        "version": "1.34.1-gke.2037000",
    }


@pytest.mark.parametrize(
    ("stated", "properties"),
    [
        ({"enabled": True, "maxNodeCount": 2}, {"enabled": True, "maxNodeCount": 2}),
        ({"enabled": False, "maxNodeCount": 2}, None),
        ({}, None),
        (None, None),
        ("yes", "yes"),
    ],
)
def test_autoscaling_that_is_off_is_none(stated: Value, properties: Value) -> None:
    assert NODE_POOL.properties({"autoscaling": stated}).get("autoscaling") == properties


def test_accelerators_are_renamed_within_their_list() -> None:
    config: dict[str, Value] = {"accelerators": [{"acceleratorCount": "1", "acceleratorType": "nvidia-tesla-t4"}]}
    assert NODE_POOL.properties({"config": config})["nodeConfig"] == {
        "guestAccelerators": [{"count": "1", "type": "nvidia-tesla-t4"}]
    }


@pytest.mark.parametrize(
    ("stated", "properties"),
    [
        (None, None),
        ({}, {"autoRepair": False}),
        ({"autoUpgrade": True}, {"autoRepair": False, "autoUpgrade": True}),
        ({"autoRepair": True}, {"autoRepair": True}),
        ("yes", "yes"),
    ],
)
def test_hosts_of_which_no_repair_is_printed_are_not_repaired(stated: Value, properties: Value) -> None:
    assert NODE_POOL.properties({"management": stated})["management"] == properties


def test_hosts_of_a_pool_without_management_are_not_repaired() -> None:
    assert NODE_POOL.properties({"name": "a"})["management"] == {"autoRepair": False}


def test_a_share_has_the_properties_of_its_resource() -> None:
    assert FILESTORE.properties(_SHARE) == {
        "name": "share",
        "project": "tpu-sandbox",
        "location": "us-west4-a",
        "tier": "ZONAL",
        "fileShares": {"capacityGb": "1024", "name": "vol"},
        "networks": _SHARE["networks"],
    }


@pytest.mark.parametrize("stated", [[], "vol", [{"name": "a"}, {"name": "b"}]])
def test_what_is_not_one_share_stays_as_it_is(stated: Value) -> None:
    assert FILESTORE.properties({**_SHARE, "fileShares": stated})["fileShares"] == stated


def test_a_place_in_a_share_goes_back() -> None:
    assert FILESTORE.back(("fileShares", "capacityGb")) == ("fileShares", 0, "capacityGb")
    assert FILESTORE.back(("networks", 0, "network")) == ("networks", 0, "network")
    assert FILESTORE.back(()) == ()


def test_a_cluster_has_the_properties_of_its_resource() -> None:
    message = cast("dict[str, Value]", json.loads(CLUSTER_TEXT))
    message["autopilot"] = {"enabled": True}
    message["masterAuthorizedNetworksConfig"] = {"enabled": True, "cidrBlocks": [{"cidrBlock": "10.0.0.0/8"}]}
    message["autoscaling"] = {"enableNodeAutoprovisioning": True, "resourceLimits": [{"resourceType": "cpu"}]}
    properties = CLUSTER.properties(message)
    assert properties["enableAutopilot"] is True
    assert properties["enableShieldedNodes"] is True
    assert properties["datapathProvider"] == "ADVANCED_DATAPATH"
    assert properties["minMasterVersion"] == "1.34.1-gke.2037000"
    assert properties["nodeLocations"] == ["us-west4-a"]
    assert properties["clusterAutoscaling"] == {"enabled": True, "resourceLimits": [{"resourceType": "cpu"}]}
    assert properties["masterAuthorizedNetworksConfig"] == message["masterAuthorizedNetworksConfig"]
    assert not {"nodeConfig", "selfLink", "status", "locations", "autoscaling"} & properties.keys()


@pytest.mark.parametrize(
    ("keys", "own"),
    [
        (("nodeConfig", "machineType"), ("config", "machineType")),
        (("nodeConfig", "guestAccelerators", 0, "count"), ("config", "accelerators", 0, "acceleratorCount")),
        (("nodeLocations", 0), ("locations", 0)),
        (("maxPodsPerNode",), ("maxPodsConstraint", "maxPodsPerNode")),
        (("placementPolicy", "tpuTopology"), ("placementPolicy", "tpuTopology")),
        ((), ()),
    ],
)
def test_a_place_goes_back(keys: tuple[Key, ...], own: tuple[Key, ...]) -> None:
    assert NODE_POOL.back(keys) == own


def test_a_place_in_a_cluster_goes_back() -> None:
    assert CLUSTER.back(("enableAutopilot",)) == ("autopilot", "enabled")
    assert CLUSTER.back(("clusterAutoscaling", "autoProvisioningLocations", 1)) == (
        "autoscaling",
        "autoprovisioningLocations",
        1,
    )


def test_messages_are_told_apart() -> None:
    cluster = cast("dict[str, Value]", json.loads(CLUSTER_TEXT))
    assert [NODE_POOL.describes(each) for each in (*_POOLS, cluster)] == [True, True, True, False]
    assert [CLUSTER.describes(each) for each in (*_POOLS, cluster)] == [False, False, False, True]
    assert [FILESTORE.describes(each) for each in (*_POOLS, cluster)] == [False] * 4
    assert [each.describes(_SHARE) for each in (NODE_POOL, CLUSTER, FILESTORE)] == [False, False, True]
    assert not FILESTORE.describes({**_SHARE, "apiVersion": "v1"})
    assert not FILESTORE.describes({**_SHARE, "name": "share"})
    assert not FILESTORE.describes({"tier": "ZONAL"})
    bare: dict[str, Value] = {"name": "a", "config": {"machineType": "ct5lp-hightpu-4t"}}
    assert NODE_POOL.describes(bare)
    assert not NODE_POOL.describes({**bare, "apiVersion": "v1"})
    assert not NODE_POOL.describes({"config": "a"})
    assert CLUSTER.describes({"currentMasterVersion": "1.34.1-gke.2037000"})
