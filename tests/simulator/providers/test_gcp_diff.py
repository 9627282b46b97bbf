"""Differences: what changes in place, what replaces and in which order, and what does not count."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest

from simulator.providers.base import Change, Difference
from simulator.providers.values import UNKNOWN, Properties

if TYPE_CHECKING:
    from tests.simulator.conftest import GcpWorld, Resource

NODE_POOL = "gcp:container/nodePool:NodePool"
POOL: Properties = {
    "name": "pool",
    "cluster": "tpus",
    "initialNodeCount": 1,
    "nodeLocations": ["us-west4-b", "us-west4-a"],
    "nodeConfig": {
        "machineType": "e2-standard-4",
        "labels": {"team": "a", "example.com/tier": "gold"},
        "oauthScopes": ["https://www.googleapis.com/auth/cloud-platform"],
        "taints": [{"key": "only", "value": "batch", "effect": "NO_SCHEDULE"}],
    },
}


@pytest.fixture
def pool(gcp: GcpWorld) -> Resource:
    """A pool of ordinary machines in two zones."""
    gcp.cluster()
    return gcp.up(NODE_POOL, "pool", POOL)


def _with(**node_config: Any) -> Properties:  # noqa: ANN401  any setting
    return {**POOL, "nodeConfig": {**cast("dict[str, Any]", POOL["nodeConfig"]), **node_config}}


CHANGES: dict[str, tuple[Properties, dict[str, Change]]] = {
    "nothing": (POOL, {}),
    "the order of a set": ({**POOL, "nodeLocations": ["us-west4-a", "us-west4-b"]}, {}),
    "what the cloud decides is left out": (
        {key: value for key, value in POOL.items() if key != "nodeLocations"},
        {},
    ),
    "what the cloud decided is stated": ({**POOL, "maxPodsPerNode": 110}, {}),
    "a label": (
        _with(labels={"team": "b", "example.com/tier": "gold", "x": "y"}),
        {"nodeConfig.labels.team": Change.UPDATE, "nodeConfig.labels.x": Change.ADD},
    ),
    "a label with dots goes": (
        _with(labels={"team": "a"}),
        {'nodeConfig.labels["example.com/tier"]': Change.DELETE},
    ),
    "a taint": (
        _with(taints=[{"key": "only", "value": "service", "effect": "NO_SCHEDULE"}]),
        {"nodeConfig.taints[0].value": Change.UPDATE},
    ),
    "all taints go": (_with(taints=[]), {"nodeConfig.taints[0]": Change.DELETE}),
    "scopes": (
        _with(oauthScopes=["https://www.googleapis.com/auth/monitoring"]),
        {"nodeConfig.oauthScopes[0]": Change.UPDATE_REPLACE},
    ),
    "an object without marks": (
        {**POOL, "autoscaling": {"maxNodeCount": 3}},
        {"autoscaling": Change.ADD},
    ),
    "an object with something in it that replaces": (
        {**POOL, "queuedProvisioning": {"enabled": True}},
        {"queuedProvisioning": Change.ADD_REPLACE},
    ),
    "a cluster that is not known yet": ({**POOL, "cluster": UNKNOWN}, {"cluster": Change.UPDATE_REPLACE}),
    "an account that is not known yet": (
        _with(serviceAccount=UNKNOWN),
        {"nodeConfig.serviceAccount": Change.UPDATE_REPLACE},
    ),
    "only the provider's": ({**POOL, "deletionPolicy": "PREVENT"}, {"deletionPolicy": Change.UPDATE}),
}


@pytest.mark.parametrize(("inputs", "changes"), CHANGES.values(), ids=CHANGES)
def test_a_node_pool_changes(gcp: GcpWorld, pool: Resource, inputs: Properties, changes: dict[str, Change]) -> None:
    assert gcp.diff(pool, inputs).changes == changes


def test_a_resource_with_a_generated_name_goes_after_its_replacement(gcp: GcpWorld) -> None:
    gcp.cluster()
    inputs = {key: value for key, value in POOL.items() if key != "name"}
    pool = gcp.up(NODE_POOL, "pool", inputs)

    difference = gcp.diff(pool, inputs | {"initialNodeCount": 2})

    assert difference == Difference({"initialNodeCount": Change.UPDATE_REPLACE}, delete_before_replace=False)


@pytest.mark.parametrize(
    ("inputs", "ignored"),
    [
        ({**POOL, "nodeCount": 4}, ("nodeCount",)),
        (_with(labels={"team": "b", "example.com/tier": "gold"}), ("nodeConfig.labels",)),
        (_with(labels={"team": "b", "example.com/tier": "gold"}), ("nodeConfig.*",)),
        (_with(labels={"team": "b", "example.com/tier": "gold"}), ("nodeConfig.labels.team",)),
        (_with(labels={"team": "a"}), ('nodeConfig.labels["example.com/tier"]',)),
    ],
)
def test_ignored_paths_are_passed_over(
    gcp: GcpWorld, pool: Resource, inputs: Properties, ignored: tuple[str, ...]
) -> None:
    assert gcp.diff(pool, inputs, *ignored).changes == {}
    assert gcp.diff(pool, inputs, "nodeConfig.tags", "node", "nodeConfig.labels.te").changes != {}


def test_a_size_that_drifted_shows_when_the_program_states_one(gcp: GcpWorld) -> None:
    gcp.cluster()
    stated = {key: value for key, value in POOL.items() if key != "initialNodeCount"} | {"nodeCount": 1}
    pool = gcp.up(NODE_POOL, "pool", stated)
    for group in gcp.world.cloud.list("compute.instanceGroupManager"):
        if "-pool-" in group["name"]:
            gcp.world.update(group["apiName"], {"targetSize": 3})

    assert gcp.refresh(pool)
    assert (pool.inputs["nodeCount"], pool.outputs["nodeCount"]) == (3, 3)
    assert gcp.diff(pool, stated).changes == {"nodeCount": Change.UPDATE}
    assert gcp.diff(pool, stated | {"ignoreNodeCountChanges": True}).changes == {"ignoreNodeCountChanges": Change.ADD}


@pytest.mark.parametrize(
    ("cidr", "change"),
    [
        ("10.0.0.0/19", Change.UPDATE),
        ("10.0.0.0/16", Change.UPDATE),
        ("10.0.0.0/21", Change.UPDATE_REPLACE),
        ("10.1.0.0/20", Change.UPDATE_REPLACE),
        ("10.0.0.0/99", Change.UPDATE),
    ],
)
def test_a_range_of_a_subnetwork_can_only_be_widened(gcp: GcpWorld, cidr: str, change: Change) -> None:
    gcp.up("gcp:compute/network:Network", "vpc", {"name": "vpc", "autoCreateSubnetworks": False})
    inputs: Properties = {"name": "nodes", "network": "vpc", "ipCidrRange": "10.0.0.0/20"}
    nodes = gcp.up("gcp:compute/subnetwork:Subnetwork", "nodes", inputs)

    assert gcp.diff(nodes, inputs | {"ipCidrRange": cidr}) == Difference(
        {"ipCidrRange": change}, delete_before_replace=change.replaces
    )


LINKS = [
    "vpc",
    "projects/acme/global/networks/vpc",
    "https://www.googleapis.com/compute/v1/projects/acme/global/networks/vpc",
]


@pytest.mark.parametrize("before", LINKS)
@pytest.mark.parametrize("after", LINKS)
def test_every_name_of_a_network_is_the_same(gcp: GcpWorld, before: str, after: str) -> None:
    token = "gcp:compute/firewall:Firewall"  # noqa: S105  not a secret
    gcp.up("gcp:compute/network:Network", "vpc", {"name": "vpc", "autoCreateSubnetworks": False})
    rule: Properties = {"name": "rule", "allows": [{"protocol": "TCP", "ports": ["9443"]}]}
    firewall = gcp.up(token, "rule", rule | {"network": before})

    assert gcp.diff(firewall, rule | {"network": after}).changes == {}
    assert gcp.diff(firewall, rule | {"network": "other"}).changes == {"network": Change.UPDATE}
    assert gcp.diff(firewall, rule | {"network": "projects/them/global/networks/vpc"}).changes == (
        {"network": Change.UPDATE} if "/" in cast("str", firewall.outputs["network"]) else {}
    )
