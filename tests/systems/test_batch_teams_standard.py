"""Two teams under one quota on a Standard cluster: node auto-provisioning makes T4 nodes within its limits.

The tests are one story in the order of the file: each finds the stack as the one before it left it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import pytest

from tests.control_plane.life import (
    admissions_of,
    assert_destroy_leaves_nothing,
    assert_no_secret_in_clear,
    assert_nothing_to_change,
    assert_preview_was_complete,
    bring_up,
    hurry,
    take_times,
)
from tests.control_plane.teams import DECLARED, Teams
from tests.eventually import eventually

if TYPE_CHECKING:
    from collections.abc import Generator

    from tests.harness import Simulator

STACK: Final = "batch-teams-standard"
_T4_LIMIT: Final = 16
_MORE: Final = 20
"""T4s that are asked for beside the queue: more than the limit."""


@pytest.fixture(scope="module")
def teams(simulator: Simulator) -> Generator[Teams]:
    """The stack previewed, brought up and followed until its Jobs have settled; admissions are watched to the end."""
    hurry(simulator, 30, idle=3600)
    with admissions_of(simulator) as admissions:
        yield Teams(bring_up(simulator, STACK), admissions)


def _pools(teams: Teams) -> dict[str, dict[str, Any]]:
    """The cluster's node pools as `status` tells of them, by name."""
    (cluster,) = teams.simulator.client.call("status")["clusters"]
    return {pool["name"]: pool for pool in cluster["pools"]}


def test_the_first_preview_shows_every_object_with_the_limits(teams: Teams) -> None:
    assert_preview_was_complete(teams.life)
    scaling = teams.life.planned("kueue-standard", "container/cluster:Cluster")["clusterAutoscaling"]
    limits = {each["resourceType"]: each["maximum"] for each in scaling["resourceLimits"]}
    assert limits == {"cpu": 64, "memory": 256, "nvidia-tesla-t4": _T4_LIMIT}
    assert scaling["autoProvisioningLocations"] == ["us-central1-a"]


def test_the_declared_jobs_complete_on_a_pool_that_was_provisioned_for_them(teams: Teams) -> None:
    assert teams.complete() == DECLARED
    assert "placed on nap-n1-standard-1-" in teams.life.followed.out
    take_times(teams.simulator, idle=240)
    eventually(lambda: _pools(teams).keys() == {"system"}, what="the pool is removed when it is empty")


def test_a_stream_of_both_teams_completes_within_the_quota(teams: Teams) -> None:
    jobs = teams.stream("--count", "4", "--interval", "1", "--seconds", "180")
    made = _pools(teams)
    assert {tuple(pool["accelerators"]) for name, pool in made.items() if name != "system"} == {("nvidia-tesla-t4",)}
    timeline = teams.settle()
    assert [job for job in jobs if not re.search(rf"{job} +finished: Succeeded", timeline)] == []
    teams.assert_both_teams_went_on(jobs)
    teams.assert_no_quota_was_exceeded()


def test_no_more_t4s_come_than_the_cluster_may_have(teams: Teams) -> None:
    limits = {"nvidia.com/gpu": "1"}
    container = {"name": "c", "image": "busybox:1", "command": ["sleep", "100000"], "resources": {"limits": limits}}
    pods = {
        "restartPolicy": "Never",
        "nodeSelector": {"cloud.google.com/gke-accelerator": "nvidia-tesla-t4"},
        "containers": [container],
    }
    spec = {"parallelism": _MORE, "completions": _MORE, "template": {"spec": pods}}
    job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "more"}, "spec": spec}
    teams.api.create("/apis/batch/v1/namespaces/default/jobs", job)

    def limit_is_told() -> bool:
        events = teams.api.items("/api/v1/namespaces/default/events")
        told = [each["message"] for each in events if each["reason"] == "NotTriggerScaleUp"]
        return any("max cluster nvidia-tesla-t4 limit reached" in each for each in told)

    eventually(limit_is_told, what="the pods that are left are told of the limit")
    eventually(lambda: len(teams.gpu_nodes()) == _T4_LIMIT, what="as many T4s as there may be")
    assert_nothing_to_change(teams.life)
    assert len(teams.gpu_nodes()) == _T4_LIMIT
    teams.remove("default/more")


def test_the_t4s_are_gone_when_nothing_runs_and_the_declared_pool_stays(teams: Teams) -> None:
    eventually(lambda: _pools(teams).keys() == {"system"}, what="only the declared pool is left")
    assert _pools(teams)["system"]["nodes"] == 1
    assert_nothing_to_change(teams.life)


def test_no_secret_stands_in_clear_in_the_state_or_a_log(teams: Teams) -> None:
    assert_no_secret_in_clear(teams.life)


def test_destroy_and_down_leave_no_process_port_or_file(teams: Teams) -> None:
    assert_destroy_leaves_nothing(teams.life)
