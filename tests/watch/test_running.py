"""What `tpu running` makes of the objects of a cluster."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from components.model.running import State, Work, decoded
from tests.watch.cluster import FakeCluster
from tpu.running import __main__ as command
from tpu.running.works import running_in

if TYPE_CHECKING:
    from pathlib import Path

    from components.kubeapi import Document

_TRUE = [{"type": "Admitted", "status": "True"}, {"type": "QuotaReserved", "status": "True"}]


def _object(kind: str, name: str, owner: Document | None = None, namespace: str = "team", **more: Any) -> Document:  # noqa: ANN401  any field
    metadata: dict[str, Any] = {"name": name, "namespace": namespace, "uid": f"{kind}-{name}"}
    if owner is not None:
        of = owner["metadata"]
        metadata["ownerReferences"] = [
            {"kind": owner["kind"], "name": of["name"], "uid": of["uid"], "controller": True}
        ]
    return {"kind": kind, "metadata": metadata, **more}


def _pod(name: str, owner: Document | None = None, phase: str = "Running", **spec: Any) -> Document:  # noqa: ANN401  any field
    containers = [{"name": "run", "resources": {"requests": {"google.com/tpu": "4"}}}]
    return _object(
        "Pod", name, owner, spec={"nodeName": "host", "containers": containers, **spec}, status={"phase": phase}
    )


def _workload(name: str, owner: Document, conditions: list[Document], **status: Any) -> Document:  # noqa: ANN401  any field
    template = {"spec": {"containers": [{"name": "run", "resources": {"requests": {"google.com/tpu": "4"}}}]}}
    spec = {"queueName": "lq", "priority": 500, "podSets": [{"count": 2, "template": template}]}
    return _object("Workload", name, owner, spec=spec, status={"conditions": conditions, **status})


def _cluster(**more: list[Document]) -> FakeCluster:
    node = {"kind": "Node", "metadata": {"name": "host", "labels": {"cloud.google.com/gke-nodepool": "v5e1"}}}
    queue = {"metadata": {"namespace": "team", "name": "lq"}, "spec": {"clusterQueue": "cq"}}
    return FakeCluster(nodes=[node], localqueues=[queue], **more)


def test_pods_belong_to_what_owns_them_in_the_end() -> None:
    jobset, alone = _object("JobSet", "train"), _pod("shell")
    job = _object("Job", "train-0", jobset)
    deployment = _object("Deployment", "server")
    replicas = _object("ReplicaSet", "server-1", deployment)
    daemons = _object("DaemonSet", "agent")
    lws = {"kind": "LeaderWorkerSet", "metadata": {"name": "serve", "namespace": "team", "uid": "unread"}}
    cluster = _cluster(
        jobsets=[jobset],
        jobs=[job],
        deployments=[deployment],
        replicasets=[replicas],
        pods=[_pod("a", job), _pod("b", replicas), _pod("c", daemons), _pod("d", lws), alone],
    )
    titles = [each.title for each in running_in(cluster).work]
    assert titles == ["Deployment team/server", "JobSet team/train", "LeaderWorkerSet team/serve", "Pod team/shell"]


def test_admitted_work_has_the_queue_the_flavors_and_the_pools_that_it_holds() -> None:
    jobset = _object("JobSet", "train")
    job = _object("Job", "train-0", jobset)
    admission = {"clusterQueue": "other", "podSetAssignments": [{"flavors": {"google.com/tpu": "v5e"}}]}
    volumes = [{"name": "data", "persistentVolumeClaim": {"claimName": "shared"}}]
    pods = [_pod("a", job, volumes=volumes, priorityClassName="high"), _pod("b", job, phase="Pending")]
    workload = _workload("w", jobset, _TRUE, admission=admission)
    (found,) = running_in(_cluster(jobsets=[jobset], jobs=[job], pods=pods, workloads=[workload])).work
    assert found == Work(
        kind="JobSet",
        namespace="team",
        name="train",
        state=State.RUNS,
        local_queue="lq",
        queue="other",
        flavors=("v5e",),
        chips=8,
        priority=500,
        priority_class="high",
        pools=("v5e1",),
        claims=("shared",),
        is_ready=False,
    )


@pytest.mark.parametrize(
    ("conditions", "state"),
    [
        ([], State.WAITS),
        ([{"type": "QuotaReserved", "status": "True"}], State.RESERVES),
        (_TRUE, State.RUNS),
        ([{"type": "Finished", "status": "True"}], State.FINISHED),
    ],
)
def test_what_work_does_is_what_its_workload_says(conditions: list[Document], state: State) -> None:
    jobset = _object("JobSet", "train")
    (found,) = running_in(_cluster(jobsets=[jobset], workloads=[_workload("w", jobset, conditions)])).work
    assert (found.state, found.queue, found.chips) == (state, "cq", 8)


def test_pods_that_end_or_belong_to_the_system_are_no_work() -> None:
    going = _pod("going")
    going["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    system = _pod("system")
    system["metadata"]["namespace"] = "kube-system"
    assert running_in(_cluster(pods=[going, system, _pod("done", phase="Succeeded")])).work == ()


def test_a_cluster_that_gives_no_answer_is_told_in_the_file_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    missing = tmp_path / "kubeconfig"
    monkeypatch.setattr("sys.argv", ["running", "--kubeconfig", str(missing)])
    with pytest.raises(SystemExit) as caught:
        command.main()
    said = capsys.readouterr()
    assert caught.value.code == 1
    assert decoded(said.out).not_asked.startswith("no kubeconfig: ")
    assert json.loads(said.out)["work"] == []
    assert said.err.startswith("running: no kubeconfig: ")
