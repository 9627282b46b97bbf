"""What a folder refers to and another folder has."""

from __future__ import annotations

from typing import Final

import pytest

from policies.lint.files import File
from policies.lint.linting import Options, lint
from tests.lint.given import told

_QUEUE: Final = """\
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: research}
spec:
  namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: team-a}}
  resourceGroups:
  - coveredResources: [memory]
    flavors: [{name: far, resources: [{name: memory, nominalQuota: 8Gi}]}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: near}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: main}
spec: {clusterQueue: research}
"""
_OF_TEAM: Final = _QUEUE.replace("{name: main}", "{name: main, namespace: team-a}")
_FLAVOR: Final = "apiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: {name: far}\n"
_BROKEN: Final = ["queues/a.yaml:8:22 queue-flavor-exists ClusterQueue research"]
_JOB: Final = """\
apiVersion: batch/v1
kind: Job
metadata: {name: report, namespace: team-a, labels: {kueue.x-k8s.io/queue-name: main}}
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
      - name: report
        image: us-docker.pkg.dev/lab/images/report:1.4.2
        resources: {requests: {cpu: 1}}
"""
_CONFIGURATION: Final = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: kueue-manager-config, namespace: kueue-system}
data:
  controller_manager_config.yaml: |
    apiVersion: config.kueue.x-k8s.io/v1beta2
    kind: Configuration
    resources: {excludeResourcePrefixes: [cpu]}
"""


def _told(texts: dict[str, str]) -> list[str]:
    files = [File(name, text.encode(), is_walked=True) for name, text in texts.items()]
    return [each.split(": ")[0] for each in told(lint(files, Options()))]


def _rules(texts: dict[str, str]) -> list[str]:
    return [each.split()[1] for each in _told(texts)]


@pytest.mark.parametrize(
    ("place", "found"),
    [("queues/flavors/far.yaml", []), ("far.yaml", []), ("other/far.yaml", _BROKEN), ("queues-2/far.yaml", _BROKEN)],
)
def test_an_object_of_the_cluster_may_be_above_or_below(place: str, found: list[str]) -> None:
    assert _told({"queues/a.yaml": _OF_TEAM, place: _FLAVOR}) == found


_MISSING: Final = {
    "jobs/report.yaml": _JOB.replace("cpu: 1", "memory: 1Gi"),
    "jobs/a.yaml": _OF_TEAM.replace("main", "other"),
    "jobs/far.yaml": _FLAVOR,
}
"""A workload whose LocalQueue is not in its folder."""


def test_a_local_queue_of_the_namespace_may_be_anywhere() -> None:
    assert _rules(_MISSING) == ["workload-queue-exists"]
    local = _OF_TEAM.rpartition("---\n")[2]
    assert _told({**_MISSING, "platform/local.yaml": local}) == []


_NAMELESS: Final = "apiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\nmetadata: {namespace: team-a}\n"


@pytest.mark.parametrize("metadata", ["{name: <QUEUE>, namespace: team-a}", '{name: main, namespace: "${TEAM}"}'])
def test_a_local_queue_whose_name_is_a_placeholder_may_be_the_one(metadata: str) -> None:
    blank = _NAMELESS.replace("{namespace: team-a}", metadata)
    nameless = {**_MISSING, "platform/a.yaml": _NAMELESS}
    assert "workload-queue-exists" in _rules(nameless)
    assert "workload-queue-exists" not in _rules({**nameless, "platform/b.yaml": blank})


_SERVER: Final = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: server, namespace: team-a, labels: {kueue.x-k8s.io/queue-name: main}}
spec:
  selector: {matchLabels: {app: server}}
  template:
    metadata: {labels: {app: server}}
    spec:
      nodeSelector:
        cloud.google.com/gke-tpu-accelerator: tpu-v5-lite-podslice
        cloud.google.com/gke-tpu-topology: 2x4
        cloud.google.com/gke-provisioning: flex-start
      containers:
      - name: server
        image: us-docker.pkg.dev/lab/images/server:1.4.2
        resources: {limits: {google.com/tpu: 4}}
"""


def test_the_queue_of_a_deployment_may_be_in_any_folder() -> None:
    flex = _FLAVOR + 'spec: {nodeLabels: {cloud.google.com/gke-flex-start: "true"}}\n'
    queue = _OF_TEAM.replace("[memory]", "[google.com/tpu]").replace(
        "name: memory, nominalQuota: 8Gi", "name: google.com/tpu, nominalQuota: 4"
    )
    own, local = queue.replace("main", "other"), queue.rpartition("---\n")[2]
    texts = {"servers/server.yaml": _SERVER, "servers/queue.yaml": own, "servers/flex.yaml": flex}
    rule = "queued-flex-start-nodes-are-asked-for"
    assert rule in _rules(texts)
    assert rule not in _rules({**texts, "platform/local.yaml": local})


def test_the_configuration_of_kueue_may_be_anywhere() -> None:
    texts = {"jobs/report.yaml": _JOB, "jobs/a.yaml": _OF_TEAM, "jobs/far.yaml": _FLAVOR}
    assert _rules(texts) == ["requests-are-covered"]
    assert _told({**texts, "kueue/config.yaml": _CONFIGURATION}) == []
