"""The stack `prod`: protected, without work of its own; and beside it `dev`, in another project of the cloud."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import pytest

from components.kubeapi.documents import entries, is_true, section
from components.kubeapi.jobs import CLUSTER_QUEUES, NODES, WORKLOADS
from components.kubeapi.owners import JOBSETS
from components.model.facts import gke
from simulator.cloud.api import Kind
from tests.control_plane.edited import EditedStack
from tests.control_plane.life import (
    Life,
    assert_destroy_leaves_nothing,
    assert_no_secret_in_clear,
    assert_nothing_to_change,
    assert_preview_was_complete,
    bring_up,
)
from tests.endings.submitted import job_set
from tests.eventually import eventually

if TYPE_CHECKING:
    from components.kubeapi import Api
    from tests.harness import Simulator

STACK: Final = "prod"
_CLUSTER: Final = "projects/tpu-production/locations/us-east5/clusters/prod"
_SHARE: Final = "projects/tpu-production/locations/us-east5/instances/prod-share"
_RESERVED: Final = {f"reserved{number}" for number in range(1, 9)}
_JOBSETS: Final = "/apis/jobset.x-k8s.io/v1alpha2/namespaces/research/jobsets"
_CONTROLLERS: Final = (
    "kueue-system/deployments/kueue-controller-manager",
    "jobset-system/deployments/jobset-controller",
)


@pytest.fixture(scope="module")
def life(simulator: Simulator) -> Life:
    """The stack, brought up once."""
    simulator.run("exec", "--speed", "60", "--", "true")
    simulator.run("times", "--scan", "1", "--queue", "1", "--idle", "120")
    return bring_up(simulator, STACK)


def _pools(api: Api) -> dict[str, int]:
    """Number of nodes by node pool."""
    found = [str(section(node, "metadata", "labels").get(gke.LABEL_NODE_POOL)) for node in api.items(NODES)]
    return {pool: found.count(pool) for pool in found}


def _uids(api: Api) -> dict[str, str]:
    """Of the nodes and queues, by name."""
    found = [*api.items(NODES), *api.items(CLUSTER_QUEUES)]
    return {each["metadata"]["name"]: each["metadata"]["uid"] for each in found}


def _protected(life: Life) -> set[str]:
    resources = life.simulator.state(life.stack)["deployment"]["resources"]
    return {each["urn"].rpartition("::")[2] for each in resources if each.get("protect")}


def test_the_first_preview_shows_every_object_with_its_values(life: Life) -> None:
    assert_preview_was_complete(life)
    cluster = life.planned("prod", "gcp:container/cluster:Cluster")
    assert cluster["deletionProtection"] is True
    assert cluster["privateClusterConfig"]["enablePrivateEndpoint"] is True
    maintenance = cluster["maintenancePolicy"]
    assert maintenance["recurringWindow"]["recurrence"] == "FREQ=WEEKLY;BYDAY=SA"
    (exclusion,) = maintenance["maintenanceExclusions"]
    assert exclusion["exclusionName"] == "year-end"
    assert exclusion["exclusionOptions"]["scope"] == "NO_UPGRADES"


def test_the_first_preview_shows_who_comes_before_whom(life: Life) -> None:
    queues = {name: life.planned(name, "ClusterQueue::")["spec"] for name in ("research", "applied")}
    assert {name: spec["fairSharing"] for name, spec in queues.items()} == {
        "research": {"weight": "3"},
        "applied": {"weight": "1"},
    }
    for spec in queues.values():
        wanted = {"withinClusterQueue": "LowerPriority", "reclaimWithinCohort": "Any"}
        assert spec["preemption"].items() >= wanted.items()
    classes = {name: life.planned(name, "WorkloadPriorityClass::")["value"] for name in ("urgent", "normal", "idle")}
    assert classes == {"urgent": 1000, "normal": 500, "idle": 100}


def test_it_comes_up_without_work_and_tells_of_its_queues_and_nodes(life: Life) -> None:
    told = life.followed.out
    assert "no jobs" in told
    for name in ("research", "applied", STACK, "reserved1", "system"):
        assert name in told
    api = life.simulator.api(STACK)
    assert api.items(JOBSETS) == []
    assert all(is_true(queue, "Active") for queue in api.items(CLUSTER_QUEUES))


def test_the_reserved_slices_are_there_and_no_others(life: Life) -> None:
    pools = _pools(life.simulator.api(STACK))
    assert {pool: pools.get(pool) for pool in _RESERVED} == dict.fromkeys(_RESERVED, 8)
    assert pools.keys() - {"system"} == _RESERVED


def test_the_flavors_of_a_queue_are_tried_reserved_first_then_flex_start_then_spot(life: Life) -> None:
    for queue in life.simulator.api(STACK).items(CLUSTER_QUEUES):
        (group,) = queue["spec"]["resourceGroups"]
        assert [flavor["name"] for flavor in group["flavors"]] == ["v6e-reserved", "v6e-flex", "v6e-spot"]
        assert queue["spec"]["cohortName"] == STACK


def test_work_beyond_the_reservation_goes_to_flex_start_and_then_to_spot(life: Life, simulator: Simulator) -> None:
    api = life.simulator.api(STACK)
    jobs = [_submit(simulator, f"run-{number}") for number in range(1, 14)]
    eventually(
        lambda: _flavors(api),
        lambda held: held == {"v6e-reserved": 8, "v6e-flex": 4, "v6e-spot": 1},
        what="all jobs hold quota, the cheapest last",
    )
    eventually(
        lambda: {pool: hosts for pool, hosts in _pools(api).items() if pool not in _RESERVED | {"system"}},
        lambda pools: sorted(pool[:4] for pool in pools) == ["flex"] * 4 + ["spot"] and set(pools.values()) == {8},
        what="the slices come that are not reserved, each whole",
    )
    for name in jobs:
        api.delete(f"{_JOBSETS}/{name}")
    eventually(lambda: _pools(api).keys() - {"system"} == _RESERVED, what="what is not reserved goes", seconds=180)


def test_the_control_plane_has_a_private_endpoint_and_is_in_the_project_of_production(life: Life) -> None:
    cluster = life.simulator.client.call("cloud.get", name=_CLUSTER)
    assert cluster["privateClusterConfig"]["enablePrivateEndpoint"] is True
    for deployment in _CONTROLLERS:
        found = life.simulator.api(STACK).get(f"/apis/apps/v1/namespaces/{deployment}")
        assert is_true(found, "Available")


def test_a_second_preview_and_a_refresh_find_nothing(life: Life) -> None:
    assert_nothing_to_change(life)


def test_no_secret_stands_in_clear_in_the_state_or_a_log(life: Life) -> None:
    assert_no_secret_in_clear(life)


def test_destroy_is_refused_while_it_is_protected_and_touches_nothing(life: Life) -> None:
    assert _protected(life) == {STACK, "prod-share", *_RESERVED}
    before = _uids(life.simulator.api(STACK))
    refused = life.simulator.pulumi("destroy", "--yes", "--stack", STACK, code=None)
    assert refused.code != 0
    assert "protected" in refused.text
    assert _uids(life.simulator.api(STACK)) == before
    life.simulator.pulumi("preview", "--expect-no-changes", "--stack", STACK)


def test_dev_beside_it_comes_and_goes_and_neither_touches_the_other(life: Life) -> None:
    simulator = life.simulator
    before = _uids(simulator.api(STACK))
    simulator.up("dev")
    of_dev = _uids(simulator.api("dev"))
    assert of_dev.keys() & before.keys() == {"research", "applied"}, "the queues have the same names"
    assert set(of_dev.values()).isdisjoint(before.values())
    projects = {each["apiName"].split("/")[1] for each in _cloud(simulator, Kind.CLUSTER)}
    assert projects == {"tpu-production", "tpu-sandbox"}
    eventually(lambda: len(simulator.api("dev").items(JOBSETS)) == 3, what="the jobs of dev are submitted")
    assert simulator.api(STACK).items(JOBSETS) == []
    simulator.pulumi("preview", "--expect-no-changes", "--stack", STACK)
    simulator.pulumi("preview", "--expect-no-changes", "--stack", "dev")

    simulator.pulumi("destroy", "--yes", "--skip-preview", "--stack", "dev")
    assert {each["apiName"] for each in _cloud(simulator, Kind.CLUSTER)} == {_CLUSTER}
    assert {each["apiName"] for each in _cloud(simulator, Kind.FILESTORE)} == {_SHARE}
    assert _uids(simulator.api(STACK)) == before
    assert_nothing_to_change(life)


def test_unprotected_in_the_stack_file_it_is_destroyed_and_leaves_nothing(
    life: Life, simulator: Simulator, tmp_path_factory: pytest.TempPathFactory
) -> None:
    open_ = EditedStack(simulator, STACK, tmp_path_factory.mktemp("open") / "project")
    platform = open_.read()
    platform["cluster"]["deletion_protection"] = False
    for each in (*platform["tpu_slices"], *platform["shared_storage"]):
        if "protect" in each:
            each["protect"] = False
    open_.write(platform)
    open_.up()
    assert _protected(life) == set()
    assert_destroy_leaves_nothing(replace(life, simulator=open_.simulator))


def _submit(simulator: Simulator, name: str) -> str:
    """A JobSet of one slice of 32 chips, for ever, in the queue of research; its name."""
    simulator.api(STACK).create(_JOBSETS, job_set(f"research/{name}", "research", 1, 8))
    return name


def _flavors(api: Api) -> dict[str, int]:
    """How many Workloads hold quota of each flavor of chips."""
    held = [
        str(assigned["flavors"][gke.RESOURCE_TPU])
        for workload in api.items(WORKLOADS)
        for assigned in entries(workload, "status", "admission", "podSetAssignments")
    ]
    return {flavor: held.count(flavor) for flavor in held}


def _cloud(simulator: Simulator, kind: Kind) -> list[dict[str, Any]]:
    return simulator.client.call("cloud.list", kind=str(kind))
