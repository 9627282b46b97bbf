"""A platform whose stack file changes while jobs run on it: the stack `dev`, with jobs that never end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest

from components.kubeapi import Api, ApiError
from components.kubeapi.documents import Document, is_true, section
from components.kubeapi.jobs import CLUSTER_QUEUES, LOCAL_QUEUES, WORKLOADS, owner_label
from components.kubeapi.owners import JOBSETS
from simulator.cloud.api import Kind
from tests.control_plane.edited import EditedStack, entry
from tests.eventually import eventually

if TYPE_CHECKING:
    from tests.harness import Simulator

STACK: Final = "dev"
_FOR_EVER: Final = "sleep 864000"
_CRDS: Final = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
_WEBHOOKS: Final = "/apis/admissionregistration.k8s.io/v1/{}webhookconfigurations"
_KUEUE: Final = "/apis/kueue.x-k8s.io/v1beta2"
_TICK: Final[dict[str, Any]] = {
    "name": "tick",
    "namespace": "research",
    "kind": "batch-job",
    "pods": 1,
    "resources": {"cpu": "100m", "memory": "64Mi"},
    "image": "docker.io/library/busybox:1.37.0",
    "script": _FOR_EVER,
}
"""A plain Job outside of the queues."""


@pytest.fixture(scope="module")
def platform(simulator: Simulator, tmp_path_factory: pytest.TempPathFactory) -> EditedStack:
    """The stack, up, with jobs that never end: one more than there are slices, and a plain Job."""
    simulator.run("exec", "--speed", "60", "--", "true")
    simulator.run("times", "--scan", "1", "--queue", "1", "--idle", "30")
    made = EditedStack(simulator, STACK, tmp_path_factory.mktemp("dev") / "project")
    text = made.read()
    for workload in text["workloads"]:
        workload["script"] = _FOR_EVER
    sweep = entry(text["workloads"], "sweep")
    text["workloads"] += [{**sweep, "name": "sweep-2"}, {**sweep, "name": "sweep-3"}, _TICK]
    made.write(text)
    made.up()
    return made


def _jobset(api: Api, name: str) -> Document:
    return api.get(f"/apis/jobset.x-k8s.io/v1alpha2/namespaces/{name.replace('/', '/jobsets/')}")


def _running(api: Api, name: str) -> dict[str, str]:
    """Nodes of the running pods of a JobSet, `namespace/name`, by the pods' uids."""
    namespace, _, job = name.partition("/")
    query = {"labelSelector": f"jobset.sigs.k8s.io/jobset-name={job}"}
    pods = api.items(f"/api/v1/namespaces/{namespace}/pods", query)
    return {
        pod["metadata"]["uid"]: pod["spec"]["nodeName"]
        for pod in pods
        if pod["status"].get("phase") == "Running" and "deletionTimestamp" not in pod["metadata"]
    }


def _runs(api: Api, *names: str) -> dict[str, dict[str, str]]:
    """The running pods of JobSets of one slice, once all of them run."""
    return {name: eventually(lambda name=name: _running(api, name), _is_whole, what=f"{name} runs") for name in names}


def _is_whole(pods: dict[str, str]) -> bool:
    return len(pods) == 2


def _workloads(api: Api) -> set[str]:
    return {owner_label(each) for each in api.items(WORKLOADS)}


def _names(api: Api, path: str) -> set[str]:
    return {each["metadata"]["name"] for each in api.items(path)}


def test_up_ends_while_the_runs_it_declared_go_on_or_wait(platform: EditedStack) -> None:
    api = platform.simulator.api()
    _runs(api, "research/sweep", "research/pretrain", "applied/finetune")
    eventually(
        lambda: [job["metadata"]["name"] for job in api.items(JOBSETS) if job["spec"].get("suspend")],
        lambda waiting: len(waiting) == 1 and waiting[0].startswith("sweep-"),
        what="four jobs are admitted, and one waits",
    )
    tick = api.get("/apis/batch/v1/namespaces/research/jobs/tick")
    assert section(tick, "status").get("completionTime") is None
    assert platform.steps() == {}


def test_another_slice_makes_its_pool_and_touches_no_running_one(platform: EditedStack) -> None:
    api = platform.simulator.api()
    names = ("research/sweep", "research/pretrain", "applied/finetune")
    before, nodes = _runs(api, *names), _names(api, "/api/v1/nodes")
    text = platform.read()
    entry(text["tpu_slices"], "v5e-slice")["slices"] = 3
    entry(entry(text["queues"], "research")["flavors"], "v5e")["chips"] = 16
    platform.write(text)
    assert platform.steps() == {"v5e-slice3": "create", "research": "update"}
    platform.up()
    assert _runs(api, *names) == before
    assert nodes < _names(api, "/api/v1/nodes")
    quota = api.get(f"{_KUEUE}/clusterqueues/research")["spec"]["resourceGroups"][0]["flavors"][0]["resources"]
    assert quota[0]["nominalQuota"] == "16"


def test_a_queue_that_is_not_drained_is_not_removed_and_nothing_else_is_touched(platform: EditedStack) -> None:
    api = platform.simulator.api()
    pods, recorded, before = _runs(api, "applied/finetune"), platform.recorded(), platform.read()
    text = platform.read()
    text["queues"].remove(entry(text["queues"], "applied"))
    text["workloads"].remove(entry(text["workloads"], "finetune"))
    entry(text["tpu_slices"], "v5e-slice")["slices"] = 4
    platform.write(text)
    refused = platform.up(code=None)
    assert refused.code != 0
    assert "applied would be removed, and it has not been drained." in refused.text
    assert "Put it back with stop: drain and update" in refused.text
    assert f"Pulumi.{STACK}.yaml" in refused.text
    assert platform.recorded() == recorded
    assert _runs(api, "applied/finetune") == pods
    assert "v5e-slice4" not in {each["apiName"].rpartition("/")[2] for each in _in_cloud(platform, Kind.NODE_POOL)}
    platform.write(before)


def test_a_drained_queue_goes_and_leaves_nothing_of_it(platform: EditedStack) -> None:
    api = platform.simulator.api()
    text = platform.read()
    entry(text["queues"], "applied")["stop"] = "drain"
    platform.write(text)
    assert platform.steps() == {"applied": "update"}
    platform.up()
    eventually(lambda: _jobset(api, "applied/finetune")["spec"].get("suspend"), what="finetune is evicted")
    eventually(lambda: not _running(api, "applied/finetune"), what="its pods are gone")

    text["queues"].remove(entry(text["queues"], "applied"))
    text["workloads"].remove(entry(text["workloads"], "finetune"))
    platform.write(text)
    gone = dict.fromkeys(("applied", "applied/applied", "applied/finetune"), "delete")
    assert platform.steps() == {**gone, "research": "update"}  # the only queue there is takes any namespace's work
    platform.up()
    assert _names(api, CLUSTER_QUEUES) == {"research"}
    assert _names(api, LOCAL_QUEUES) == {"research"}
    eventually(lambda: "applied/finetune" not in _workloads(api), what="its Workload is gone")
    assert not [each for each in api.items(JOBSETS) if each["metadata"]["namespace"] == "applied"]
    assert api.items("/api/v1/namespaces/applied/pods") == []


def test_a_job_is_removed_alone(platform: EditedStack) -> None:
    api = platform.simulator.api()
    pods = _runs(api, "research/pretrain")
    text = platform.read()
    text["workloads"].remove(entry(text["workloads"], "sweep"))
    platform.write(text)
    assert platform.steps() == {"research/sweep": "delete"}
    platform.up()
    assert "sweep" not in _names(api, JOBSETS)
    eventually(lambda: "research/sweep" not in _workloads(api), what="its Workload is gone")
    eventually(lambda: not _running(api, "research/sweep"), what="its pods are gone")
    assert _runs(api, "research/pretrain") == pods


def test_without_kueue_nothing_of_it_is_left(platform: EditedStack) -> None:
    api = platform.simulator.api()
    text = platform.read()
    entry(text["queues"], "research")["stop"] = "drain"
    platform.write(text)
    platform.up()
    text["controllers"] = {"kueue": {"install": False}}
    text["cohorts"], text["queues"] = [], []
    text["workloads"] = [entry(text["workloads"], "tick")]
    platform.write(text)
    platform.up()
    assert [name for name in _names(api, _CRDS) if name.endswith(".kueue.x-k8s.io")] == []
    with pytest.raises(ApiError) as caught:
        api.items(CLUSTER_QUEUES)
    assert caught.value.is_not_found
    for kind in ("mutating", "validating"):
        assert [name for name in _names(api, _WEBHOOKS.format(kind)) if "kueue" in name] == []
    assert "kueue-controller-manager" not in _names(api, "/apis/apps/v1/deployments")
    assert is_true(api.get("/apis/apps/v1/namespaces/jobset-system/deployments/jobset-controller"), "Available")
    tick = api.get("/apis/batch/v1/namespaces/research/jobs/tick")
    assert section(tick, "status").get("active") == 1
    platform.simulator.pulumi("preview", "--expect-no-changes", "--stack", STACK)


def test_destroy_waits_for_no_finalizer_while_work_runs(platform: EditedStack, simulator: Simulator) -> None:
    original = EditedStack(simulator, STACK, platform.simulator.project.parent / "again")
    text = original.read()
    for workload in text["workloads"]:
        workload["script"] = _FOR_EVER
    platform.write(text)
    platform.up()
    api = platform.simulator.api()
    _runs(api, "research/sweep", "research/pretrain", "applied/finetune")
    held = api.items(CLUSTER_QUEUES)
    assert all("kueue.x-k8s.io/resource-in-use" in each["metadata"]["finalizers"] for each in held)
    platform.simulator.pulumi("destroy", "--yes", "--skip-preview", "--stack", STACK)
    left = {kind: _in_cloud(platform, kind) for kind in Kind if kind is not Kind.SERVICE}
    assert {kind: found for kind, found in left.items() if found} == {}
    assert platform.recorded() == {}


def _in_cloud(platform: EditedStack, kind: Kind) -> list[dict[str, Any]]:
    return platform.simulator.client.call("cloud.list", kind=str(kind))
