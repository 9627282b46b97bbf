"""Nodes that come and go on real control planes: the cloud is called as a provider calls it, without an engine."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING, Any, Final

import pytest

from components.kubeapi import Api, ApiError
from components.kubeapi.documents import section
from simulator.client import RemoteCloud
from simulator.cloud.api import Body, Kind
from tests.eventually import eventually
from tests.simulator.scaling.builders import FLEX_SLICE, SLICE

if TYPE_CHECKING:
    from tests.harness import Simulator

_SPEED: Final = 60.0
_STANDARD: Final = "projects/acme/locations/us-west4/clusters/standard"
_AUTOPILOT: Final = "projects/acme/locations/us-central1/clusters/autopilot"
_ON_SLICE: Final = {
    "cloud.google.com/gke-tpu-accelerator": "tpu-v6e-slice",
    "cloud.google.com/gke-tpu-topology": "2x4",
}
_CHIPS: Final = {"google.com/tpu": "4"}
_JOBS: Final = "/apis/batch/v1/namespaces/default/jobs"
_PODS: Final = "/api/v1/namespaces/default/pods"


class World:
    """A simulator in which time is fast, and one cluster in it."""

    def __init__(self, simulator: Simulator, cluster: str, body: Body) -> None:
        self.simulator = simulator
        self.cluster = cluster
        simulator.run("exec", f"--speed={_SPEED:g}", "--", "true")
        simulator.run("times", "--queue", "180", "--idle", "300", "--repair", "300", "--back-off", "60")
        self.cloud = RemoteCloud(simulator.client)
        self.make(Kind.CLUSTER, cluster, body)
        self.api: Api = simulator.api()

    def make(self, kind: str, name: str, body: Body) -> None:
        """Create a resource that must succeed."""
        operation = self.cloud.create(kind, name, body)
        while operation["status"] != "DONE":
            operation = self.cloud.wait(operation["name"], 10)
        assert operation["error"] is None, operation

    def pool(self, name: str, body: Body) -> None:
        """A node pool."""
        self.make(Kind.NODE_POOL, f"{self.cluster}/nodePools/{name}", body)

    def submit(self, name: str, pods: int, seconds: int, selector: dict[str, str], limits: dict[str, str]) -> None:
        """An indexed Job of `pods` pods that take so many simulated seconds."""
        container = {
            "name": "c",
            "image": "busybox:1",
            "command": ["sleep", str(seconds)],
            "resources": {"limits": limits},
        }
        template = {"spec": {"restartPolicy": "Never", "nodeSelector": selector, "containers": [container]}}
        spec = {
            "completions": pods,
            "parallelism": pods,
            "completionMode": "Indexed",
            "backoffLimit": 6,
            "template": template,
        }
        self.api.create(_JOBS, {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name}, "spec": spec})

    def pools(self) -> dict[str, dict[str, Any]]:
        """The cluster's pools as `status` tells of them, by name."""
        clusters = self.simulator.client.call("status")["clusters"]
        (cluster,) = (each for each in clusters if each["name"] == self.cluster)
        return {pool["name"]: pool for pool in cluster["pools"]}

    def nodes(self, pool: str) -> list[str]:
        """Names of the nodes of a pool, sorted."""
        query = {"labelSelector": f"cloud.google.com/gke-nodepool={pool}"}
        return sorted(node["metadata"]["name"] for node in self.api.items("/api/v1/nodes", query))

    def pods(self, job: str) -> list[dict[str, Any]]:
        """The pods of a job."""
        return self.api.items(_PODS, {"labelSelector": f"batch.kubernetes.io/job-name={job}"})

    def kwok(self) -> int | None:
        """The process that plays nodes and pods."""
        clusters = self.simulator.client.call("status")["clusters"]
        processes = next(each["processes"] for each in clusters if each["name"] == self.cluster)
        return next(each["pid"] for each in processes if each["name"] == "kwok")

    def running(self, job: str) -> dict[str, str]:
        """The nodes of a job's running pods, by pod."""
        return {
            pod["metadata"]["name"]: pod["spec"]["nodeName"]
            for pod in self.pods(job)
            if pod["status"].get("phase") == "Running"
        }

    def is_complete(self, job: str) -> bool:
        """Whether a job has ended well."""
        return section(self.api.get(f"{_JOBS}/{job}"), "status").get("completionTime") is not None

    def messages(self, reason: str) -> set[str]:
        """What the autoscaler has said for a reason."""
        events = self.api.items("/api/v1/namespaces/default/events")
        return {event["message"] for event in events if event["reason"] == reason}


@pytest.fixture(scope="module")
def standard(simulator: Simulator) -> World:
    """A Standard cluster with an on-demand and a flex-start pool of one v6e slice each."""
    made = World(simulator, _STANDARD, {"initialNodeCount": 1, "locations": ["us-west4-a"]})
    made.pool("flex", FLEX_SLICE)
    made.pool("slice", SLICE)
    return made


@pytest.fixture(scope="module")
def autopilot(simulator: Simulator) -> World:
    """An Autopilot cluster."""
    return World(simulator, _AUTOPILOT, {"autopilot": {"enabled": True}})


def test_a_flex_start_slice_comes_whole_runs_its_job_and_goes(standard: World) -> None:
    standard.submit("train", 2, 240, {**_ON_SLICE, "cloud.google.com/gke-flex-start": "true"}, _CHIPS)
    asked = eventually(
        lambda: standard.pools()["flex"], lambda pool: pool["target"] == 2, what="the slice is asked for"
    )
    assert (asked["nodes"], asked["mode"]) == (0, "flex-start"), "it queues first"
    running = eventually(lambda: standard.running("train"), lambda pods: len(pods) == 2, what="both workers run")
    assert sorted(running.values()) == standard.nodes("flex")
    eventually(lambda: standard.is_complete("train"), what="the job has ended")
    eventually(lambda: standard.nodes("flex") == [], what="the slice is gone")
    assert any("0->2 (max: 2)" in message for message in standard.messages("TriggeredScaleUp"))


def test_out_of_stock_is_told_and_the_job_runs_when_there_is_stock_again(standard: World) -> None:
    assert standard.simulator.run("stock", "--out", "ct6e-standard-4t@us-west4-a").out == (
        "out of stock: ct6e-standard-4t@us-west4-a\n"
    )
    standard.submit("later", 2, 1500, {**_ON_SLICE, "cloud.google.com/gke-provisioning": "standard"}, _CHIPS)
    text = "failed: GCE out of resources. Pod is at risk of not being scheduled."
    eventually(lambda: any(text in each for each in standard.messages("FailedScaleUp")), what="the failure is told")
    status = standard.simulator.run("status").out
    assert "out of stock: ct6e-standard-4t@us-west4-a" in status
    assert "GCE out of resources in us-west4-a" in status
    standard.simulator.run("stock", "--in", "ct6e-standard-4t")
    eventually(lambda: len(standard.running("later")) == 2, what="both workers run")


def test_a_lost_slice_is_made_anew_and_its_job_goes_on_there(standard: World) -> None:
    before = standard.nodes("slice")
    pods = standard.running("later")
    assert sorted(pods.values()) == before
    kwok = standard.kwok()
    assert kwok is not None
    os.kill(kwok, signal.SIGKILL)
    kwok = eventually(standard.kwok, lambda pid: pid not in (None, kwok), what="another kwok runs")
    assert kwok is not None
    os.kill(kwok, signal.SIGSTOP)  # the nodes must not go before it has seen that their pods are to end
    assert standard.simulator.client.call("scaling.lose", name="slice") == before
    assert standard.pools()["slice"]["lost"] == 2
    eventually(
        lambda: all("deletionTimestamp" in pod["metadata"] for pod in standard.pods("later")),
        what="the workers are to end",
    )
    os.kill(kwok, signal.SIGCONT)
    eventually(lambda: not standard.running("later").keys() & pods.keys(), what="the workers are evicted")
    assert not standard.is_complete("later"), "no worker ended on a machine that is gone"

    def is_new(nodes: list[str]) -> bool:
        return len(nodes) == 2 and set(nodes).isdisjoint(before)

    eventually(lambda: standard.nodes("slice"), is_new, what="the slice is repaired")
    eventually(lambda: standard.is_complete("later"), what="the job has ended", seconds=180)


def test_autopilot_refuses_what_gke_warden_refuses(autopilot: World) -> None:
    spec = {"containers": [{"name": "c", "image": "busybox:1"}], "hostNetwork": True}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "bad"}, "spec": spec}
    with pytest.raises(ApiError, match="autogke-disallow-hostnamespaces") as caught:
        autopilot.api.create(_PODS, pod)
    assert caught.value.reason == "GKE Warden constraints violations"


def test_autopilot_brings_what_pods_select_and_takes_it_back(autopilot: World) -> None:
    assert autopilot.pools() == {}
    autopilot.submit("plain", 3, 60, {}, {})
    autopilot.submit("gpu", 2, 60, {"cloud.google.com/gke-accelerator": "nvidia-tesla-t4"}, {"nvidia.com/gpu": "1"})
    autopilot.submit("slice", 2, 60, _ON_SLICE, _CHIPS)
    seen: dict[str, dict[str, Any]] = {}

    def all_are_complete() -> bool:
        seen.update(autopilot.pools())
        return all(autopilot.is_complete(job) for job in ("plain", "gpu", "slice"))

    eventually(all_are_complete, what="all jobs have ended")
    assert sorted((pool["machine"], pool["topology"], pool["accelerators"]) for pool in seen.values()) == [
        ("ct6e-standard-4t", "2x4", []),
        ("e2-standard-2", None, []),
        ("n1-standard-1", None, ["nvidia-tesla-t4"]),
    ]
    assert all(name.startswith("nap-") for name in seen)
    eventually(lambda: autopilot.pools() == {}, what="every pool is gone")
