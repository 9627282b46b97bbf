"""A queue whose nodes are asked for as a whole: Kueue's ProvisioningRequest, a stock-out, a slice that comes for it.

The stack is `flex-start` with Kueue and a queue, on one queued slice that stands at zero. The tests are one story in
the order of the file: each finds the stack as the one before it left it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest

from components.kubeapi.documents import Document, condition, entries, is_true, section
from components.kubeapi.jobs import NODES, REQUESTS, WORKLOADS
from tests.control_plane.edited import EditedStack, entry
from tests.control_plane.flex_jobs import ON_SLICE, job, names, pods_of
from tests.control_plane.life import follow, hurry
from tests.eventually import eventually

if TYPE_CHECKING:
    from tests.harness import Done, Simulator

_STACK: Final = "flex-start"
_SPEED: Final = 60.0
_TIMES: Final = {"scan": 1, "queue": 60, "idle": 300, "booking": 600}
"""Simulated seconds: one second here is a minute."""
_ZONE: Final = "us-east5-b"
_MACHINES: Final = f"ct6e-standard-4t@{_ZONE}"
_POOL: Final = "multi-host"
_JOB: Final = "job-2"
_CRD: Final = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/provisioningrequests.autoscaling.x-k8s.io"
_SECONDS: Final = 120.0


@pytest.fixture(scope="module")
def stack(simulator: Simulator, tmp_path_factory: pytest.TempPathFactory) -> EditedStack:
    """The stack, up, while its machines are out of stock."""
    hurry(simulator, _SPEED, **_TIMES)
    simulator.run("stock", "--out", _MACHINES)
    made = EditedStack(simulator, _STACK, tmp_path_factory.mktemp("queued") / "project")
    made.write(_queued(made.read()))
    made.up()
    return made


def _queued(platform: dict[str, Any]) -> dict[str, Any]:
    """The platform with a queue that asks for the nodes of its one slice, and one Job in it."""
    slices = {**entry(platform["tpu_slices"], _POOL), "queued": True, "max_run_seconds": 7200}
    work = {**entry(platform["workloads"], _JOB), "queue": "flex", "script": "sleep 120"}
    return {
        **platform,
        "tpu_slices": [slices],
        "controllers": {"jobset": {"install": False}},
        "flavors": [entry(platform["flavors"], "v6e-slice")],
        "admission_checks": [{"name": "nodes"}],
        "queues": [
            {
                "name": "flex",
                "flavors": [{"name": "v6e-slice", "admission_checks": ["nodes"]}],
                "local_queues": [{"name": "flex"}],
            }
        ],
        "workloads": [work],
    }


@pytest.fixture(scope="module")
def followed(stack: EditedStack) -> Done:
    """The stack followed until nothing moved any more."""
    return follow(stack.simulator, stack.stack)


def _request(simulator: Simulator) -> Document:
    """The one request that there is, once there is one."""
    (found,) = eventually(lambda: simulator.api().items(REQUESTS), seconds=_SECONDS)
    return found


def _checks(simulator: Simulator) -> list[Document]:
    """The admission checks of the one Workload that there is."""
    (workload,) = simulator.api().items(WORKLOADS)
    return entries(workload, "status", "admissionChecks")


def _slice_nodes(simulator: Simulator) -> list[Document]:
    query = {"labelSelector": f"cloud.google.com/gke-nodepool={_POOL}"}
    return simulator.api().items(NODES, query)


def test_requests_are_served_before_kueue_starts(stack: EditedStack) -> None:
    assert is_true(stack.simulator.api().get(_CRD), "Established")


def test_kueue_asks_for_the_nodes_of_the_whole_job(stack: EditedStack) -> None:
    request = eventually(lambda: _request(stack.simulator), lambda found: is_true(found, "Accepted"), seconds=_SECONDS)
    spec = request["spec"]
    assert spec["provisioningClassName"] == "queued-provisioning.gke.io"
    assert spec["parameters"] == {"maxRunDurationSeconds": "7200"}
    ((template, count),) = ((each["podTemplateRef"]["name"], each["count"]) for each in spec["podSets"])
    assert count == 2
    pod = stack.simulator.api().get(f"/api/v1/namespaces/default/podtemplates/{template}")["template"]["spec"]
    assert pod["nodeSelector"].items() >= ON_SLICE.items()
    assert {"key": "cloud.google.com/gke-queued", "operator": "Equal", "value": "true", "effect": "NoSchedule"} in (
        pod["tolerations"]
    )
    details = request["status"]["provisioningClassDetails"]
    assert (details["NodePoolName"], details["SelectedZone"]) == (_POOL, _ZONE)


def test_out_of_stock_ends_the_following_and_the_job_stays_pending(stack: EditedStack, followed: Done) -> None:
    message = "Waiting for resources. Currently there are not enough resources available to fulfill the request."
    request = _request(stack.simulator)
    name = request["metadata"]["name"]
    (check,) = eventually(
        lambda: _checks(stack.simulator), lambda found: found[0]["message"] == message, what="Kueue has the answer"
    )
    assert (check["name"], check["state"]) == ("nodes", "Pending")
    assert condition(request, "Provisioned").items() >= {"status": "False", "reason": "ResourcePoolExhausted"}.items()
    why = f"waits for capacity: ProvisioningRequest {name} is queued: {message}"
    assert f"{_JOB} {why}" in followed.out
    told = stack.simulator.run("exec", "--", "python", "-m", "tpu.watch", "explain", _JOB, "--stack", stack.stack).out
    assert told.rstrip().endswith(f"{_JOB} {why}")
    assert f"waiting for nodes: ProvisioningRequest default/{name}: {message}" in stack.simulator.run("status").out
    assert pods_of(stack.simulator, _JOB) == []
    assert _slice_nodes(stack.simulator) == []


def test_with_stock_the_slice_comes_whole_and_the_job_completes_on_it(stack: EditedStack, followed: Done) -> None:
    del followed
    simulator = stack.simulator
    simulator.run("stock", "--in", _MACHINES)
    eventually(lambda: is_true(_request(simulator), "Provisioned"), seconds=_SECONDS)
    nodes = _slice_nodes(simulator)
    assert len(nodes) == 2
    request = _request(simulator)
    name = request["status"]["provisioningClassDetails"]["ResizeRequestName"]
    for node in nodes:
        assert node["metadata"]["labels"]["autoscaling.gke.io/provisioning-request"] == name
        assert {"key": "cloud.google.com/gke-queued", "value": "true", "effect": "NoSchedule"} in node["spec"]["taints"]
    eventually(lambda: is_true(job(simulator, _JOB), "Complete"), seconds=_SECONDS)
    pods = pods_of(simulator, _JOB)
    assert names(nodes) == sorted(pod["spec"]["nodeName"] for pod in pods)
    for pod in pods:
        assert pod["spec"]["nodeSelector"]["autoscaling.gke.io/provisioning-request"] == name
        consumed = section(pod, "metadata", "annotations")["autoscaling.x-k8s.io/consume-provisioning-request"]
        assert consumed == request["metadata"]["name"]


def test_kueue_takes_the_request_of_finished_work_away_and_the_pool_goes_back_to_zero(stack: EditedStack) -> None:
    eventually(lambda: not stack.simulator.api().items(REQUESTS), seconds=_SECONDS)
    eventually(lambda: not _slice_nodes(stack.simulator), seconds=_SECONDS)


def test_a_refresh_finds_nothing_that_kueue_has_written(stack: EditedStack) -> None:
    assert stack.steps() == {}
    stack.simulator.pulumi("refresh", "--yes", "--skip-preview", "--expect-no-changes", "--stack", stack.stack)
