"""The flex-start stack in a zone that is out of stock, then with machines again, to its last trace.

The tests are one story in the order of the file: each finds the stack as the one before it left it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

import pytest
import yaml

from components.kubeapi.documents import is_true
from components.kubeapi.jobs import NODES
from components.kubeapi.owners import JOBS
from simulator.cloud.api import Kind
from tests.control_plane.flex_jobs import (
    DEFAULT,
    ON_SLICE,
    assert_jobs_are_those_of_the_document,
    assert_logs_count_the_chips_of_the_slice,
    growths,
    job,
    names,
    node_pools_of,
    pods_of,
)
from tests.control_plane.life import (
    Life,
    assert_destroy_leaves_nothing,
    assert_no_secret_in_clear,
    assert_nothing_to_change,
    assert_preview_was_complete,
    bring_up,
    follow,
)
from tests.control_plane.sizes import Sizes, watched
from tests.eventually import eventually
from tests.harness import Done, Simulator, project_with
from tests.stacks import PLATFORM_KEY, stack_file

if TYPE_CHECKING:
    from pathlib import Path

STACK: Final = "flex-start"
SPEED: Final = 180
"""Simulated seconds per second: the hour of job-1 is 20 seconds here."""
MACHINES: Final = "ct6e-standard-4t@us-east5-b"


class Served(NamedTuple):
    """What happened when there was stock again."""

    followed: Done
    sizes: Sizes


@pytest.fixture(scope="module")
def life(simulator: Simulator) -> Life:
    """The stack brought up while its machines are out of stock, and followed until nothing moved any more."""
    simulator.run("exec", f"--speed={SPEED}", "--", "true")
    simulator.run("times", "--queue=180", "--back-off=600", "--idle=36000")
    simulator.run("stock", "--out", MACHINES)
    return bring_up(simulator, STACK)


@pytest.fixture(scope="module")
def served(life: Life, simulator: Simulator) -> Served:
    """The stack followed again, with machines in stock; they stay after the end of the jobs."""
    with watched(simulator) as sizes:
        simulator.run("stock", "--in", MACHINES)
        return Served(follow(simulator, life.stack), sizes)


def test_the_first_preview_shows_both_pools_and_jobs(life: Life) -> None:
    assert_preview_was_complete(life)
    assert life.planned("multi-host")["initialNodeCount"] == 0
    assert life.planned("job-2")["spec"]["template"]["spec"]["nodeSelector"].items() >= ON_SLICE.items()


def test_the_cloud_answers_flex_start_limits_and_run_time_of_both_pools(life: Life, simulator: Simulator) -> None:
    del life
    pools = {pool["name"]: pool for pool in simulator.client.call("cloud.list", kind=Kind.NODE_POOL)}
    for name, hosts in (("single-host", 1), ("multi-host", 2)):
        pool = pools[name]
        assert pool["config"]["flexStart"] is True
        assert pool["config"]["maxRunDuration"] == "604800s"
        assert pool["config"]["reservationAffinity"] == {"consumeReservationType": "NO_RESERVATION"}
        assert pool["initialNodeCount"] == 0
        assert pool["autoscaling"].get("minNodeCount", 0) == 0
        assert pool["autoscaling"]["maxNodeCount"] == hosts
        assert pool["locations"] == ["us-east5-b"]
    assert pools["multi-host"]["management"]["autoRepair"] is False
    assert pools["multi-host"]["placementPolicy"]["tpuTopology"] == "2x4"
    assert "placementPolicy" not in pools["single-host"]
    assert "flexStart" not in pools["system"]["config"]


def test_status_shows_flex_start_for_both_pools(life: Life, simulator: Simulator) -> None:
    del life
    told = simulator.run("status").out  # machines may just be asked for again, in vain
    assert re.search(r"pool single-host: ct6e-standard-4t 2x2, flex-start, nodes 0 of [01], up to 1 in a zone", told)
    assert re.search(r"pool multi-host: ct6e-standard-4t 2x4, flex-start, nodes 0 of [02], up to 2 in a zone", told)
    assert "pool system: e2-standard-4, on-demand, nodes 1 of 1" in told


def test_the_jobs_and_their_service_are_those_of_the_document(life: Life, simulator: Simulator) -> None:
    del life
    on_slice = {**ON_SLICE, "cloud.google.com/gke-nodepool": "multi-host"}
    assert_jobs_are_those_of_the_document(simulator, on_slice=on_slice, security={"privileged": True})


def test_out_of_stock_ends_the_following_with_what_waits_and_why(life: Life, simulator: Simulator) -> None:
    _, _, left = life.followed.out.partition("these wait, and nothing changes any more:\n")
    why = "waits for capacity: Node scale up in zones us-east5-b associated with this pod failed: GCE out of resources."
    assert [line.partition(why)[0].strip() for line in left.splitlines() if why in line] == ["job-1", "job-2"]
    pods = simulator.api().items(f"{DEFAULT}/pods")
    assert {pod["status"]["phase"] for pod in pods} == {"Pending"}
    assert len(pods) == 1 + 2
    assert f"out of stock: {MACHINES}" in simulator.run("status").out


def test_explain_says_why_job_2_waits(life: Life, simulator: Simulator) -> None:
    told = simulator.run("exec", "--", "python", "-m", "tpu.watch", "explain", "job-2", "--stack", life.stack).out
    assert "pod triggered scale-up: [" in told
    assert "0->2 (max: 2)}]" in told
    assert told.splitlines()[-1].startswith("job-2 waits for capacity: Node scale up in zones us-east5-b")
    assert "GCE out of resources" in told.splitlines()[-1]


def test_with_stock_again_both_jobs_complete(served: Served, simulator: Simulator) -> None:
    assert served.followed.out.count("finished: CompletionsReached") == 2
    assert names(simulator.api().items(JOBS)) == ["job-1", "job-2"]
    for name, pods in (("job-1", 1), ("job-2", 2)):
        assert is_true(job(simulator, name), "Complete")
        assert job(simulator, name)["status"]["succeeded"] == pods


def test_the_slice_comes_whole_and_the_single_host_alone(served: Served, simulator: Simulator) -> None:
    assert served.sizes.nodes == {"single-host": [0, 1], "multi-host": [0, 2], "system": [1]}
    asked = dict.fromkeys(names(pods_of(simulator, "job-1")), "0->1")
    asked |= dict.fromkeys(names(pods_of(simulator, "job-2")), "0->2")
    assert growths(simulator) == asked


def test_the_pods_of_job_2_are_on_the_two_hosts_of_one_slice(served: Served, simulator: Simulator) -> None:
    del served
    assert node_pools_of(simulator, "job-1") == ["single-host"]
    assert node_pools_of(simulator, "job-2") == ["multi-host", "multi-host"]
    assert len({pod["spec"]["nodeName"] for pod in pods_of(simulator, "job-2")}) == 2


def test_its_log_prints_the_chips_of_the_slice(served: Served, simulator: Simulator) -> None:
    del served
    assert_logs_count_the_chips_of_the_slice(simulator)


def test_nodes_that_have_come_are_no_drift(served: Served, life: Life, simulator: Simulator) -> None:
    del served
    assert len(simulator.api().items(NODES)) == 1 + 1 + 2
    assert_nothing_to_change(life)


def test_the_pools_return_to_zero(served: Served, simulator: Simulator) -> None:
    del served
    with watched(simulator) as sizes:
        simulator.run("times", "--idle=60")
        eventually(lambda: len(simulator.api().items(NODES)) == 1, what="only the node of the system is left")
        eventually(lambda: sizes.nodes["multi-host"][-1] + sizes.nodes["single-host"][-1] == 0, what="no machine runs")
    assert sizes.nodes == {"single-host": [1, 0], "multi-host": [2, 0], "system": [1]}


def test_a_job_taken_out_of_the_stack_file_is_deleted_and_nothing_else(
    served: Served, simulator: Simulator, tmp_path: Path
) -> None:
    del served
    assert _gone_without(simulator, tmp_path, "job-1") == {"default/job-1"}
    assert names(simulator.api().items(JOBS)) == ["job-2"]
    eventually(lambda: not pods_of(simulator, "job-1"), what="its pod is gone")


def test_a_pool_taken_out_of_the_stack_file_is_deleted_and_nothing_else(
    served: Served, simulator: Simulator, tmp_path: Path
) -> None:
    del served
    assert _gone_without(simulator, tmp_path, "job-1", "single-host", "v6e-host") == {"single-host"}
    pools = [pool["name"] for pool in simulator.client.call("cloud.list", kind=Kind.NODE_POOL)]
    assert sorted(pools) == ["multi-host", "system"]
    assert names(simulator.api().items(JOBS)) == ["job-2"]


def test_no_secret_stands_in_clear_in_the_state_or_a_log(life: Life) -> None:
    assert_no_secret_in_clear(life)


def test_destroy_and_down_leave_no_process_port_or_file(life: Life) -> None:
    assert_destroy_leaves_nothing(life)


def _gone_without(simulator: Simulator, folder: Path, *left_out: str) -> set[str]:
    """Take things out of the stack file; what that deletes. Nothing else may be touched."""
    whole = yaml.safe_load(stack_file(STACK))
    platform = whole["config"][PLATFORM_KEY]
    for key in ("workloads", "tpu_slices", "flavors"):
        platform[key] = [each for each in platform[key] if each["name"] not in left_out]
    project = project_with(folder / "project", {STACK: yaml.safe_dump(whole)})
    before = _ids(simulator)
    Simulator(simulator.home, project).up(STACK)
    after = _ids(simulator)
    assert after.items() <= before.items()
    return {urn.rpartition("::")[2] for urn in before.keys() - after.keys()}


def _ids(simulator: Simulator) -> dict[str, str]:
    """The ids of what the stack has made, by URN."""
    made = simulator.state(STACK)["deployment"]["resources"]
    return {each["urn"]: each.get("id", "") for each in made}
