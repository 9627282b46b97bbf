"""In which order real Kueue admits the multislice JobSets, by the order in which they are submitted and by priority."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from components.kubeapi.documents import Document, condition, entries, section
from components.kubeapi.jobs import EVENTS, WORKLOADS, is_finished, owner_name
from components.kubeapi.owners import JOBSETS, PODS
from components.manifests.jobset import jobset
from components.model.facts import gke, kinds
from components.model.plan.workloads import JobSetPlan
from tests.control_plane.admissions import Admissions
from tests.eventually import eventually
from tests.harness import Simulator, project_with
from tests.stacks import PLATFORM_KEY, multislice, stack_file
from tpu.rehearsal.whatif.pod_sets import pods_of, slices_of, workload
from tpu.trace.requests import requests_of

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from components.kubeapi import Api

STACK = "multislice"
_SLOW = 1.0
"""Simulated seconds per second while somebody asks what a job would do: no pod may end meanwhile."""
_COLLECTION = "/apis/jobset.x-k8s.io/v1alpha2/namespaces/default/jobsets"


@pytest.fixture(scope="module")
def api(simulator: Simulator, tmp_path_factory: pytest.TempPathFactory) -> Api:
    """The multislice platform without workloads, for jobs that the tests submit themselves."""
    document = yaml.safe_load(stack_file(STACK))
    document["config"][PLATFORM_KEY]["workloads"] = []
    text = yaml.safe_dump(document)
    project = project_with(tmp_path_factory.mktemp("empty") / "project", {STACK: text})
    Simulator(simulator.home, project).up(STACK)
    return simulator.api()


@pytest.fixture
def admissions(api: Api) -> Generator[Admissions]:
    """What Kueue admits during one test; its jobs are removed at the end."""
    seen = Admissions()
    over = seen.watch(lambda: api)
    yield seen
    over.set()
    for job in api.items(JOBSETS):
        api.delete(f"{_COLLECTION}/{job['metadata']['name']}", {"propagationPolicy": "Foreground"})
    eventually(lambda: not api.items(JOBSETS) and not api.items(WORKLOADS), what="the jobs of the last test are gone")


def _documents() -> dict[str, Document]:
    """The JobSets of the stack file as the platform declares them, by name."""
    return {workload.name: jobset(workload) for workload in multislice().workloads if isinstance(workload, JobSetPlan)}


def _submit(api: Api, *names: str) -> None:
    documents = _documents()
    for name in names:
        api.create(_COLLECTION, documents[name])
        eventually(lambda name=name: _workload(api, name) is not None, what=f"Kueue knows {name}")


def _workload(api: Api, job: str) -> Document | None:
    return next((each for each in api.items(WORKLOADS) if owner_name(each) == job), None)


def _await_finished(api: Api, count: int) -> None:
    def finished() -> bool:
        jobs = api.items(JOBSETS)
        return len(jobs) == count and all(is_finished(job) for job in jobs)

    eventually(finished, what=f"all {count} jobs are finished", seconds=180)


@pytest.mark.parametrize("order", [(3, 2, 1), (1, 2, 3)])
def test_the_largest_runs_alone_and_the_smaller_ones_together(
    api: Api, admissions: Admissions, order: tuple[int, int, int]
) -> None:
    largest, smaller = "multislice-3slice", {"multislice-2slice", "multislice-1slice"}
    first, *_, last = names = [f"multislice-{slices}slice" for slices in order]
    _submit(api, *names)
    _await_finished(api, 3)
    seen = admissions.together()
    assert seen[0] == {first}
    assert seen[-1] == {last} if last == largest else seen[-1] <= smaller
    assert smaller in seen
    assert all(jobs == {largest} or largest not in jobs for jobs in seen)
    assert admissions.peak() == 24


def test_a_normal_job_evicts_the_low_priority_one_which_resumes_and_completes(
    api: Api, admissions: Admissions, simulator: Simulator, tmp_path: Path
) -> None:
    simulator.client.call("speed.set", speed=_SLOW)
    _submit(api, "low-priority")
    eventually(lambda: _running_pods(api, "low-priority") == 2, what="low-priority runs on both hosts of its slice")
    answer = _asked(simulator, tmp_path, "multislice-3slice")
    predicted = answer["asked"]["longest"]
    assert (predicted["admitted"], [each["name"] for each in predicted["evicts"]]) == (0, ["low-priority"]), answer
    simulator.client.call("speed.set", speed=_SLOW)
    _submit(api, "multislice-3slice")
    eventually(lambda: _flavors(api, "multislice-3slice") == predicted["flavors"], what="the predicted flavors")
    simulator.client.call("speed.set", speed=None)
    assert _pod_sets(_made(api, "multislice-3slice")) == _pod_sets(_predicted("multislice-3slice"))
    _await_finished(api, 2)
    assert admissions.together() == [{"low-priority"}, {"multislice-3slice"}, {"low-priority"}]
    assert admissions.peak() == 24
    evicted = _events(api, "low-priority", "Preempted")
    assert len(evicted) == 1
    assert "prioritization in the ClusterQueue" in evicted[0]
    low = api.get(f"{_COLLECTION}/low-priority")
    assert section(low, "status").get("restarts", 0) == 0


def test_a_low_priority_job_waits_for_a_normal_one_and_evicts_nothing(
    api: Api, admissions: Admissions, simulator: Simulator, tmp_path: Path
) -> None:
    simulator.client.call("speed.set", speed=_SLOW)
    _submit(api, "multislice-3slice")
    eventually(lambda: _flavors(api, "multislice-3slice"), what="multislice-3slice is admitted")
    answer = _asked(simulator, tmp_path, "low-priority")
    assert answer["asked"]["longest"]["admitted"] is None
    assert answer["asked"]["longest"]["evicts"] == []
    _submit(api, "low-priority")
    simulator.client.call("speed.set", speed=None)
    told = eventually(lambda: condition(_made(api, "low-priority"), "QuotaReserved").get("message"), what="it waits")
    assert answer["waits"] == [told]
    _await_finished(api, 2)
    assert admissions.together() == [{"multislice-3slice"}, {"low-priority"}]
    assert _events(api, "multislice-3slice", "Preempted") == []


def _asked(simulator: Simulator, folder: Path, name: str) -> dict[str, Any]:
    """The answer of `tpu whatif` about one of the JobSets, in the cluster as it is now."""
    file = folder / "job.yaml"
    file.write_text(yaml.safe_dump(_documents()[name]))
    words = ("tpu", "whatif", str(file), "--cluster", str(simulator.home.kubeconfig), "--format", "json")
    return json.loads(simulator.run("exec", "--", *words).out)


def _predicted(name: str) -> Document:
    document = _documents()[name]
    pods = pods_of(kinds.JOBSET, document)
    return workload(document, pods, priority=0, slices=slices_of(pods))


def _made(api: Api, job: str) -> Document:
    found = _workload(api, job)
    assert found is not None
    return found


def _pod_sets(of: Document) -> list[tuple[str, int, dict[str, str], object, object]]:
    """What Kueue decides by, for each of the pod sets."""
    pods = [(each, section(each, "template", "spec")) for each in of["spec"]["podSets"]]
    return [
        (each["name"], each["count"], requests_of(spec), spec.get("nodeSelector"), spec.get("tolerations"))
        for each, spec in pods
    ]


def _flavors(api: Api, job: str) -> list[str]:
    """The flavors of the chips of a job; none while it is not admitted."""
    assigned = entries(_workload(api, job), "status", "admission", "podSetAssignments")
    return sorted({each["flavors"][gke.RESOURCE_TPU] for each in assigned})


def _running_pods(api: Api, job: str) -> int:
    pods = api.items(PODS, {"labelSelector": f"jobset.sigs.k8s.io/jobset-name={job}"})
    return sum(1 for pod in pods if section(pod, "status").get("phase") == "Running")


def _events(api: Api, job: str, reason: str) -> list[str]:
    """Messages of the events with `reason` on the Workload of `job`."""
    workload = _workload(api, job)
    assert workload is not None
    uid = workload["metadata"]["uid"]
    return [
        str(event["message"])
        for event in api.items(EVENTS)
        if event["reason"] == reason and section(event, "involvedObject").get("uid") == uid
    ]
