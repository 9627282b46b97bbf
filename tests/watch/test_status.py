"""The state of queues, quota, nodes and jobs as tables, and its redrawing."""

from __future__ import annotations

from typing import Final

import pytest

from components.kubeapi import Document, UnreachableError
from tests.watch.cluster import FakeCluster
from tests.watch.jobs import a_job, a_pod
from tests.watch.records import START, Story, condition, stamp
from tpu.watch.status import show, status_lines
from tpu.watch.tables import node_table, pod_table, queue_table, service_table, usage_table

_NOW: Final = START.timestamp() + 30
_GPU: Final = "nvidia.com/gpu"


def held(**totals: tuple[str, str]) -> list[Document]:
    """What the flavor's resources hold, each as total and borrowed."""
    names = {"gpu": _GPU, "cpu": "cpu"}
    resources = [{"name": names[key], "total": total, "borrowed": lent} for key, (total, lent) in totals.items()]
    return [{"name": "default-flavor", "resources": resources}]


def a_queue(name: str = "cluster-queue", **spec: object) -> Document:
    """A ClusterQueue with quota for ten GPUs and ten CPUs of which some is held."""
    resources = [{"name": "cpu", "nominalQuota": "10"}, {"name": _GPU, "nominalQuota": "10"}]
    flavors = [{"name": "default-flavor", "resources": resources}]
    return {
        "metadata": {"name": name},
        "spec": {
            "queueingStrategy": "StrictFIFO",
            "resourceGroups": [{"coveredResources": ["cpu", _GPU], "flavors": flavors}],
            **spec,
        },
        "status": {
            "pendingWorkloads": 2,
            "reservingWorkloads": 1,
            "conditions": [condition("Active", 0, "Ready")],
            "flavorsReservation": held(gpu=("12", "2"), cpu=("1500m", "0")),
            "flavorsUsage": held(gpu=("3", "0")),
        },
    }


def a_node(name: str, pool: str, *, is_ready: bool = True, labels: dict[str, str] | None = None) -> Document:
    """A node of a pool."""
    return {
        "metadata": {"name": name, "labels": {"cloud.google.com/gke-nodepool": pool, **(labels or {})}},
        "status": {"conditions": [{"type": "Ready", "status": str(is_ready)}]},
    }


def test_queues_are_told_with_what_waits_and_holds_quota() -> None:
    inactive = a_queue("broken", cohortName="all")
    inactive["status"] = {"conditions": [{"type": "Active", "status": "False", "reason": "FlavorNotFound"}]}
    queues = [a_queue(), inactive, a_queue("held", stopPolicy="Hold"), a_queue("drained", stopPolicy="HoldAndDrain")]
    assert "\n".join(queue_table(Story().record(queues=queues))) == (
        "CLUSTER QUEUE   COHORT   STRATEGY     PENDING   RESERVING   ADMITTED   STATE\n"
        "cluster-queue   -        StrictFIFO   2         1           0          active\n"
        "broken          all      StrictFIFO   0         0           0          inactive: FlavorNotFound\n"
        "held            -        StrictFIFO   2         1           0          stopped\n"
        "drained         -        StrictFIFO   2         1           0          stopped, drains"
    )


def test_quota_is_told_by_flavor_and_resource() -> None:
    assert "\n".join(usage_table(Story().record(queues=[a_queue()]))) == (
        "CLUSTER QUEUE   FLAVOR           RESOURCE         RESERVED   USED   QUOTA   BORROWED\n"
        "cluster-queue   default-flavor   cpu              1500m      0      10      0\n"
        "cluster-queue   default-flavor   nvidia.com/gpu   12         3      10      2"
    )


def test_nodes_are_counted_by_pool_with_their_accelerator() -> None:
    tpu = {
        "cloud.google.com/gke-tpu-accelerator": "tpu-v6e-slice",
        "cloud.google.com/gke-tpu-topology": "4x4",
        "node.kubernetes.io/instance-type": "ct6e-standard-4t",
    }
    nodes = [
        a_node("b1", "slices", labels=tpu),
        a_node("b2", "slices", is_ready=False, labels=tpu),
        a_node("g1", "gpus", labels={"cloud.google.com/gke-accelerator": "nvidia-tesla-t4"}),
        {"metadata": {"name": "x"}},
    ]
    assert "\n".join(node_table(Story().record(nodes=nodes))) == (
        "NODE POOL   NODES   READY   ACCELERATOR         MACHINE\n"
        "-           1       0       -                   -\n"
        "gpus        1       1       nvidia-tesla-t4     -\n"
        "slices      2       1       tpu-v6e-slice 4x4   ct6e-standard-4t"
    )


def test_namespaces_are_a_column_when_there_is_more_than_one() -> None:
    pods = [a_pod("a"), a_pod("b")]
    pods[1]["metadata"]["namespace"] = "team"
    assert next(pod_table(Story().record(pods=pods), _NOW)).split()[:2] == ["NAMESPACE", "NAME"]
    assert next(pod_table(Story().record(pods=pods[:1]), _NOW)).split()[0] == "NAME"


def test_services_are_told_by_how_much_of_them_is_ready() -> None:
    def a_service(name: str) -> Document:
        spec = {"replicas": 1, "selector": {"matchLabels": {"app": name}}, "template": {}}
        return {"kind": "Deployment", "metadata": {"name": name, "creationTimestamp": stamp(0)}, "spec": spec}

    ready = a_pod("redis", "Running", "n1", label="app", conditions=[condition("Ready", 1)])
    record = Story().record(services=[a_service("redis"), a_service("slow")], pods=[ready, a_pod("slow", label="app")])
    assert "\n".join(service_table(record, _NOW)) == (
        "SERVICE   READY   AGE\nredis     1/1     30s\nslow      0/1     30s"
    )


def test_the_state_names_what_waits_and_why_and_leaves_out_what_is_over() -> None:
    jobs = [a_job("done", "Completed"), a_job("held", suspend=True)]
    lines = list(status_lines(Story().record(jobs=jobs), _NOW))
    assert lines[-2:] == ["JOB    STATE     WHY", "held   waiting   is suspended, and no queue manages it"]
    assert "done" not in "\n".join(lines)


@pytest.mark.parametrize("is_terminal", [True, False])
def test_the_state_is_drawn_at_every_interval_until_it_is_enough(*, is_terminal: bool) -> None:
    written: list[str] = []
    waited: list[float] = []

    def wait(seconds: float) -> bool:
        waited.append(seconds)
        cluster.change("nodes", [a_node("n", f"pool-{len(waited)}")])
        return len(waited) == 3

    cluster = FakeCluster(pods=[], events=[])
    show(cluster.api, interval=2, wait=wait, write=written.append, is_terminal=is_terminal)
    assert waited == [2, 2, 2]
    assert [text.startswith("\x1b[H\x1b[2J") for text in written] == [is_terminal] * 3
    assert ["pool-1" in text for text in written] == [False, True, False]


def test_a_cluster_that_is_gone_ends_the_watching() -> None:
    cluster = FakeCluster(pods=[], events=[])

    def wait(_: float) -> bool:
        cluster.lose()
        return False

    with pytest.raises(UnreachableError, match="it is gone"):
        show(cluster.api, interval=2, wait=wait, write=lambda _: None, is_terminal=False)
