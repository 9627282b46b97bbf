"""Every refusal of a node pool with its whole text in `pool_refusals.yaml`, and no refusal of sound ones."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from simulator.cloud.api import Body, Kind
from simulator.cloud.pool_rules import RULES, Stage
from simulator.cloud.service import merged
from tests.golden import assert_golden

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

REFUSED: dict[str, Body] = {
    "name-length": ORDINARY | {"NAME": "a" * 41},
    "machine-exists": _pool("e2-standard-5"),
    "two-kinds-of-limits": ORDINARY | {"autoscaling": {"enabled": True, "maxNodeCount": 2, "totalMaxNodeCount": 4}},
    "no-maximum": ORDINARY | {"autoscaling": {"enabled": True, "minNodeCount": 0, "maxNodeCount": 0}},
    "minimum-above-maximum": ORDINARY | {"autoscaling": {"enabled": True, "minNodeCount": 3, "maxNodeCount": 2}},
    "surge": ORDINARY | {"upgradeSettings": {"strategy": "SURGE", "maxSurge": 19, "maxUnavailable": 2}},
    "blue-green-and-compact": V5E | {"upgradeSettings": {"strategy": "BLUE_GREEN"}},
    "flex-start-and-spot": merged(FLEX, {"config": {"spot": True}}),
    "flex-start-without-autoscaling": merged(FLEX, {"autoscaling": None}),
    "flex-start-with-nodes": FLEX | {"initialNodeCount": 2},
    "flex-start-with-reservation": merged(FLEX, {"config": {"reservationAffinity": SPECIFIC}}),
    "flex-start-with-reservation: no affinity": merged(FLEX, {"config": {"reservationAffinity": None}}),
    "flex-start-generation": merged(
        FLEX,
        {
            "config": {"machineType": "ct4p-hightpu-4t"},
            "placementPolicy": {"tpuTopology": "2x2x2"},
        },
    ),
    "queued-without-flex-start": V5E | {"queuedProvisioning": {"enabled": True}},
    "queued-generation": FLEX | {"queuedProvisioning": {"enabled": True}},
    "queued-minimum": ORDINARY
    | {
        "queuedProvisioning": {"enabled": True},
        "autoscaling": {"enabled": True, "minNodeCount": 1, "maxNodeCount": 2},
    },
    "queued-with-reservation": merged(
        ORDINARY, {"queuedProvisioning": {"enabled": True}, "config": {"reservationAffinity": SPECIFIC}}
    ),
    "queued-with-spot": merged(ORDINARY, {"queuedProvisioning": {"enabled": True}, "config": {"spot": True}}),
    "reservation-name": merged(
        V5E, {"config": {"reservationAffinity": {"consumeReservationType": "SPECIFIC_RESERVATION"}}}
    ),
    "reservation-name: of none": merged(V5E, {"config": {"reservationAffinity": SPECIFIC | NO_RESERVATION}}),
    "spot-with-reservation": merged(V5E, {"config": {"spot": True, "reservationAffinity": SPECIFIC}}),
    "run-duration": merged(FLEX, {"config": {"maxRunDuration": "604801s"}}),
    "run-duration: another form": merged(V5E, {"config": {"maxRunDuration": "1h"}}),
    "single-host-with-topology": _slice("ct5lp-hightpu-8t", "2x4", 1),
    "single-host-with-workload-policy": _pool("tpu7x-standard-4t") | {"placementPolicy": {"policyName": "shapeless"}},
    "impossible-topology": _slice("ct5lp-hightpu-4t", "3x4", 3),
    "impossible-topology: not a TPU": _slice("e2-standard-4", "2x4", 2),
    "topology-needed": _pool("ct3p-hightpu-4t"),
    "one-zone": V5E | {"locations": ["us-west4-a", "us-west4-b"]},
    "whole-slice: maximum": V5E | {"initialNodeCount": 0, "autoscaling": {"enabled": True, "totalMaxNodeCount": 2}},
    "whole-slice: minimum": V5E
    | {"initialNodeCount": 0, "autoscaling": {"enabled": True, "minNodeCount": 1, "maxNodeCount": 2}},
    "whole-slice: initial": V5E | {"initialNodeCount": 3},
    "placement-needed": V5E | {"placementPolicy": {"tpuTopology": "2x4"}},
    "policy-missing": IRONWOOD | {"placementPolicy": {"policyName": "nobody", "tpuTopology": "2x2x2"}},
    "workload-policy-generation": V5E | {"placementPolicy": {"policyName": "mesh", "tpuTopology": "2x4"}},
    "workload-policy-without-topology": IRONWOOD
    | {"placementPolicy": {"policyName": "shapeless", "tpuTopology": "2x2x2"}},
    "provision-only": IRONWOOD | {"placementPolicy": {"policyName": "super", "tpuTopology": "2x2x2"}},
    "boot-disk": merged(IRONWOOD, {"config": {"diskType": "pd-balanced"}}),
    "placement-instead-of-workload-policy": _slice("tpu7x-standard-4t", "2x2x2", 2),
    "gang-size": IRONWOOD
    | {"initialNodeCount": 2, "placementPolicy": {"policyName": "larger", "tpuTopology": "2x2x2"}},
}
"""By the rule that refuses, and what is wrong where a rule has several cases."""


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


def test_every_refusal_has_its_text(world: World, cluster: str) -> None:
    """A refused request leaves nothing; one that Compute Engine refuses leaves the pool, in ERROR and without nodes."""
    found: dict[str, str] = {}
    for case, body in REFUSED.items():
        asked = copy.deepcopy(body)
        name = f"{cluster}/nodePools/{asked.pop('NAME', 'pool')}"
        if next(one for one in RULES if one.id == case.partition(":")[0]).stage is Stage.ADMISSION:
            refused = world.refusal(lambda name=name, asked=asked: world.cloud.create(Kind.NODE_POOL, name, asked))
            assert (refused.code, refused.status) == (400, "INVALID_ARGUMENT")
            assert world.cloud.list(Kind.NODE_POOL, name) == []
            found[case] = refused.message
            continue
        error = world.create(Kind.NODE_POOL, name, asked)["error"]
        assert error is not None
        assert (error["code"], error["status"]) == (400, "INVALID_ARGUMENT")
        pool = world.cloud.get(name)
        assert (pool["status"], pool["statusMessage"]) == ("ERROR", error["message"])
        assert world.pool_nodes("pool") == []
        assert world.delete(name)["error"] is None
        found[case] = error["message"]
    assert_golden(Path(__file__).parent / "pool_refusals.yaml", found)


def test_no_pool_on_an_autopilot_cluster(world: World) -> None:
    cluster = world.make_cluster({"autopilot": {"enabled": True}})

    refused = world.refusal(lambda: world.cloud.create(Kind.NODE_POOL, f"{cluster}/nodePools/pool", ORDINARY))

    assert refused.message == "Autopilot node pools cannot be accessed or modified."


def test_every_rule_has_a_case_and_a_source() -> None:
    assert {case.partition(":")[0] for case in REFUSED} | {"autopilot"} == {rule.id for rule in RULES}
    assert len({rule.id for rule in RULES}) == len(RULES)
    assert all(rule.source for rule in RULES)
