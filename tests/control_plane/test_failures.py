"""Failures on the real JobSet: a restart that does not count, an exit code that ends a run, and Jobs in their order.

The stack is `multislice` with other workloads, on which each test does one thing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest

from components.kubeapi.documents import Document, condition, entries, is_true, section
from components.kubeapi.owners import JOBSETS
from tests.control_plane.edited import EditedStack
from tests.control_plane.flex_jobs import DEFAULT
from tests.control_plane.life import hurry
from tests.eventually import eventually

if TYPE_CHECKING:
    from tests.harness import Simulator

_STACK: Final = "multislice"
_SPEED: Final = 30.0
_SECONDS: Final = 240.0
_LABEL_JOBSET: Final = "jobset.sigs.k8s.io/jobset-name"
_IMAGE: Final = "us-docker.pkg.dev/lab/images/train:1.0"
_BUG: Final = 42
_FAILS: Final = f"i=0; while [ $i -lt 2 ]; do sleep 1; i=$((i + 1)); done; exit {_BUG}"
_TRAINS: Final = "trap 'echo saved; exit 143' TERM; while true; do sleep 60 & wait; done"
"""It is interpreted, because it handles SIGTERM."""


@pytest.fixture(scope="module")
def stack(simulator: Simulator, tmp_path_factory: pytest.TempPathFactory) -> EditedStack:
    """The stack, up, with a run for each test."""
    hurry(simulator, _SPEED)
    made = EditedStack(simulator, _STACK, tmp_path_factory.mktemp("failures") / "project")
    made.write(_failing(made.read()))
    made.up()
    return made


def _failing(platform: dict[str, Any]) -> dict[str, Any]:
    """The platform with quota of CPUs in its queue, and three runs of one slice each."""
    queue = platform["queues"][0]
    cpus = {"name": "ordinary", "resources": {"cpu": "2"}}
    run = {"kind": "jobset", "queue": "multislice-queue", "flavor": "vlp-24", "slices": 1, "image": _IMAGE}
    maintained = {"maintenance": {"checkpoint_seconds": 15}, "max_restarts": 0, "script": _TRAINS}
    rules = [{"name": "bug", "action": "FailJobSet", "on_exit_codes": [_BUG]}]
    beside = {"image": _IMAGE, "resources": {"cpu": "500m"}, "script": "sleep 30"}
    return {
        **platform,
        "flavors": [*platform["flavors"], {"name": "ordinary"}],
        "queues": [{**queue, "flavors": [*queue["flavors"], cpus]}],
        "workloads": [
            {**run, "name": "maintained", **maintained},
            {**run, "name": "broken", "script": _FAILS, "failure_policy": {"max_restarts": 5, "rules": rules}},
            {
                **run,
                "name": "ordered",
                "script": "sleep 30",
                "depends_on": [{"name": "prepare", "status": "Complete"}],
                "replicated_jobs": [
                    {**beside, "name": "evaluate", "depends_on": [{"name": "slice", "status": "Complete"}]},
                    {**beside, "name": "prepare"},
                ],
                "success_policy": {"operator": "All", "replicated_jobs": ["evaluate"]},
            },
        ],
    }


def _jobset(stack: EditedStack, name: str) -> Document:
    return next(each for each in stack.simulator.api().items(JOBSETS) if each["metadata"]["name"] == name)


def _jobs(stack: EditedStack, name: str) -> dict[str, Document]:
    """The Jobs of a JobSet by their names."""
    query = {"labelSelector": f"{_LABEL_JOBSET}={name}"}
    found = stack.simulator.api().items("/apis/batch/v1/namespaces/default/jobs", query)
    return {each["metadata"]["name"]: each for each in found}


def _running(stack: EditedStack, name: str) -> list[Document]:
    """The pods of a JobSet that run and are not deleted."""
    pods = stack.simulator.api().items(f"{DEFAULT}/pods", {"labelSelector": f"{_LABEL_JOBSET}={name}"})
    running = [pod for pod in pods if section(pod, "status").get("phase") == "Running"]
    return [pod for pod in running if "deletionTimestamp" not in pod["metadata"]]


def test_an_exit_code_of_a_bug_ends_the_run_at_once(stack: EditedStack) -> None:
    failed = eventually(
        lambda: _jobset(stack, "broken"), lambda found: is_true(found, "Failed"), seconds=_SECONDS, what="broken failed"
    )
    assert condition(failed, "Failed")["reason"] == "FailJobSetFailurePolicyAction"
    assert section(failed, "status").get("restarts", 0) == 0
    (job,) = _jobs(stack, "broken").values()
    failure = condition(job, "Failed")
    assert failure["reason"] == "PodFailurePolicy"
    assert f"failed with exit code {_BUG} matching FailJob rule at index 0" in failure["message"]


def test_an_evicted_pod_restarts_the_run_without_counting(stack: EditedStack) -> None:
    before = eventually(
        lambda: _running(stack, "maintained"), lambda pods: len(pods) == 2, seconds=_SECONDS, what="maintained runs"
    )
    name = before[0]["metadata"]["name"]
    eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name, "namespace": "default"}}
    stack.simulator.api().create(f"{DEFAULT}/pods/{name}/eviction", eviction)
    restarted = eventually(
        lambda: _jobset(stack, "maintained"),
        lambda found: section(found, "status").get("restarts") == 1,
        seconds=_SECONDS,
        what="maintained restarts",
    )
    assert section(restarted, "status").get("restartsCountTowardsMax", 0) == 0
    assert not is_true(restarted, "Failed")
    uids = {pod["metadata"]["uid"] for pod in before}
    after = eventually(
        lambda: [pod for pod in _running(stack, "maintained") if pod["metadata"]["uid"] not in uids],
        lambda pods: len(pods) == 2,
        seconds=_SECONDS,
        what="maintained runs again",
    )
    assert {pod["spec"]["terminationGracePeriodSeconds"] for pod in after} == {30}


def test_jobs_start_in_their_order(stack: EditedStack) -> None:
    completed = eventually(
        lambda: _jobset(stack, "ordered"),
        lambda found: is_true(found, "Completed"),
        seconds=_SECONDS,
        what="ordered is complete",
    )
    replicated = [each["name"] for each in entries(completed, "spec", "replicatedJobs")]
    assert replicated == ["prepare", "slice", "evaluate"]
    jobs = _jobs(stack, "ordered")
    ends = [section(jobs[f"ordered-{name}-0"], "status")["completionTime"] for name in replicated]
    starts = [section(jobs[f"ordered-{name}-0"], "status")["startTime"] for name in replicated]
    assert ends[0] <= starts[1]
    assert ends[1] <= starts[2]
