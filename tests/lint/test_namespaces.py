"""Runs that state no namespace, and whose queue is in one."""

from __future__ import annotations

from typing import Final

import pytest

from components.model.findings import Severity
from policies.lint.formats import as_text
from tests.lint.given import edited, linted, told

_QUEUES: Final = """\
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: main, namespace: team-a}
spec: {clusterQueue: research}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: research}
spec:
  namespaceSelector: {}
  resourceGroups:
    - coveredResources: [cpu]
      flavors:
        - name: any
          resources: [{name: cpu, nominalQuota: 8}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: any}
"""
_RUN: Final = """\
apiVersion: batch/v1
kind: Job
metadata:
  name: prepare
  labels: {kueue.x-k8s.io/queue-name: main}
spec:
  parallelism: 1
  template:
    spec:
      restartPolicy: Never
      volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]
      containers:
        - name: main
          image: us-docker.pkg.dev/lab/images/prepare:1.0
          resources: {requests: {cpu: 4}}
"""
_HOME: Final = "b:3:1 queued-run-states-its-namespace Job prepare: metadata.namespace"
_NO_QUEUE: Final = "b:5:39 workload-queue-exists Job prepare: metadata.labels.kueue.x-k8s.io/queue-name"


def test_the_namespace_of_its_queue_is_a_warning() -> None:
    verdict = linted(_QUEUES, _RUN)
    assert told(verdict) == [_HOME]
    assert verdict.shown[0].finding.severity is Severity.WARNING
    assert "warning: the only queue main here is in team-a.\n" in as_text(verdict)
    assert "  State namespace: team-a, or apply it with -n team-a.\n" in as_text(verdict)


def test_the_run_is_checked_against_that_queue() -> None:
    many = edited(_RUN, "parallelism: 1", "parallelism: 3")
    cpu = "b:15:39 requests-can-ever-fit Job prepare: spec.template.spec.containers[0].resources.requests.cpu"
    assert told(linted(_QUEUES, many)) == [_HOME, cpu]


@pytest.mark.parametrize("namespace", ["default", "team-b"])
def test_a_namespace_that_is_stated_stays(namespace: str) -> None:
    run = edited(_RUN, "  name: prepare\n", f"  name: prepare\n  namespace: {namespace}\n")
    assert told(linted(_QUEUES, run)) == [_NO_QUEUE.replace(":5:", ":6:").replace("prepare", f"{namespace}/prepare")]


@pytest.mark.parametrize(
    ("queues", "found"),
    [
        (edited(_QUEUES, ", namespace: team-a}", "}"), []),
        (_QUEUES + "---\n" + _QUEUES.partition("---")[0].replace("team-a", "team-b"), [_NO_QUEUE]),
        (edited(_QUEUES, "name: main,", "name: other,"), [_NO_QUEUE]),
    ],
    ids=["none is stated", "of two namespaces", "of another name"],
)
def test_no_other_queue_is_taken_for_its_own(queues: str, found: list[str]) -> None:
    assert told(linted(queues, _RUN)) == found


def test_runs_of_one_file_in_queues_of_two_namespaces_are_applied_as_they_are() -> None:
    of_b = edited(_QUEUES.partition("---")[0], "name: main, namespace: team-a", "name: second, namespace: team-b")
    second = edited(_RUN, "queue-name: main", "queue-name: second").replace("name: prepare", "name: again")
    rules = [each.finding.rule for each in linted(f"{_QUEUES}---\n{of_b}", f"{_RUN}---\n{second}").shown]
    assert rules == ["workload-queue-exists"] * 2


def test_what_the_file_declares_beside_is_in_that_namespace_too() -> None:
    claim = "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: data}\n"
    modes = "spec: {accessModes: [ReadWriteMany], volumeName: data, resources: {requests: {storage: 2Ti}}}\n"
    volume = """\
apiVersion: v1
kind: PersistentVolume
metadata: {name: data}
spec:
  capacity: {storage: 1Ti}
  accessModes: [ReadWriteMany]
  claimRef: {namespace: team-a, name: data}
  nfs: {server: 10.0.0.2, path: /vol}
"""
    rules = {each.finding.rule for each in linted(_QUEUES, f"{_RUN}---\n{claim}{modes}", volume).shown}
    assert "claim-fits-its-volume" in rules


def test_a_queue_whose_name_is_filled_in_later_is_not_sought() -> None:
    run = edited(_RUN, "queue-name: main", "queue-name: <QUEUE>")
    assert told(linted(_QUEUES, run)) == []
