"""The flex-start stack on Autopilot: no pools are declared, and what the Jobs select is brought and taken away.

The tests are one story in the order of the file: each finds the stack as the one before it left it.
"""

from __future__ import annotations

import re
from copy import deepcopy
from typing import TYPE_CHECKING, Final, NamedTuple

import pytest

from components.kubeapi.documents import is_true
from components.kubeapi.jobs import NODES
from simulator.cloud.api import Kind
from tests.control_plane.flex_jobs import (
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
)
from tests.control_plane.sizes import Sizes, watched
from tests.eventually import eventually

if TYPE_CHECKING:
    from tests.harness import Simulator

STACK: Final = "flex-start-autopilot"
SPEED: Final = 180
"""Simulated seconds per second: the hour of job-1 is 20 seconds here."""
MACHINE: Final = "ct6e-standard-4t"


class Run(NamedTuple):
    """What bringing the stack up did."""

    life: Life
    sizes: Sizes


@pytest.fixture(scope="module")
def run(simulator: Simulator) -> Run:
    """The stack brought up and followed until its jobs were over; their nodes stay."""
    simulator.run("exec", f"--speed={SPEED}", "--", "true")
    simulator.run("times", "--queue=600", "--idle=36000")
    with watched(simulator) as sizes:
        return Run(bring_up(simulator, STACK), sizes)


def test_the_first_preview_shows_the_jobs_and_no_pool(run: Run) -> None:
    assert_preview_was_complete(run.life)
    assert not [step["urn"] for step in run.life.before if "gcp:container/nodePool" in step["urn"]]
    cluster = run.life.planned("flex-start-autopilot", "gcp:container/cluster:Cluster")
    assert cluster["enableAutopilot"] is True


def test_the_jobs_and_their_service_are_those_of_the_document_without_privilege(run: Run, simulator: Simulator) -> None:
    del run
    assert_jobs_are_those_of_the_document(simulator, on_slice=ON_SLICE, security=None)


def test_the_pods_wait_for_the_nodes_that_they_make_come(run: Run, simulator: Simulator) -> None:
    timeline = run.life.followed.out
    for name, pods in (("job-1", "1 pod"), ("job-2", "2 pods")):
        told = re.findall(rf"{name} +(waits for capacity \({pods}\)|nodes are ordered|{pods} placed on nap-)", timeline)
        assert list(dict.fromkeys(told)) == [
            f"waits for capacity ({pods})",
            "nodes are ordered",
            f"{pods} placed on nap-",
        ]
    asked = dict.fromkeys(names(pods_of(simulator, "job-1")), "0->1")
    asked |= dict.fromkeys(names(pods_of(simulator, "job-2")), "0->2")
    assert growths(simulator) == asked


def test_a_flex_start_pool_comes_for_each_job_and_the_slice_is_whole(run: Run) -> None:
    pools = run.sizes.pools.values()
    assert {(pool["machine"], pool["topology"], pool["mode"]) for pool in pools} == {
        (MACHINE, "2x2", "flex-start"),
        (MACHINE, "2x4", "flex-start"),
    }
    assert all(name.startswith("nap-") for name in run.sizes.pools)
    topologies = {name: pool["topology"] for name, pool in run.sizes.pools.items()}
    grown = {topologies[name]: [size for size in seen if size] for name, seen in run.sizes.nodes.items()}
    assert grown == {"2x2": [1], "2x4": [2]}


def test_both_jobs_complete(run: Run, simulator: Simulator) -> None:
    assert run.life.followed.out.count("finished: CompletionsReached") == 2
    for name, pods in (("job-1", 1), ("job-2", 2)):
        assert is_true(job(simulator, name), "Complete")
        assert job(simulator, name)["status"]["succeeded"] == pods


def test_the_pods_of_job_2_are_on_one_slice_and_count_its_chips(run: Run, simulator: Simulator) -> None:
    (pool,) = set(node_pools_of(simulator, "job-2"))
    assert run.sizes.pools[pool]["topology"] == "2x4"
    assert len({pod["spec"]["nodeName"] for pod in pods_of(simulator, "job-2")}) == 2
    assert_logs_count_the_chips_of_the_slice(simulator)


def test_the_pools_that_have_come_are_no_drift(run: Run, simulator: Simulator) -> None:
    assert len(simulator.api().items(NODES)) == 1 + 2
    assert_nothing_to_change(run.life)


def test_the_pools_go_when_nothing_runs_on_them(run: Run, simulator: Simulator) -> None:
    del run
    simulator.run("times", "--idle=60")
    eventually(lambda: not simulator.client.call("cloud.list", kind=Kind.NODE_POOL), what="every pool is gone")
    assert simulator.api().items(NODES) == []


def test_a_job_that_meets_no_stock_says_so_and_runs_when_there_is_some(run: Run, simulator: Simulator) -> None:
    simulator.run("stock", "--out", MACHINE)
    document = deepcopy(run.life.planned("job-1", "batch/v1:Job"))
    document["metadata"]["name"] = "job-3"
    simulator.api().create("/apis/batch/v1/namespaces/default/jobs", document)
    eventually(
        lambda: simulator.run("exec", "--", "python", "-m", "tpu.watch", "explain", "job-3", "--stack", STACK).out,
        lambda told: "GCE out of resources" in told,
        what="the reason is told",
    )
    simulator.run("stock", "--in", MACHINE)
    eventually(lambda: is_true(job(simulator, "job-3"), "Complete"), what="job-3 completes", seconds=180)


def test_no_secret_stands_in_clear_in_the_state_or_a_log(run: Run) -> None:
    assert_no_secret_in_clear(run.life)


def test_destroy_and_down_leave_no_process_port_or_file(run: Run) -> None:
    assert_destroy_leaves_nothing(run.life)
