"""Workloads in one folder and their queues in another."""

from __future__ import annotations

from typing import Final

import pytest

from policies.lint.files import File
from policies.lint.linting import Linted, Options, lint
from tests.lint.given import told

_QUEUE: Final = """\
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: research}
spec:
  namespaceSelector: {}
  resourceGroups:
  - coveredResources: [cpu]
    flavors: [{name: any, resources: [{name: cpu, nominalQuota: 8}]}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: any}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: main, namespace: team-a}
spec: {clusterQueue: research}
"""
_CLASS: Final = """\
apiVersion: kueue.x-k8s.io/v1beta2
kind: WorkloadPriorityClass
metadata: {name: normal}
value: 1000
"""
_JOB: Final = """\
apiVersion: batch/v1
kind: Job
metadata:
  name: report
  namespace: team-a
  labels: {kueue.x-k8s.io/queue-name: main, kueue.x-k8s.io/priority-class: normal}
spec:
  parallelism: 2
  template:
    spec:
      restartPolicy: Never
      containers:
      - name: report
        image: us-docker.pkg.dev/lab/images/report:1.4.2
        resources: {requests: {cpu: 1}}
"""
_SOUND: Final = {"queues/queue.yaml": _QUEUE, "classes/normal.yaml": _CLASS, "jobs/report.yaml": _JOB}


def _lint(texts: dict[str, str]) -> Linted:
    return lint([File(name, text.encode(), is_walked=True) for name, text in texts.items()], Options())


def _with_job(old: str, new: str) -> dict[str, str]:
    assert old in _JOB
    return {**_SOUND, "jobs/report.yaml": _JOB.replace(old, new)}


_MISSPELT: Final = _with_job("queue-name: main", "queue-name: mian")
_FOUND: Final = [
    "jobs/report.yaml:6:39 workload-queue-exists Job team-a/report: metadata.labels.kueue.x-k8s.io/queue-name"
]


def test_references_that_are_right_are_not_doubted() -> None:
    verdict = _lint(_SOUND)
    assert told(verdict) == []
    assert [each.rules for each in verdict.doubts] == [("local-queue-has-a-namespace",)]


@pytest.mark.parametrize(
    ("texts", "rules"),
    [
        (_MISSPELT, ["workload-queue-exists"]),
        (_with_job("namespace: team-a", "namespace: team-b"), ["workload-queue-exists"]),
        (_with_job("priority-class: normal", "priority-class: high"), ["workload-priority-exists"]),
        (_with_job("parallelism: 2", "parallelism: 9"), ["requests-can-ever-fit"]),
        (_with_job("{cpu: 1}", "{cpu: 1, memory: 8Gi}"), ["requests-are-covered"]),
    ],
    ids=["queue", "namespace", "priority", "size", "resources"],
)
def test_a_run_is_checked_with_the_queues_of_other_folders(texts: dict[str, str], rules: list[str]) -> None:
    assert [each.finding.rule for each in _lint(texts).shown] == rules


def test_the_finding_stands_at_the_run() -> None:
    assert told(_lint(_MISSPELT)) == _FOUND


@pytest.mark.parametrize(
    "more",
    [
        {"queues/templates/queue.yaml": "{{ range .Values.teams }}\nkind: LocalQueue\n{{ end }}\n"},
        {
            "app/Chart.yaml": "name: app\n",
            "app/templates/a.yaml": "kind: WorkloadPriorityClass\nvalue: {{ .Values.a }}\n",
        },
        {"queues/queue.yaml.tpl": "kind: LocalQueue\n"},
        {"queues/kustomization.yaml": "namespace: team-b\nresources: [queue.yaml]\n"},
        {"jobs/kustomization.yaml": "namePrefix: nightly-\nresources: [report.yaml]\n"},
        {"queues/queue.yaml": _CLASS},
    ],
    ids=[
        "a template makes queues",
        "a chart makes priorities",
        "Terraform makes queues",
        "a kustomization makes the queues",
        "a kustomization makes the run",
        "no queue",
    ],
)
def test_what_others_make_is_not_joined(more: dict[str, str]) -> None:
    assert told(_lint({**_MISSPELT, **more})) == []


@pytest.mark.parametrize(
    "more",
    [
        {"app/templates/a.yaml": "{{ range .Values.teams }}\nkind: Deployment\n{{ end }}\n"},
        {"{{cookiecutter.team}}/queue.yaml": "kind: LocalQueue\nmetadata: {name: {{ cookiecutter.team }}}\n"},
    ],
    ids=["a template of other objects", "a template of a repository"],
)
def test_a_template_that_makes_no_queue_leaves_the_folders_joined(more: dict[str, str]) -> None:
    assert told(_lint({**_MISSPELT, **more})) == _FOUND


@pytest.mark.parametrize(
    ("texts", "rules"),
    [
        (_MISSPELT, ["workload-queue-exists"]),
        (_with_job("priority-class: normal", "priority-class: high"), ["workload-priority-exists"]),
        (_with_job("parallelism: 2", "parallelism: 9"), []),
        (_with_job("{cpu: 1}", "{cpu: 1, memory: 8Gi}"), []),
    ],
    ids=["queue", "priority", "size", "resources"],
)
def test_names_alone_are_checked_across_clusters(texts: dict[str, str], rules: list[str]) -> None:
    several = {**texts, "other/queue.yaml": _QUEUE.replace("nominalQuota: 8", "nominalQuota: 4")}
    assert [each.finding.rule for each in _lint(several).shown] == rules


def test_a_run_that_no_queue_is_like_may_be_of_another_cluster() -> None:
    texts = _with_job("queue-name: main", "queue-name: far")
    texts["jobs/report.yaml"] = texts["jobs/report.yaml"].replace("namespace: team-a", "namespace: team-far")
    assert told(_lint(texts)) == []


def test_a_run_of_the_default_namespace_may_be_meant_for_any_cluster() -> None:
    texts = {name: text.replace("namespace: team-a", "namespace: default") for name, text in _MISSPELT.items()}
    assert told(_lint(texts)) == []


def test_a_run_beside_queues_of_its_own_is_checked_with_those() -> None:
    own = _QUEUE.replace("name: main", "name: mian").replace("name: research", "name: own")
    texts = {**_MISSPELT, "jobs/queue.yaml": own.replace("clusterQueue: research", "clusterQueue: own")}
    assert [each.finding.rule for each in _lint(texts).shown] == []


def test_a_folder_that_names_its_queues_is_joined_once() -> None:
    same = {**_MISSPELT, "queues/same.yaml": _QUEUE}
    assert told(_lint(same)) == _FOUND
