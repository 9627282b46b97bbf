"""The stack `dev`: two teams that lend each other idle chips, with slices on demand first and flex-start after them.

The autoscaler's times are short. Jobs that the tests submit themselves are those of the stack file, made longer.
"""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pytest

from components.kubeapi.documents import Document, condition, entries, is_true, section
from components.kubeapi.jobs import NODES, WORKLOADS, admitted_by, owner_label
from components.kubeapi.owners import JOBSETS
from components.model.facts import gke
from tests.control_plane.life import (
    Life,
    assert_destroy_leaves_nothing,
    assert_no_secret_in_clear,
    assert_nothing_to_change,
    assert_preview_was_complete,
    bring_up,
)
from tests.eventually import eventually

if TYPE_CHECKING:
    from components.kubeapi import Api
    from tests.harness import Simulator

STACK: Final = "dev"
_JOBS: Final = ("research/sweep", "research/pretrain", "applied/finetune")
_FLEX: Final = "v6e-flex-slice"
_TYPES: Final = {
    "gcp:container/cluster:Cluster": 1,
    "gcp:container/nodePool:NodePool": 1 + 2 + 2,
    "gcp:filestore/instance:Instance": 1,
    "kubernetes:core/v1:PersistentVolumeClaim": 2,
    "kubernetes:helm.sh/v3:Release": 2,
    "kubernetes:kueue.x-k8s.io/v1beta2:ResourceFlavor": 2,
    "kubernetes:kueue.x-k8s.io/v1beta2:Cohort": 1,
    "kubernetes:kueue.x-k8s.io/v1beta2:ClusterQueue": 2,
    "kubernetes:kueue.x-k8s.io/v1beta2:LocalQueue": 2,
    "kubernetes:kueue.x-k8s.io/v1beta2:WorkloadPriorityClass": 3,
    "kubernetes:scheduling.k8s.io/v1:PriorityClass": 3,
    "kubernetes:jobset.x-k8s.io/v1alpha2:JobSet": 3,
}


class Run(NamedTuple):
    """What the first commands on the stack did."""

    life: Life
    flex_nodes: int
    """How many flex-start nodes there were when the stack's jobs had settled."""


@pytest.fixture(scope="module")
def run(simulator: Simulator) -> Run:
    """The stack, brought up once and followed until its jobs have ended."""
    simulator.run("exec", "--speed", "20", "--", "true")
    simulator.run("times", "--scan", "1", "--queue", "20", "--idle", "240")
    life = bring_up(simulator, STACK)
    return Run(life, _flex_nodes(simulator.api()))


def _flex_nodes(api: Api) -> int:
    pools = [str(section(node, "metadata", "labels").get(gke.LABEL_NODE_POOL)) for node in api.items(NODES)]
    return sum(pool.startswith(_FLEX) for pool in pools)


def _workload(api: Api, job: str) -> Document:
    return eventually(
        lambda: next((each for each in api.items(WORKLOADS) if owner_label(each) == job), Document()),
        what=f"Kueue knows {job}",
    )


def _flavor(api: Api, job: str) -> str | None:
    """The flavor whose quota a job holds; None while it holds none."""
    for assigned in entries(_workload(api, job), "status", "admission", "podSetAssignments"):
        return str(assigned["flavors"][gke.RESOURCE_TPU])
    return None


def _submit(run: Run, name: str, like: str) -> str:
    """Another JobSet like one of the stack, that goes on for ever; its label."""
    document = deepcopy(run.life.planned(like, "JobSet::"))
    namespace = document["metadata"]["namespace"]
    document["metadata"] = {**document["metadata"], "name": name}
    template: dict[str, Any] = document["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]
    template["spec"]["containers"][0]["command"] = ["sleep", "864000"]
    api = run.life.simulator.api()
    api.create(f"/apis/jobset.x-k8s.io/v1alpha2/namespaces/{namespace}/jobsets", document)
    return f"{namespace}/{name}"


def test_the_first_preview_shows_every_object_with_its_values(run: Run) -> None:
    assert_preview_was_complete(run.life)
    pool = run.life.planned(f"{_FLEX}1")
    assert pool["nodeConfig"]["flexStart"] is True
    assert pool["autoscaling"]["maxNodeCount"] == 2


def test_one_stack_registers_the_whole_platform(run: Run, simulator: Simulator) -> None:
    del run
    types = [each["type"] for each in simulator.state(STACK)["deployment"]["resources"]]
    assert {type_: types.count(type_) for type_ in _TYPES} == _TYPES


def test_both_teams_share_one_filestore(run: Run, simulator: Simulator) -> None:
    del run
    api = simulator.api()
    (storage,) = simulator.outputs(STACK)["shared_storage"]
    for namespace in ("research", "applied"):
        claim = api.get(f"/api/v1/namespaces/{namespace}/persistentvolumeclaims/shared")
        assert claim["status"]["phase"] == "Bound"
        volume = api.get(f"/api/v1/persistentvolumes/{claim['spec']['volumeName']}")
        assert volume["spec"]["nfs"] == {"server": storage["address"], "path": "/shared"}


def test_all_jobs_complete(run: Run, simulator: Simulator) -> None:
    api = simulator.api()
    jobs = {owner_label(job): job for job in api.items(JOBSETS)}
    assert set(jobs) == set(_JOBS)
    assert all(is_true(job, "Completed") for job in jobs.values())
    assert "3 jobs: 3 finished" in run.life.followed.out


def test_researchs_second_job_takes_the_chips_that_applied_leaves_idle(run: Run, simulator: Simulator) -> None:
    api = simulator.api()
    assert {job: admitted_by(_workload(api, job)) for job in _JOBS[:2]} == dict.fromkeys(_JOBS[:2], "research")
    assert [_flavor(api, job) for job in _JOBS[:2]] == ["v5e", "v5e"]
    assert "v5e(Fit;borrow=1)" in run.life.followed.out


def test_applied_goes_on_to_flex_start_rather_than_take_its_chips_back_at_once(run: Run, simulator: Simulator) -> None:
    api = simulator.api()
    assert admitted_by(_workload(api, "applied/finetune")) == "applied"
    assert _flavor(api, "applied/finetune") == "v6e-flex"
    assert "v5e(preemptionMode=Reclaim" in run.life.followed.out


def test_the_flex_start_slice_came_for_it_whole_and_goes_again(run: Run, simulator: Simulator) -> None:
    assert run.flex_nodes == 2
    assert f"pool {_FLEX}" in run.life.followed.out
    eventually(lambda: _flex_nodes(simulator.api()) == 0, what="the slice is gone", seconds=120)


def test_a_second_preview_and_a_refresh_find_nothing(run: Run) -> None:
    assert_nothing_to_change(run.life)


def test_applied_takes_back_what_it_lent_when_nothing_else_is_left(run: Run, simulator: Simulator) -> None:
    api = simulator.api()
    jobs = [_submit(run, f"sweep-{number}", "sweep") for number in range(1, 5)]
    eventually(
        lambda: [_flavor(api, job) for job in jobs],
        lambda flavors: flavors.count("v5e") == flavors.count("v6e-flex") == 2,
        what="research has all chips of both kinds",
    )
    eventually(lambda: _flex_nodes(api) == 4, what="both flex-start slices came")
    assert_nothing_to_change(run.life)

    mine = _submit(run, "finetune-2", "finetune")
    eventually(lambda: _flavor(api, mine), what="applied has its chips")
    evicted = [job for job in jobs if is_true(_workload(api, job), "Preempted")]
    assert len(evicted) == 1
    assert condition(_workload(api, evicted[0]), "Preempted")["reason"] == "InCohortReclamation"
    eventually(lambda: _flavor(api, evicted[0]) is None, what="what was evicted waits")
    assert sum(_flavor(api, job) is not None for job in jobs) == 3


def test_no_secret_stands_in_clear_in_the_state_or_a_log(run: Run) -> None:
    assert_no_secret_in_clear(run.life)


def test_destroy_and_down_leave_no_process_port_or_file(run: Run) -> None:
    assert_destroy_leaves_nothing(run.life)
