"""Pathways and Ray on a real Kueue: both admitted with their heads, one that waits, a RayJob suspended and let go.

The stack is `multislice` with a pool for heads and other workloads. The tests are one story in the order of the file.
KubeRay's kinds are those of GKE's add-on; its operator does not run here, so the tests write what it would report.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest

from components.kubeapi.documents import Document, condition, entries, is_true, section
from components.kubeapi.jobs import CLUSTER_QUEUES, EVENTS, WORKLOADS, owner_name
from components.kubeapi.owners import JOBSETS, RAY_JOBS
from components.model.facts.quantities import parse
from tests.control_plane.edited import EditedStack
from tests.control_plane.life import hurry
from tests.control_plane.stored import NAME, make_secret, with_storage
from tests.eventually import eventually

if TYPE_CHECKING:
    from components.kubeapi import Api
    from tests.harness import Simulator

_SPEED: Final = 10.0
_QUICK: Final = 300.0
"""Simulated seconds per second: at first the program outlasts the tests, then it ends at once."""
_SECONDS: Final = 180.0
_HEADS: Final = "heads"
_CHIPS: Final = ("vlp-24", "google.com/tpu")
_CPU: Final = ("cpu", "cpu")
_RAY: Final = "/apis/ray.io/v1/namespaces/default/rayjobs/rl"
_RUN: Final = {"kind": "manifest", "queue": "multislice-queue", "priority": "normal", "flavor": "vlp-24"}
_VALUES: Final = {"slices": "2", "image": "registry.example/train:1.0"}
_PATHWAYS: Final = {
    **_RUN,
    "name": "pw",
    "file": "examples/manifests/pathways.yaml",
    "values": {
        **_VALUES,
        "script": "echo trained; sleep 3000",
        "version": "20260128-jax_0.9.0",
        "bucket": "led-runs-scratch",
    },
}
_RAY_RUN: Final = {**_RUN, "name": "rl", "file": "examples/manifests/ray.yaml", "values": _VALUES}
_QUOTA: Final = {"cpu": "32500m", "memory": "149389584384"}
"""What the heads of both request, with the pod that submits the program of Ray."""


def _led(platform: dict[str, Any]) -> dict[str, Any]:
    """The platform with a pool and a quota for heads, and Pathways on 16 of 24 chips."""
    pool = {"name": _HEADS, "machine_type": "n2-standard-64", "nodes": 1, "zones": ["us-west4-a"]}
    (queue,) = platform["queues"]
    return {
        **platform,
        "node_pools": [*platform["node_pools"], pool],
        "buckets": [{"name": "led-runs-scratch", "location": "us-west4", "force_destroy": True}],
        "flavors": [*platform["flavors"], {"name": "cpu", "labels": {"cloud.google.com/gke-nodepool": _HEADS}}],
        "queues": [{**queue, "flavors": [*queue["flavors"], {"name": "cpu", "resources": _QUOTA}]}],
        "workloads": [_PATHWAYS],
    }


@pytest.fixture(scope="module")
def stack(simulator: Simulator, tmp_path_factory: pytest.TempPathFactory) -> EditedStack:
    """The stack, up, with Ray and a workload with storage submitted once Pathways is admitted.

    Kueue orders Workloads by the second in which they came: two of one update may be admitted in either order.
    """
    hurry(simulator, _SPEED)
    made = EditedStack(simulator, "multislice", tmp_path_factory.mktemp("led") / "project")
    make_secret(simulator)
    led = _led(made.read())
    made.write(led)
    made.up()
    eventually(lambda: is_true(_workload(simulator.api(), "pw"), "Admitted"), seconds=_SECONDS)
    made.write(with_storage({**led, "workloads": [*led["workloads"], _RAY_RUN]}))
    made.up()
    return made


@pytest.fixture
def api(stack: EditedStack) -> Api:
    """The API server of its cluster."""
    return stack.simulator.api()


def _workload(api: Api, job: str) -> Document:
    return next((each for each in api.items(WORKLOADS) if owner_name(each) == job), dict[str, Any]())


def _flavors(workload: Document) -> dict[str, dict[str, str]]:
    """The flavor of each resource, by the set of pods."""
    assigned = entries(workload, "status", "admission", "podSetAssignments")
    return {each["name"]: each.get("flavors", {}) for each in assigned}


def _used(api: Api) -> dict[tuple[str, str], int]:
    """What the queue's workloads hold of each resource of a flavor, in thousandths."""
    (queue,) = api.items(CLUSTER_QUEUES)
    return {
        (flavor["name"], each["name"]): parse(str(each["total"])).milli
        for flavor in entries(queue, "status", "flavorsUsage")
        for each in entries(flavor, "resources")
    }


def test_pathways_is_admitted_with_its_head_on_the_pool_for_heads(api: Api) -> None:
    workload = eventually(lambda: _workload(api, "pw"), lambda found: is_true(found, "Admitted"), seconds=_SECONDS)
    assert _flavors(workload) == {
        "head": {"cpu": "cpu", "memory": "cpu"},
        "worker": {"google.com/tpu": "vlp-24"},
    }
    used = eventually(lambda: _used(api), lambda found: found[_CHIPS] == 16_000, seconds=_SECONDS)
    assert used == {_CHIPS: 16_000, _CPU: 28_000, ("cpu", "memory"): parse("132G").milli}


def test_ray_waits_suspended_for_chips(api: Api) -> None:
    job = eventually(lambda: api.get(_RAY), seconds=_SECONDS)
    assert job["spec"]["suspend"] is True
    workload = eventually(
        lambda: _workload(api, "rl"),
        lambda found: condition(found, "QuotaReserved").get("status") == "False",
        seconds=_SECONDS,
    )
    assert [(each["name"], each["count"]) for each in workload["spec"]["podSets"]] == [
        ("head", 1),
        ("slice", 4),
        ("submitter", 1),
    ]


def test_a_waiting_ray_job_is_explained(stack: EditedStack) -> None:
    told = stack.simulator.run("exec", "--", "python", "-m", "tpu.watch", "explain", "rl", "--stack", stack.stack)
    assert told.out.startswith("RayJob rl: requests 16 chips\n")
    assert "rl waits for quota" in told.out


def test_the_workers_start_after_the_head_and_stay_until_the_program_ends(stack: EditedStack, api: Api) -> None:
    placed = eventually(lambda: _placed(api), lambda found: len(found) == 5, seconds=_SECONDS)
    head, *workers = sorted(placed.items(), key=lambda each: each[1][0])
    assert (head[0], _HEADS in head[1][1]) == ("pw-head-0-0", True)
    assert {name for name, _ in workers} == {f"pw-worker-{slice_}-{host}" for slice_ in (0, 1) for host in (0, 1)}
    hurry(stack.simulator, _QUICK)
    jobset = eventually(lambda: _jobset(api, "pw"), lambda found: is_true(found, "Completed"), seconds=_SECONDS)
    states = {each["name"]: each for each in entries(jobset, "status", "replicatedJobsStatus")}
    assert states["worker"]["succeeded"] == 0


def _jobset(api: Api, name: str) -> Document:
    return next(each for each in api.items(JOBSETS) if each["metadata"]["name"] == name)


def _placed(api: Api) -> dict[str, tuple[int, str]]:
    """The pods of Pathways that have got a node: when, in the API server's order, and which."""
    found = [each for each in api.items(EVENTS) if each.get("reason") == "Scheduled"]
    return {
        each["involvedObject"]["name"].rpartition("-")[0]: (int(each["metadata"]["resourceVersion"]), each["message"])
        for each in found
        if each["involvedObject"]["name"].startswith("pw-")
    }


def test_ray_is_let_go_when_the_chips_are_free(api: Api) -> None:
    workload = eventually(lambda: _workload(api, "rl"), lambda found: is_true(found, "Admitted"), seconds=_SECONDS)
    assert _flavors(workload) == {
        "head": {"cpu": "cpu", "memory": "cpu"},
        "slice": {"google.com/tpu": "vlp-24"},
        "submitter": {"cpu": "cpu", "memory": "cpu"},
    }
    job = eventually(lambda: api.get(_RAY), lambda found: not found["spec"].get("suspend"), seconds=_SECONDS)
    cluster = job["spec"]["rayClusterSpec"]
    assert cluster["headGroupSpec"]["template"]["spec"]["nodeSelector"] == {"cloud.google.com/gke-nodepool": _HEADS}
    used = eventually(lambda: _used(api), lambda found: found[_CPU] == 4_500, seconds=_SECONDS)
    assert used[_CHIPS] == 16_000


def test_a_second_up_and_a_refresh_find_nothing_that_controllers_and_drivers_have_written(
    stack: EditedStack, api: Api
) -> None:
    assert not is_true(_workload(api, NAME), "QuotaReserved")
    assert stack.steps() == {}
    for command in ("up", "refresh"):
        stack.simulator.pulumi(command, "--yes", "--skip-preview", "--expect-no-changes", "--stack", stack.stack)


def test_a_ray_job_that_has_ended_gives_its_quota_back(stack: EditedStack, api: Api) -> None:
    status = {"jobDeploymentStatus": "Complete", "jobStatus": "SUCCEEDED", "message": "Job finished successfully."}
    api.merge(f"{_RAY}/status", {"status": {**status, "endTime": "2026-11-25T00:00:00Z"}})
    eventually(lambda: is_true(_workload(api, "rl"), "Finished"), seconds=_SECONDS)
    used = eventually(lambda: _used(api), lambda found: found[_CPU] == 0, seconds=_SECONDS)
    assert used[_CHIPS] != 16_000  # the workload that waited for them may have them now
    (job,) = api.items(RAY_JOBS)
    assert section(job, "status")["jobStatus"] == "SUCCEEDED"
    told = stack.simulator.run("exec", "--", "python", "-m", "tpu.watch", "explain", "rl", "--stack", stack.stack)
    assert told.out.rstrip().endswith("rl is done: SUCCEEDED, Job finished successfully.")
