"""Networks, subnetworks, routers, firewall rules and resource policies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from simulator.cloud.api import Body, Kind

if TYPE_CHECKING:
    from tests.simulator.conftest import World

NETWORK = "projects/acme/global/networks/vpc"
REGION = "projects/acme/regions/us-west4"
SUBNETWORK = f"{REGION}/subnetworks/nodes"
SUBNETWORK_BODY: Body = {
    "network": NETWORK,
    "ipCidrRange": "10.0.0.0/20",
    "secondaryIpRanges": [{"rangeName": "pods", "ipCidrRange": "10.4.0.0/14"}],
}


@pytest.fixture
def network(world: World) -> World:
    """A cloud with a network and one subnetwork."""
    world.make(Kind.NETWORK, NETWORK, {"autoCreateSubnetworks": False})
    world.make(Kind.SUBNETWORK, SUBNETWORK, SUBNETWORK_BODY)
    return world


def test_what_a_subnetwork_says_of_itself(network: World) -> None:
    subnetwork = network.cloud.get(SUBNETWORK)

    assert subnetwork["gatewayAddress"] == "10.0.0.1"
    assert subnetwork["network"] == f"https://www.googleapis.com/compute/v1/{NETWORK}"
    assert subnetwork["selfLink"] == f"https://www.googleapis.com/compute/v1/{SUBNETWORK}"


def test_an_auto_mode_network_comes_with_subnetworks_and_goes_with_them(world: World) -> None:
    world.make(Kind.NETWORK, NETWORK, {})

    assert world.cloud.get(f"{REGION}/subnetworks/vpc")["ipCidrRange"] == "10.182.0.0/20"
    assert world.delete(NETWORK)["error"] is None
    assert world.cloud.list(Kind.SUBNETWORK) == []


def test_every_project_has_a_default_network(world: World) -> None:
    cluster = world.make_cluster()

    assert world.cloud.get(cluster)["networkConfig"]["network"] == "projects/acme/global/networks/default"
    taken = world.refusal(lambda: world.cloud.create(Kind.NETWORK, "projects/acme/global/networks/default", {}))
    assert (taken.code, taken.message) == (
        409,
        "The resource 'projects/acme/global/networks/default' already exists",
    )


def test_what_is_in_use_stays(network: World) -> None:
    refused = network.refusal(lambda: network.cloud.delete(NETWORK))
    assert (refused.code, refused.status, refused.message) == (
        400,
        "RESOURCE_IN_USE_BY_ANOTHER_RESOURCE",
        f"The network resource '{NETWORK}' is already being used by '{SUBNETWORK}'",
    )
    cluster = network.make_cluster({"initialNodeCount": 1, "network": NETWORK, "subnetwork": SUBNETWORK})
    refused = network.refusal(lambda: network.cloud.delete(SUBNETWORK))
    assert refused.message == f"The subnetwork resource '{SUBNETWORK}' is already being used by '{cluster}'"

    for name in (cluster, SUBNETWORK, NETWORK):
        assert network.delete(name)["error"] is None


def test_a_policy_that_a_pool_names_stays(world: World) -> None:
    policy = f"{REGION}/resourcePolicies/mesh"
    body = {"workloadPolicy": {"type": "HIGH_THROUGHPUT", "acceleratorTopology": "2x2x2"}}
    world.make(Kind.RESOURCE_POLICY, policy, body)
    cluster = world.make_cluster()
    pool = f"{cluster}/nodePools/slice"
    placement = {"policyName": "mesh", "tpuTopology": "2x2x2"}
    slice_ = {"config": {"machineType": "tpu7x-standard-4t"}, "initialNodeCount": 2, "locations": ["us-west4-a"]}
    world.make(Kind.NODE_POOL, pool, slice_ | {"placementPolicy": placement})

    refused = world.refusal(lambda: world.cloud.delete(policy))

    assert refused.message == f"The resource_policy resource '{policy}' is already being used by '{pool}'"


def test_a_subnetwork_grows_but_does_not_move(network: World) -> None:
    assert network.update(SUBNETWORK, {"ipCidrRange": "10.0.0.0/19"})["error"] is None

    refused = network.refusal(lambda: network.cloud.update(SUBNETWORK, {"ipCidrRange": "10.1.0.0/19"}))

    assert refused.message == (
        "Invalid value for field 'resource.ipCidrRange': '10.1.0.0/19'. "
        "New range must contain the current one, 10.0.0.0/19."
    )
