"""The chain of prod: reserved, then flex-start, then spot; stock decides how far down work goes, and it moves back up.

The stack is `prod` with one slice of each kind, one queue that tries all of its flavors at once, and queued flex-start
slices: only a ProvisioningRequest shows Kueue that their nodes do not come. The tests are one story in the order of the
file. Kueue's `pods_ready` counts real seconds.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

import pytest

from components.kubeapi.documents import Document, condition, entries, is_true, section
from components.kubeapi.jobs import WORKLOADS, owner_label
from tests.control_plane.edited import EditedStack, entry
from tests.control_plane.flex_jobs import DEFAULT, job, node_pools_of
from tests.control_plane.life import hurry
from tests.eventually import eventually

if TYPE_CHECKING:
    from collections.abc import Callable

    from components.kubeapi import Api
    from tests.harness import Simulator

_Seen = TypeVar("_Seen")

_STACK: Final = "prod"
_SPEED: Final = 60.0
_TIMES: Final = {"scan": 1, "queue": 30, "idle": 60, "booking": 600}
_SHAPE: Final = {"slices": 1, "topology": "2x4", "protect": False}
_FLEX: Final = "ct6e-standard-4t:flex-start@us-east5-b"
_SPOT: Final = "ct6e-standard-4t:spot"
_JOBS: Final = "/apis/batch/v1/namespaces/default/jobs"
_JOBSETS: Final = "/apis/jobset.x-k8s.io/v1alpha2/namespaces/default/jobsets"
_ON_SLICE: Final = {
    "cloud.google.com/gke-tpu-accelerator": "tpu-v6e-slice",
    "cloud.google.com/gke-tpu-topology": "2x4",
}
_LONG: Final = "1000000"
_SECONDS: Final = 120.0
_TIMEOUT: Final = 20
_TRIES: Final = 10
_FOR_BETTER: Final = "FlavorMigration"
"""Why Kueue evicts a Workload whose job it moves to a flavor that is preferred."""


@pytest.fixture(scope="module")
def stack(simulator: Simulator, tmp_path_factory: pytest.TempPathFactory) -> EditedStack:
    """The stack, up, while flex-start machines are out of stock."""
    hurry(simulator, _SPEED, **_TIMES)
    simulator.run("stock", "--out", _FLEX)
    made = EditedStack(simulator, _STACK, tmp_path_factory.mktemp("chain") / "project")
    made.write(_small(made.read()))
    made.up()
    return made


def _small(platform: dict[str, Any]) -> dict[str, Any]:
    """The platform with one small slice of each kind, and one queue that tries them all at once."""
    slices = [{**each, **_SHAPE} for each in platform["tpu_slices"]]
    entry(slices, "flex")["queued"] = True
    flavors: list[dict[str, Any]] = [{"name": each["name"], "chips": 8} for each in platform["queues"][0]["flavors"]]
    entry(flavors, "v6e-flex")["admission_checks"] = ["nodes"]
    waits = {"timeout_seconds": _TIMEOUT, "requeue": {"base_seconds": 1}}
    kept = {key: value for key, value in platform.items() if key != "shared_storage"}
    return {
        **kept,
        "tpu_slices": slices,
        "flavors": [{**each, "topology": "2x4"} for each in platform["flavors"]],
        "controllers": {"kueue": {"pods_ready": waits}},
        "admission_checks": [{"name": "nodes"}],
        "queues": [
            {
                "name": "research",
                "flavors": flavors,
                "concurrent_admission": {"mode": "TryPreferredFlavors"},
                "local_queues": [{"name": "research"}],
            }
        ],
    }


def _template() -> dict[str, Any]:
    limits = {"limits": {"google.com/tpu": "4"}}
    container = {"name": "c", "image": "busybox:1", "command": ["sleep", _LONG], "resources": limits}
    pod = {"spec": {"restartPolicy": "Never", "nodeSelector": _ON_SLICE, "containers": [container]}}
    return {"completions": 2, "parallelism": 2, "completionMode": "Indexed", "template": pod}


def _metadata(name: str) -> dict[str, Any]:
    return {"name": name, "labels": {"kueue.x-k8s.io/queue-name": "research"}}


def _submit(api: Api, name: str) -> None:
    """A Job of one slice of any capacity."""
    api.create(_JOBS, {"apiVersion": "batch/v1", "kind": "Job", "metadata": _metadata(name), "spec": _template()})


def _submit_jobset(api: Api, name: str) -> None:
    """The same as a JobSet."""
    spec = {"replicatedJobs": [{"name": "slice", "replicas": 1, "template": {"spec": _template()}}]}
    document = {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": _metadata(name), "spec": spec}
    api.create(_JOBSETS, document)


def _remove(api: Api, path: str) -> None:
    api.delete(path, {"propagationPolicy": "Background"})


def _pools_of(simulator: Simulator, name: str) -> list[str]:
    """The node pools on which the pods of a Job are; empty before all are placed."""
    pods = simulator.api().items(f"{DEFAULT}/pods", {"labelSelector": f"batch.kubernetes.io/job-name={name}"})
    is_placed = len(pods) == 2 and all(section(pod, "spec").get("nodeName") for pod in pods)
    return node_pools_of(simulator, name) if is_placed else []


def _runs_on(simulator: Simulator, name: str, pool: str) -> None:
    """Wait until all pods of a Job are on nodes of a pool."""
    pools = partial(_pools_of, simulator, name)
    eventually(pools, lambda found: found == [pool] * 2, seconds=_SECONDS, what=f"{name} runs on {pool}")


def _submit_until(simulator: Simulator, name: str, look: Callable[[], _Seen | None]) -> _Seen:
    """Submit a Job until flex-start is tried before spot, and wait for what `look` sees then.

    Kueue 0.19 orders Workloads of one second by their UIDs, so it may try spot first. That one is then evicted for
    flex-start, which keeps the quota while it waits for machines, and is not tried again.
    """
    api, spot = simulator.api(), f"{name}-variant-v6e-spot"
    for _ in range(_TRIES):
        _submit(api, name)
        seen, _ = eventually(
            lambda: (look(), _made_room(api, spot)),
            any,
            seconds=_SECONDS,
            what=f"{name} is as awaited, or has left spot for flex-start",
        )
        if seen:
            return seen
        _remove(api, f"{_JOBS}/{name}")
        eventually(lambda: not _named(api, f"-{name}-"), seconds=_SECONDS, what=f"the Workloads of {name} are gone")
    pytest.fail(f"spot was tried before flex-start {_TRIES} times")


def _named(api: Api, name: str) -> list[Document]:
    """The Workloads with that in their names."""
    return [each for each in api.items(WORKLOADS) if name in each["metadata"]["name"]]


def _made_room(api: Api, name: str) -> bool:
    """Whether the Workload by which Kueue tries a flavor was evicted for a better one."""
    found = _named(api, name)
    return any(is_true(each, "Evicted") and condition(each, "Evicted")["reason"] == _FOR_BETTER for each in found)


def _workload(api: Api, job_name: str) -> Document:
    """The Workload of a job, not those by which Kueue tries its flavors; empty before there is one."""
    none: Document = {}
    return next((each for each in api.items(WORKLOADS) if owner_label(each) == job_name), none)


def _assigned(workload: Document) -> list[dict[str, str]]:
    """The flavors that a Workload holds, by resource."""
    return [each["flavors"] for each in entries(workload, "status", "admission", "podSetAssignments")]


def _was_late_and_is_back(workload: Document) -> bool:
    """Whether a Workload has quota after it was evicted for time: Kueue denies the condition then, with its message."""
    evicted = condition(workload, "Evicted")
    is_back = evicted.get("status") == "False" and bool(_assigned(workload))
    return is_back and "Previously: Exceeded the PodsReady timeout" in evicted["message"]


def _answers(api: Api, name: str) -> list[str]:
    """What the admission checks of the Workloads with that in their names say."""
    found = _named(api, name)
    return [check.get("message", "") for each in found for check in entries(each, "status", "admissionChecks")]


def _explained(stack: EditedStack, name: str) -> str:
    command = ("exec", "--", "python", "-m", "tpu.watch", "explain", name, "--stack", stack.stack)
    return stack.simulator.run(*command).out


def test_the_first_job_takes_the_reservation(stack: EditedStack) -> None:
    _submit(stack.simulator.api(), "first")
    _runs_on(stack.simulator, "first", "reserved1")


def test_without_flex_start_machines_the_next_job_goes_on_to_spot(stack: EditedStack) -> None:
    api = stack.simulator.api()
    pools = _submit_until(stack.simulator, "second", lambda: _pools_of(stack.simulator, "second"))
    assert pools == ["spot1"] * 2
    eventually(
        lambda: _answers(api, "second-variant-v6e-flex"),
        lambda said: any(each.startswith("Waiting for resources.") for each in said),
        seconds=_SECONDS,
        what="flex-start is out of stock",
    )


def test_once_there_are_flex_start_machines_it_moves_up_to_them(stack: EditedStack) -> None:
    stack.simulator.run("stock", "--in", _FLEX)
    _runs_on(stack.simulator, "second", "flex1")


def test_once_the_reservation_is_free_it_moves_up_again(stack: EditedStack) -> None:
    api = stack.simulator.api()
    _remove(api, f"{_JOBS}/first")
    _runs_on(stack.simulator, "second", "reserved1")
    selector = job(stack.simulator, "second")["spec"]["template"]["spec"]["nodeSelector"]
    assert selector == {**_ON_SLICE, "cloud.google.com/gke-provisioning": "standard"}


def test_a_jobset_that_leaves_flex_start_runs_once_its_jobs_are_made_anew(stack: EditedStack) -> None:
    api = stack.simulator.api()
    _submit_jobset(api, "third")
    _runs_on(stack.simulator, "third-slice-0", "flex1")
    _remove(api, f"{_JOBS}/second")
    left = "its Jobs keep the selector cloud.google.com/gke-flex-start of the flavor before"
    why = eventually(
        lambda: _explained(stack, "third"), lambda said: left in said, seconds=_SECONDS, what="it says why"
    )
    assert "kubectl delete jobs" in why
    _remove(api, f"{_JOBS}/third-slice-0")
    _runs_on(stack.simulator, "third-slice-0", "reserved1")


def test_without_an_admission_check_it_takes_the_same_flavor_again(stack: EditedStack) -> None:
    api = stack.simulator.api()
    stack.simulator.run("stock", "--out", _FLEX, "--out", _SPOT)
    held: list[dict[str, str]] = []

    def back() -> Document | None:
        found = _workload(api, "fourth")
        held.extend(each for each in _assigned(found) if each not in held)
        return found if _was_late_and_is_back(found) else None

    again = _submit_until(stack.simulator, "fourth", back)
    assert section(again, "status", "requeueState")["count"] >= 1
    assert held == _assigned(again) == [{"google.com/tpu": "v6e-spot"}]
    told = "its pods were not ready in time"
    eventually(lambda: _explained(stack, "fourth"), lambda said: told in said, seconds=_SECONDS, what=told)


def test_with_machines_it_runs_after_all(stack: EditedStack) -> None:
    stack.simulator.run("stock", "--in", _SPOT)
    _runs_on(stack.simulator, "fourth", "spot1")


def test_an_update_changes_nothing_of_all_this(stack: EditedStack) -> None:
    assert stack.steps() == {}
