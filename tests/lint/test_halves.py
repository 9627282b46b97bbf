"""What lint says of objects whose other half is not in the files: one line for a kind, and only where one is meant."""

from __future__ import annotations

import json

import pytest
import yaml

from policies.lint.formats import doubted
from tests.lint.given import POOLS, linted

_RUN = """
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata:
  name: train
  namespace: research
  labels: {kueue.x-k8s.io/queue-name: research, kueue.x-k8s.io/priority-class: normal}
spec:
  replicatedJobs:
    - name: slice
      template:
        spec:
          parallelism: 2
          completions: 2
          template:
            spec:
              nodeSelector:
                cloud.google.com/gke-tpu-accelerator: tpu-v5-lite-podslice
                cloud.google.com/gke-tpu-topology: 2x4
              containers:
                - name: train
                  image: ml/train:1.0
                  ports: [{containerPort: 8471}]
                  resources: {requests: {google.com/tpu: 4}, limits: {google.com/tpu: 4}}
"""
_QUEUE = """
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: research}
spec:
  namespaceSelector: {}
  resourceGroups:
    - coveredResources: [google.com/tpu]
      flavors:
        - name: v5e
          resources: [{name: google.com/tpu, nominalQuota: 16}]
"""
_ORDINARY = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "web:1.27"}]}
"""
_MAP = "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}, data: {mode: fast}}"
_POOL = json.dumps([each for each in json.loads(POOLS) if each["name"] == "slice-a"])
_NONE = "and there are none here"
_OF_QUEUES = "LocalQueues, ClusterQueues or ResourceFlavors"


def _lines(*texts: str) -> list[str]:
    verdict = linted(*texts)
    assert not verdict.shown
    return [doubted(each).partition(":")[0] for each in verdict.doubts]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (_MAP, []),
        (_ORDINARY, []),
        (_POOL, [f"5 rules not checked (NodePool slice-a refers to clusters, {_NONE})"]),
        (
            _QUEUE,
            [f"7 rules not checked (ClusterQueue research refers to ResourceFlavors, node pools or clusters, {_NONE})"],
        ),
        (
            _RUN,
            [
                f"7 rules not checked (JobSet train refers to {_OF_QUEUES}, {_NONE})",
                f"7 rules not checked (JobSet train refers to node pools or ResourceFlavors, {_NONE})",
                f"1 rule not checked (JobSet train refers to WorkloadPriorityClasses, {_NONE})",
            ],
        ),
    ],
    ids=["ConfigMap", "Deployment", "NodePool", "ClusterQueue", "JobSet"],
)
def test_an_object_alone_names_the_halves_that_it_refers_to_and_no_others(text: str, lines: list[str]) -> None:
    assert _lines(text) == lines


def test_several_that_refer_to_one_half_are_one_line() -> None:
    runs = "---".join(_RUN.replace("name: train\n  name", f"name: train-{each}\n  name") for each in range(3))
    first = f"JobSet train-0 and 2 more refer to {_OF_QUEUES}, {_NONE}"
    assert f"7 rules not checked ({first})" in _lines(runs)


def _rules_of(text: str) -> set[str]:
    return {rule for each in linted(text).doubts for rule in each.rules}


def test_what_an_object_leaves_out_calls_for_no_other_half() -> None:
    body = yaml.safe_load(_RUN)
    body["metadata"]["labels"] = {}
    assert _rules_of(yaml.safe_dump(body)) == {
        "flex-start-is-selected",
        "job-stays-in-a-slice",
        "pods-fit-a-node",
        "run-has-enough-slices",
        "selectors-name-one-machine",
        "some-pool-serves-pods",
    }


@pytest.mark.parametrize(
    ("stated", "rule"),
    [
        ({"priorityClassName": "high"}, "pod-priority-exists"),
        ({"hostNetwork": True}, "autopilot-pods-are-plain"),
        ({"nodeSelector": {"cloud.google.com/gke-nodepool": "a"}}, "autopilot-pods-are-plain"),
    ],
)
def test_what_an_object_states_calls_for_its_other_half(stated: dict[str, object], rule: str) -> None:
    body = yaml.safe_load(_ORDINARY)
    body["spec"]["template"]["spec"].update(stated)
    assert _rules_of(yaml.safe_dump(body)) == {rule}


def test_a_queue_calls_for_its_checks_and_a_run_with_a_priority_for_classes() -> None:
    asking = _QUEUE.replace("namespaceSelector: {}", "admissionChecksStrategy: {admissionChecks: [{name: prov}]}")
    asking = asking.replace("  resourceGroups", "  namespaceSelector: {}\n  resourceGroups")
    assert _rules_of(asking) - _rules_of(_QUEUE) == {"admission-check-exists"}
    assert "priorities-preempt" in {rule for each in linted(_QUEUE, _RUN).doubts for rule in each.rules}


def test_without_a_priority_of_its_own_a_run_calls_for_those_of_its_queue() -> None:
    body = yaml.safe_load(_RUN)
    del body["metadata"]["labels"]["kueue.x-k8s.io/priority-class"]
    assert "run-states-its-priority" in _rules_of(yaml.safe_dump(body))
    assert "workload-priority-exists" not in _rules_of(yaml.safe_dump(body))
