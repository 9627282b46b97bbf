"""Jobs become Workloads as Kueue makes them. tests/control_plane/test_admission_order.py compares with Kueue's own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import yaml

from components.model.facts import kinds
from tpu.rehearsal.whatif.pod_sets import pods_of, slices_of, workload

if TYPE_CHECKING:
    from components.kubeapi.documents import Document
    from components.model.facts.kinds import Kind

_CHIPS = "{containers: [{name: c, resources: {limits: {google.com/tpu: 4, cpu: 2}, requests: {cpu: 1}}}]}"
_PLAIN = "{containers: [{name: c, resources: {requests: {cpu: 1}}}]}"


def _made(kind: Kind, text: str, *, slices: int | None = None) -> Document:
    document: Document = yaml.safe_load(text)
    pods = pods_of(kind, document)
    return workload(document, pods, priority=7, slices=slices_of(pods) if slices is None else slices)


def _counts(made: Document) -> list[tuple[str, int]]:
    return [(each["name"], each["count"]) for each in made["spec"]["podSets"]]


def _requests(made: Document, place: int = 0) -> dict[str, Any]:
    return made["spec"]["podSets"][place]["template"]["spec"]["containers"][0]["resources"]["requests"]


@pytest.mark.parametrize(
    ("spec", "count"), [("{}", 1), ("{parallelism: 4}", 4), ("{parallelism: 4, completions: 3}", 3)]
)
def test_a_job_has_the_pods_that_run_at_one_time(spec: str, count: int) -> None:
    text = f"""
      metadata: {{name: j, labels: {{kueue.x-k8s.io/queue-name: q, kueue.x-k8s.io/max-exec-time-seconds: "60"}}}}
      spec: {{template: {{spec: {_PLAIN}}}}}
    """
    document = yaml.safe_load(text)
    document["spec"] |= yaml.safe_load(spec)
    made = _made(kinds.JOB, yaml.safe_dump(document))
    assert _counts(made) == [("main", count)]
    assert made["metadata"] == {"name": "j-whatif", "namespace": "default"}
    found = made["spec"]
    assert (found["queueName"], found["priority"], found["maximumExecutionTimeSeconds"]) == ("q", 7, 60)


def test_a_job_may_accept_fewer_pods() -> None:
    made = _made(
        kinds.JOB,
        f"""
          metadata: {{name: j, namespace: n, annotations: {{kueue.x-k8s.io/job-min-parallelism: "2"}}}}
          spec: {{parallelism: 4, template: {{spec: {_PLAIN}}}}}
        """,
    )
    (pods,) = made["spec"]["podSets"]
    assert (pods["count"], pods["minCount"]) == (4, 2)


_JOB_SET = f"""
  metadata: {{name: train}}
  spec:
    replicatedJobs:
      - {{name: head, template: {{spec: {{template: {{spec: {_PLAIN}}}}}}}}}
      - {{name: slice, replicas: 4, template: {{spec: {{parallelism: 2, template: {{spec: {_CHIPS}}}}}}}}}
"""


def test_the_slices_of_a_job_set_are_its_replicas_with_chips() -> None:
    made = _made(kinds.JOBSET, _JOB_SET)
    assert _counts(made) == [("head", 1), ("slice", 8)]
    assert _counts(_made(kinds.JOBSET, _JOB_SET, slices=1)) == [("head", 1), ("slice", 2)]
    assert slices_of(pods_of(kinds.JOBSET, yaml.safe_load(_JOB_SET))) == 4


def test_limits_are_requests_where_none_are_stated() -> None:
    assert _requests(_made(kinds.JOBSET, _JOB_SET), 1) == {"google.com/tpu": 4, "cpu": 1}


_RAY = f"""
  metadata: {{name: tune}}
  spec:
    submissionMode: MODE
    rayClusterSpec:
      headGroupSpec: {{template: {{spec: {_PLAIN}}}}}
      workerGroupSpecs: [{{groupName: slice, replicas: 3, numOfHosts: 2, template: {{spec: {_CHIPS}}}}}]
"""


@pytest.mark.parametrize(
    ("mode", "beside"), [("K8sJobMode", [("submitter", 1)]), ("HTTPMode", []), ("SidecarMode", [])]
)
def test_a_ray_job_has_a_head_workers_and_what_submits_its_program(mode: str, beside: list[tuple[str, int]]) -> None:
    made = _made(kinds.RAY_JOB, _RAY.replace("MODE", mode))
    assert _counts(made) == [("head", 1), ("slice", 6), *beside]
    if beside:
        assert _requests(made, 2) == {"cpu": "500m", "memory": "200Mi"}
    head = made["spec"]["podSets"][0]["template"]["spec"]["containers"]
    assert len(head) == (2 if mode == "SidecarMode" else 1)
