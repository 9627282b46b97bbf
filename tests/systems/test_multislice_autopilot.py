"""The workloads of `multislice` on Autopilot: nobody declares nodes, and slices come whole for what is admitted.

The tests are one story in the order of the file: each finds the stack as the one before it left it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

import pytest

from components.kubeapi.documents import Document, is_true, section
from components.kubeapi.jobs import NODES
from components.kubeapi.owners import JOBSETS
from components.model.facts import gke
from tests.control_plane.life import (
    Life,
    admissions_of,
    assert_destroy_leaves_nothing,
    assert_no_secret_in_clear,
    assert_nothing_to_change,
    assert_preview_was_complete,
    bring_up,
    hurry,
    take_times,
)
from tests.eventually import eventually

if TYPE_CHECKING:
    from tests.control_plane.admissions import Admissions
    from tests.harness import Simulator

STACK: Final = "multislice-autopilot"
CHIPS: Final = {"multislice-3slice": 24, "multislice-2slice": 16, "multislice-1slice": 8, "low-priority": 8}
_SLICES: Final = {"multislice-3slice": 3, "multislice-2slice": 2, "multislice-1slice": 1, "low-priority": 1}
_PODS: Final = "/api/v1/namespaces/default/pods"
_PLACED: Final = re.compile(r"(?P<job>\S+) +slice (?P<slice>\d+) placed on (?P<pool>\S+): (?P<nodes>.+)")


class Run(NamedTuple):
    """What the first commands on the stack did."""

    life: Life
    admissions: Admissions


@pytest.fixture(scope="module")
def run(simulator: Simulator) -> Run:
    """The stack previewed, brought up and followed until its jobs have settled, with every admission watched."""
    hurry(simulator, 30, idle=3600)
    with admissions_of(simulator) as admissions:
        return Run(bring_up(simulator, STACK), admissions)


def test_the_first_preview_shows_every_object_and_no_node_pool(run: Run) -> None:
    assert_preview_was_complete(run.life)
    assert not [step for step in run.life.before if "nodePool:NodePool::" in step["urn"]]
    assert run.life.planned("multislice-cluster", "container/cluster:Cluster")["enableAutopilot"] is True
    flavors = run.life.planned("cluster-queue")["spec"]["resourceGroups"][0]["flavors"]
    assert flavors == [{"name": "vlp-24", "resources": [{"name": "google.com/tpu", "nominalQuota": "24"}]}]


def test_3slice_runs_alone_then_the_two_smaller_ones_together_then_low_priority(run: Run) -> None:
    seen = run.admissions.together()
    assert seen[0] == {"multislice-3slice"}
    assert {"multislice-2slice", "multislice-1slice"} in seen
    assert seen[-1] == {"low-priority"}
    assert not any("multislice-3slice" in jobs and len(jobs) > 1 for jobs in seen)
    assert run.admissions.peak() == 24


def test_every_job_completes_and_prints_its_device_count(run: Run, simulator: Simulator) -> None:
    api = simulator.api()
    jobs = api.items(JOBSETS)
    assert {job["metadata"]["name"] for job in jobs if is_true(job, "Completed")} == CHIPS.keys() == _names(jobs)
    printed: dict[str, list[str]] = {}
    for pod in api.items(_PODS):
        job = pod["metadata"]["labels"][gke.LABEL_JOBSET_NAME]
        printed.setdefault(job, []).append(api.text(f"{_PODS}/{pod['metadata']['name']}/log"))
    hosts = {job: 2 * slices for job, slices in _SLICES.items()}
    assert printed == {job: [f"Global device count: {CHIPS[job]}\n"] * count for job, count in hosts.items()}
    assert "at most 24 chips were admitted at one moment" in run.life.followed.out


def test_slices_come_whole_and_no_two_of_a_job_share_a_pool(run: Run, simulator: Simulator) -> None:
    placed = [each.groupdict() for each in _PLACED.finditer(run.life.followed.out)]
    pools: dict[str, list[str]] = {}
    for each in placed:
        assert len(each["nodes"].split(", ")) == 2, "both hosts of the slice"
        pools.setdefault(each["job"], []).append(each["pool"])
    assert {job: len(set(names)) for job, names in pools.items()} == _SLICES
    assert {job: len(names) for job, names in pools.items()} == _SLICES
    nodes = [section(node, "metadata", "labels") for node in simulator.api().items(NODES)]
    of_pools = [labels[gke.LABEL_NODE_POOL] for labels in nodes if gke.LABEL_TPU_TOPOLOGY in labels]
    assert {of_pools.count(pool) for pool in of_pools} == {2}
    assert all(pool.startswith("nap-ct5lp-hightpu-4t-") for pool in of_pools)


def test_pods_ask_for_nothing_that_autopilot_refuses(run: Run, simulator: Simulator) -> None:
    del run
    for pod in simulator.api().items(_PODS):
        spec = pod["spec"]
        assert not spec.get("hostNetwork")
        assert not any(section(each, "securityContext").get("privileged") for each in spec["containers"])


def test_a_second_preview_and_a_refresh_find_nothing_while_slices_are_there(run: Run) -> None:
    assert_nothing_to_change(run.life)


def test_no_slice_is_left_when_nothing_runs_on_it(run: Run, simulator: Simulator) -> None:
    del run
    take_times(simulator, idle=30)

    def pools() -> set[str]:
        (cluster,) = simulator.client.call("status")["clusters"]
        return {pool["name"] for pool in cluster["pools"] if pool["topology"] is not None}

    eventually(lambda: not pools(), what="every pool of a slice is gone")


def test_no_secret_stands_in_clear_in_the_state_or_a_log(run: Run) -> None:
    assert_no_secret_in_clear(run.life)


def test_destroy_and_down_leave_no_process_port_or_file(run: Run) -> None:
    assert_destroy_leaves_nothing(run.life)


def _names(documents: list[Document]) -> set[str]:
    return {each["metadata"]["name"] for each in documents}
