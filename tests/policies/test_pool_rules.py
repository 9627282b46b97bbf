"""What rules over node pools leave undecided, and which cluster and policy they hold a pool against."""

from __future__ import annotations

from typing import Any

import pytest

from components.model.facts import kinds
from policies.objects.judging import Settings
from policies.objects.ownership import cluster_of
from policies.objects.values import UNKNOWN
from policies.objects.world import Object, World, cloud_object
from policies.rules import judge

_SLICE: dict[str, Any] = {
    "name": "slice-a",
    "cluster": "lab",
    "location": "us-west4-a",
    "nodeCount": 2,
    "nodeConfig": {"machineType": "ct5lp-hightpu-4t", "diskType": "pd-balanced"},
    "placementPolicy": {"type": "COMPACT", "tpuTopology": "2x4"},
}


def _pool(**changes: Any) -> Object:  # noqa: ANN401  any property
    return cloud_object(kinds.NODE_POOL, {**_SLICE, **changes}, origin="pool")


def _cluster(**properties: Any) -> Object:  # noqa: ANN401  any property
    return cloud_object(kinds.CLUSTER, {"location": "us-west4", **properties}, origin=str(properties.get("name")))


def _undecided(*objects: Object) -> dict[str, str]:
    """What is said of rules that could not be decided on a pool."""
    doubts = judge(World(objects), Settings()).not_checked
    return {each.rule: f"{each.place} {each.reason}" for each in doubts if each.place is not None}


@pytest.mark.parametrize(
    ("rule_id", "changes", "reason"),
    [
        (
            "slice-is-in-one-zone",
            {"location": "us-west4"},
            "nodeLocations is not stated, and the cluster is not here",
        ),
        (
            "policy-is-of-the-slice",
            {"placementPolicy": {"type": "COMPACT", "policyName": "near", "tpuTopology": "2x4"}},
            "placementPolicy.policyName names a policy that is not here",
        ),
        (
            "policy-is-of-the-pools-place",
            {"placementPolicy": {"type": "COMPACT", "policyName": UNKNOWN, "tpuTopology": "2x4"}},
            "placementPolicy.policyName is not known yet",
        ),
        ("slice-has-all-its-nodes", {"nodeCount": UNKNOWN}, "nodeCount is not known yet"),
        ("limits-are-in-order", {"autoscaling": UNKNOWN, "placementPolicy": None}, "autoscaling is not known yet"),
        ("boot-disk-fits-machine", {"nodeConfig": UNKNOWN}, "nodeConfig is not known yet"),
        (
            "flex-start-is-autoscaled",
            {"nodeConfig": {"machineType": "ct5lp-hightpu-4t", "flexStart": UNKNOWN}},
            "nodeConfig.flexStart is not known yet",
        ),
    ],
)
def test_what_is_not_known_is_told_rather_than_passed_over(rule_id: str, changes: dict[str, Any], reason: str) -> None:
    assert _undecided(_pool(**changes))[rule_id] == reason


def test_a_known_pool_leaves_nothing_open() -> None:
    assert _undecided(_pool()) == {}


@pytest.mark.parametrize(
    ("stated", "clusters", "found"),
    [
        ("lab", [{"name": "lab"}, {"name": "east"}], "lab"),
        ("east", [{"name": "lab"}, {"name": "east"}], "east"),
        ("projects/p/locations/us-west4/clusters/east", [{"name": "lab"}, {"name": "east"}], "east"),
        ("other", [{"name": "lab"}], None),
        ("other", [{"name": UNKNOWN}], str(UNKNOWN)),
        (UNKNOWN, [{"name": "lab"}], "lab"),
        ("lab", [], None),
    ],
)
def test_a_pool_is_of_the_cluster_that_it_names(stated: Any, clusters: list[dict[str, Any]], found: str | None) -> None:  # noqa: ANN401  text, nothing, or not known
    world = World(_cluster(**each) for each in clusters)
    cluster = cluster_of(_pool(cluster=stated), world)
    assert (None if cluster is None else cluster.place.origin) == found


def test_rules_over_one_cluster_are_not_decided_where_there_are_two() -> None:
    world = World([_cluster(name="lab"), _cluster(name="east", location="us-east5"), _pool()])
    doubts = {each.rule: str(each.reason) for each in judge(world, Settings()).not_checked}
    told = "judges objects by their cluster, and there are 2 here"
    assert doubts["zone-in-region"] == doubts["ordinary-pool-exists"] == told


@pytest.mark.parametrize(
    ("changes", "releases", "says"),
    [
        ({}, {"gke": "1.30"}, ["GKE 1.30, the release that is meant, is older than the first version with TPU v6e."]),
        ({}, {"gke": "1.31.2-gke.1115000"}, []),
        ({}, {}, []),
        ({"version": "1.31.2-gke.1115000"}, {"gke": "1.30"}, []),
        (
            {"version": "1.31.2-gke.1114999"},
            {"gke": "1.33"},
            ["1.31.2-gke.1114999 is older than the first version with TPU v6e."],
        ),
    ],
)
def test_a_pool_without_a_version_is_judged_by_the_release_that_is_meant(
    changes: dict[str, Any], releases: dict[str, str], says: list[str]
) -> None:
    pool = _pool(nodeConfig={"machineType": "ct6e-standard-4t", "diskType": "hyperdisk-balanced"}, **changes)
    found = judge(World([pool], releases=releases), Settings()).findings
    assert [(each.says, str(each.place)) for each in found if each.rule == "pool-version-floor"] == [
        (each, "version") for each in says
    ]
