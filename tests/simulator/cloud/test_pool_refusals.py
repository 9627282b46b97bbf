"""Every refusal of a node pool with its whole text, and no refusal of sound ones."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import pytest

from simulator.cloud.api import Body, Kind
from simulator.cloud.pool_rules import RULES, Stage
from simulator.cloud.service import merged

if TYPE_CHECKING:
    from tests.simulator.conftest import World

CLUSTER = "projects/acme/locations/us-west4/clusters/tpus"
REGION = "projects/acme/regions/us-west4"
ZONE = "us-west4-a"
NO_RESERVATION = {"consumeReservationType": "NO_RESERVATION"}
SPECIFIC = {
    "consumeReservationType": "SPECIFIC_RESERVATION",
    "key": "compute.googleapis.com/reservation-name",
    "values": ["mine"],
}


def _pool(machine: str, **config: Any) -> Body:  # noqa: ANN401  any setting of the API
    return {"config": {"machineType": machine, **config}, "locations": [ZONE]}


def _slice(machine: str, topology: str, hosts: int, **config: Any) -> Body:  # noqa: ANN401  any setting of the API
    placement = {"type": "COMPACT", "tpuTopology": topology}
    return {**_pool(machine, **config), "initialNodeCount": hosts, "placementPolicy": placement}


V5E = _slice("ct5lp-hightpu-4t", "2x4", 2)
AUTOSCALED = {"enabled": True, "minNodeCount": 0, "maxNodeCount": 2}
FLEX = merged(V5E, {"config": {"flexStart": True, "reservationAffinity": NO_RESERVATION}, "initialNodeCount": 0}) | {
    "autoscaling": AUTOSCALED
}
IRONWOOD = _slice("tpu7x-standard-4t", "2x2x2", 2) | {"placementPolicy": {"policyName": "mesh", "tpuTopology": "2x2x2"}}
ORDINARY = _pool("e2-standard-4") | {"initialNodeCount": 1}

SOUND: dict[str, Body] = {
    "ordinary": ORDINARY,
    "autoscaled by totals": ORDINARY | {"autoscaling": {"enabled": True, "totalMaxNodeCount": 3}},
    "single-host TPU": _pool("ct5lp-hightpu-4t") | {"initialNodeCount": 3},
    "multi-host TPU": V5E,
    "multi-host TPU, empty and autoscaled": V5E | {"initialNodeCount": 0, "autoscaling": AUTOSCALED},
    "multi-host TPU, spot": merged(V5E, {"config": {"spot": True}}),
    "multi-host TPU, reserved": merged(V5E, {"config": {"reservationAffinity": SPECIFIC}}),
    "multi-host TPU, flex-start": FLEX,
    "multi-host TPU, flex-start and queued": merged(
        FLEX, {"queuedProvisioning": {"enabled": True}, "config": {"machineType": "ct6e-standard-4t"}}
    ),
    "TPU7x with its workload policy": IRONWOOD,
    "TPU7x, topology in the policy alone": IRONWOOD | {"placementPolicy": {"policyName": "mesh"}},
    "TPU7x, single host": _pool("tpu7x-standard-4t") | {"initialNodeCount": 1},
}

REFUSED: list[tuple[str, Body, str]] = [
    (
        "name-length",
        ORDINARY | {"NAME": "a" * 41},
        f'Node pool name "{"a" * 41}" has 41 characters; at most 40 are allowed.',
    ),
    (
        "machine-exists",
        _pool("e2-standard-5"),
        'Machine type with name "e2-standard-5" does not exist in zone "us-west4-a".',
    ),
    (
        "two-kinds-of-limits",
        ORDINARY | {"autoscaling": {"enabled": True, "maxNodeCount": 2, "totalMaxNodeCount": 4}},
        "Per-zone node limits (min_node_count, max_node_count) and total limits cannot be used together.",
    ),
    (
        "no-maximum",
        ORDINARY | {"autoscaling": {"enabled": True, "minNodeCount": 0, "maxNodeCount": 0}},
        "max_node_count and total_max_node_count cannot be both set to zero",
    ),
    (
        "minimum-above-maximum",
        ORDINARY | {"autoscaling": {"enabled": True, "minNodeCount": 3, "maxNodeCount": 2}},
        "Autoscaling minNodeCount 3 is greater than maxNodeCount 2.",
    ),
    (
        "surge",
        ORDINARY | {"upgradeSettings": {"strategy": "SURGE", "maxSurge": 19, "maxUnavailable": 2}},
        "The sum of max_surge and max_unavailable is 21; it must be at least 1 and at most 20.",
    ),
    (
        "blue-green-and-compact",
        V5E | {"upgradeSettings": {"strategy": "BLUE_GREEN"}},
        "Blue-green upgrades are not supported on node pools with compact placement.",
    ),
    (
        "flex-start-and-spot",
        merged(FLEX, {"config": {"spot": True}}),
        "Flex start node pools don't support spot or preemptible VMs.",
    ),
    (
        "flex-start-without-autoscaling",
        merged(FLEX, {"autoscaling": None}),
        "Flex start node pools require autoscaling enabled.",
    ),
    (
        "flex-start-with-nodes",
        FLEX | {"initialNodeCount": 2},
        "Flex start node pools require initial node count to be set to 0.",
    ),
    (
        "flex-start-with-reservation",
        merged(FLEX, {"config": {"reservationAffinity": SPECIFIC}}),
        "flex start node pools don't support reservations",
    ),
    (
        "flex-start-with-reservation",
        merged(FLEX, {"config": {"reservationAffinity": None}}),
        "flex start node pools don't support reservations",
    ),
    (
        "flex-start-generation",
        merged(
            FLEX,
            {
                "config": {"machineType": "ct4p-hightpu-4t"},
                "placementPolicy": {"tpuTopology": "2x2x2"},
            },
        ),
        "Machine type ct4p-hightpu-4t is not supported in flex start node pools.",
    ),
    (
        "queued-without-flex-start",
        V5E | {"queuedProvisioning": {"enabled": True}},
        "Queued_provisioning doesn't support TPUs",
    ),
    (
        "queued-generation",
        FLEX | {"queuedProvisioning": {"enabled": True}},
        "Flex start node pools don't support TPUs with queued provisioning.",
    ),
    (
        "queued-minimum",
        ORDINARY
        | {
            "queuedProvisioning": {"enabled": True},
            "autoscaling": {"enabled": True, "minNodeCount": 1, "maxNodeCount": 2},
        },
        "Queued provisioning requires the minimum node count to be 0.",
    ),
    (
        "queued-with-reservation",
        merged(ORDINARY, {"queuedProvisioning": {"enabled": True}, "config": {"reservationAffinity": SPECIFIC}}),
        "Queued provisioning doesn't support reservations.",
    ),
    (
        "queued-with-spot",
        merged(ORDINARY, {"queuedProvisioning": {"enabled": True}, "config": {"spot": True}}),
        "Queued provisioning doesn't support spot or preemptible VMs.",
    ),
    (
        "reservation-name",
        merged(V5E, {"config": {"reservationAffinity": {"consumeReservationType": "SPECIFIC_RESERVATION"}}}),
        "SPECIFIC_RESERVATION requires the key and exactly one value of the reservation.",
    ),
    (
        "reservation-name",
        merged(V5E, {"config": {"reservationAffinity": SPECIFIC | NO_RESERVATION}}),
        "Reservation key and values can only be set with SPECIFIC_RESERVATION.",
    ),
    (
        "spot-with-reservation",
        merged(V5E, {"config": {"spot": True, "reservationAffinity": SPECIFIC}}),
        "Spot and preemptible VMs cannot consume reservations.",
    ),
    (
        "run-duration",
        merged(FLEX, {"config": {"maxRunDuration": "604801s"}}),
        'max_run_duration "604801s" must be a number of seconds from 600s to 604800s.',
    ),
    (
        "run-duration",
        merged(V5E, {"config": {"maxRunDuration": "1h"}}),
        'max_run_duration "1h" must be a number of seconds from 30s to 10368000s.',
    ),
    (
        "single-host-with-topology",
        _slice("ct5lp-hightpu-8t", "2x4", 1),
        (
            "TPU topology can't be specified with single-host TPU slice pool; "
            "please remove the tpu_topology from the request."
        ),
    ),
    (
        "single-host-with-workload-policy",
        _pool("tpu7x-standard-4t") | {"placementPolicy": {"policyName": "shapeless"}},
        "Workload policy can't be specified with single-host TPU slice pool.",
    ),
    (
        "impossible-topology",
        _slice("ct5lp-hightpu-4t", "3x4", 3),
        'TPU topology "3x4" is not valid for machine type ct5lp-hightpu-4t: it is not a shape of TPU v5e.',
    ),
    (
        "impossible-topology",
        _slice("e2-standard-4", "2x4", 2),
        "TPU topology can't be specified with machine type e2-standard-4.",
    ),
    (
        "topology-needed",
        _pool("ct3p-hightpu-4t"),
        "TPU topology is required for machine type ct3p-hightpu-4t.",
    ),
    (
        "one-zone",
        V5E | {"locations": ["us-west4-a", "us-west4-b"]},
        "A multi-host TPU slice node pool must be in exactly one zone, not in us-west4-a, us-west4-b.",
    ),
    (
        "whole-slice",
        V5E | {"initialNodeCount": 0, "autoscaling": {"enabled": True, "totalMaxNodeCount": 2}},
        'Maximum node count 0 is not a valid size of TPU pod slice with topology "2x4"',
    ),
    (
        "whole-slice",
        V5E | {"initialNodeCount": 0, "autoscaling": {"enabled": True, "minNodeCount": 1, "maxNodeCount": 2}},
        'Minimum node count 1 is not a valid size of TPU pod slice with topology "2x4"',
    ),
    (
        "whole-slice",
        V5E | {"initialNodeCount": 3},
        'Initial node count 3 is not a valid size of TPU pod slice with topology "2x4"',
    ),
    (
        "placement-needed",
        V5E | {"placementPolicy": {"tpuTopology": "2x4"}},
        "A multi-host TPU slice of ct5lp-hightpu-4t requires placement policy type COMPACT.",
    ),
    (
        "policy-missing",
        IRONWOOD | {"placementPolicy": {"policyName": "nobody", "tpuTopology": "2x2x2"}},
        "Resource policy nobody was not found in the region of the node pool.",
    ),
    (
        "workload-policy-generation",
        V5E | {"placementPolicy": {"policyName": "mesh", "tpuTopology": "2x4"}},
        "Workload policy is not supported by machine type ct5lp-hightpu-4t.",
    ),
    (
        "workload-policy-without-topology",
        IRONWOOD | {"placementPolicy": {"policyName": "shapeless", "tpuTopology": "2x2x2"}},
        "Node pool pool does not support TPU topology with group placement policy and workload policy at the same time",
    ),
    (
        "provision-only",
        IRONWOOD | {"placementPolicy": {"policyName": "super", "tpuTopology": "2x2x2"}},
        "Accelerator topology mode PROVISION_ONLY requires a specific reservation.",
    ),
    (
        "boot-disk",
        merged(IRONWOOD, {"config": {"diskType": "pd-balanced"}}),
        "pd-balanced disk type cannot be used by tpu7x-standard-4t machine type.",
    ),
    (
        "placement-instead-of-workload-policy",
        _slice("tpu7x-standard-4t", "2x2x2", 2),
        (
            "Creation of a managed instance group with tpu7x-standard-4t machine type with placement policy is not "
            "supported. Use workload policy instead."
        ),
    ),
    (
        "gang-size",
        IRONWOOD | {"initialNodeCount": 2, "placementPolicy": {"policyName": "larger", "tpuTopology": "2x2x2"}},
        (
            "Requested invalid target size '2' for a Managed Instance Group in the gang mode of size '4'. "
            "Should be equal to the gang size."
        ),
    ),
]


@pytest.fixture
def cluster(world: World) -> str:
    """A cluster beside which four workload policies exist."""
    policies: dict[str, Body] = {
        "mesh": {"acceleratorTopology": "2x2x2"},
        "larger": {"acceleratorTopology": "2x2x4"},
        "shapeless": {},
        "super": {"acceleratorTopology": "2x2x2", "acceleratorTopologyMode": "PROVISION_ONLY"},
    }
    for name, policy in policies.items():
        body = {"workloadPolicy": {"type": "HIGH_THROUGHPUT", **policy}}
        world.make(Kind.RESOURCE_POLICY, f"{REGION}/resourcePolicies/{name}", body)
    return world.make_cluster()


@pytest.mark.parametrize("body", SOUND.values(), ids=SOUND)
def test_a_sound_pool_runs(world: World, cluster: str, body: Body) -> None:
    pool = world.make(Kind.NODE_POOL, f"{cluster}/nodePools/pool", body)

    assert pool["status"] == "RUNNING"
    assert len(world.pool_nodes("pool")) == body.get("initialNodeCount", 0)


@pytest.mark.parametrize(("rule", "body", "text"), REFUSED, ids=[f"{case[0]}-{n}" for n, case in enumerate(REFUSED)])
def test_a_refused_pool_gets_the_whole_text(world: World, cluster: str, rule: str, body: Body, text: str) -> None:
    asked = copy.deepcopy(body)
    name = f"{cluster}/nodePools/{asked.pop('NAME', 'pool')}"

    if next(one for one in RULES if one.id == rule).stage is Stage.ADMISSION:
        refused = world.refusal(lambda: world.cloud.create(Kind.NODE_POOL, name, asked))
        assert (refused.code, refused.status, refused.message) == (400, "INVALID_ARGUMENT", text)
        assert world.cloud.list(Kind.NODE_POOL, name) == []
        return
    operation = world.create(Kind.NODE_POOL, name, asked)
    assert operation["error"] == {"code": 400, "status": "INVALID_ARGUMENT", "message": text}
    pool = world.cloud.get(name)
    assert (pool["status"], pool["statusMessage"]) == ("ERROR", text)
    assert world.pool_nodes("pool") == []
    assert world.delete(name)["error"] is None


def test_no_pool_on_an_autopilot_cluster(world: World) -> None:
    cluster = world.make_cluster({"autopilot": {"enabled": True}})

    refused = world.refusal(lambda: world.cloud.create(Kind.NODE_POOL, f"{cluster}/nodePools/pool", ORDINARY))

    assert refused.message == "Autopilot node pools cannot be accessed or modified."


def test_every_rule_has_a_case_and_a_source() -> None:
    assert {case[0] for case in REFUSED} | {"autopilot"} == {rule.id for rule in RULES}
    assert len({rule.id for rule in RULES}) == len(RULES)
    assert all(rule.source for rule in RULES)
