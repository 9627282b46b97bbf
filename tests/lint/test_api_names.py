"""What gcloud prints in the names of Pulumi, and places the way back."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, cast

import pytest

from components.model.objects.api_names import CLUSTER, NODE_POOL
from tests.lint.given import CLUSTER as CLUSTER_TEXT
from tests.lint.given import POOLS

if TYPE_CHECKING:
    from components.model.findings import Key
    from components.model.objects.values import Value

_POOLS = cast("list[dict[str, Value]]", json.loads(POOLS))


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
    bare: dict[str, Value] = {"name": "a", "config": {"machineType": "ct5lp-hightpu-4t"}}
    assert NODE_POOL.describes(bare)
    assert not NODE_POOL.describes({**bare, "apiVersion": "v1"})
    assert not NODE_POOL.describes({"config": "a"})
    assert CLUSTER.describes({"currentMasterVersion": "1.34.1-gke.2037000"})
