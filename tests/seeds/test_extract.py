"""The extraction, on a small document with what tutorials have: commands in prose, no indentation, one long line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import yaml

from tests.seeds.element import DocumentError
from tests.seeds.extract import elements_of, index_of
from tests.seeds.index import differences, index_text

if TYPE_CHECKING:
    from pathlib import Path

_DOCUMENT = """\
Ωδή CLI, ωδή gcloud components update ωδή.
  gcloud beta container node-pools create pool-a \\
      --location=PLACE --num-nodes 2 \\
      --share=name="a",capacity=1TB \\
      --flex-start
Ωδή- gcloud container node-pools create pool-b \\ --max-nodes=1- ωδή- gcloud container clusters delete c --region=r - ψ
- --max-nodes: ωδή --max-nodes=4
Ωδή.watch -n 2 kubectl -n team get jobs -o wide
    kubectl exec --stdin --tty pod-a -- /bin/sh -c "ls -1 /mnt"
    VERSION=v1
    NAME     READY   STATUS
    pod-a    1/1     Running
STATE: READY PLACE: here
apiVersion: kueue.x-k8s.io/v1beta1
kind: ClusterQueue
metadata:
name: queue-a # a comment
spec:
resourceGroups:
- coveredResources: ["cpu", "memory"]
flavors:
- name: small
resources:
- name: "cpu"
nominalQuota: 10
- name: memory
nominalQuota: 10Gi
queueingStrategy: StrictFIFO
---
apiVersion: batch/v1
kind: Job
metadata:
  name: job-a
  labels:
    example.org/queue: "true"
spec:
  completions: 2
  template:
    spec:
      containers:
      - name: one
        command:
        - bash
        - -c
        - |
          echo name: value
          sleep 60
        resources:
          limits:
            google.com/tpu: 4

      restartPolicy: Never
Ωδή .spec.completions ωδή ttlSecondsAfterFinished ωδή.
spec:
containers:
- name: part
volumes:
- name: disk
Ωδή- apiVersion: v1 kind: Service metadata: name: svc spec: selector: job-name: a --- apiVersion: batch/v1 kind: Job \
metadata: name: b spec: template: spec: containers: - name: c args: ["1s"] # one second ports: - containerPort: 1 # 1 \
- containerPort: 2 command: - bash - -c - | echo 1 resources: limits: cpu: N restartPolicy: OnFailure- ωδή
"""


def _found(first: int, last: int) -> list[tuple[int, str, object]]:
    return [(each.line, each.name, each.value) for each in elements_of(_DOCUMENT) if first <= each.line <= last]


def test_a_command_is_found_in_prose_and_over_lines() -> None:
    create = "gcloud beta container node-pools create"
    assert _found(1, 5) == [
        (1, "gcloud components update", None),
        (2, create, "pool-a"),
        (3, f"{create} --location", "PLACE"),
        (3, f"{create} --num-nodes", 2),
        (4, f"{create} --share.name", "a"),
        (4, f"{create} --share.capacity", "1TB"),
        (5, f"{create} --flex-start", None),
    ]


def test_commands_on_one_line_are_told_apart() -> None:
    assert _found(6, 6) == [
        (6, "gcloud container node-pools create", "pool-b"),
        (6, "gcloud container node-pools create --max-nodes", 1),
        (6, "gcloud container clusters delete", "c"),
        (6, "gcloud container clusters delete --region", "r"),
    ]


def test_flags_outputs_and_settings_are_found_without_a_command() -> None:
    assert _found(7, 13) == [
        (7, "--max-nodes", None),
        (7, "--max-nodes (2)", 4),
        (8, "watch", None),
        (8, "watch -n", 2),
        (8, "kubectl get", "jobs"),
        (8, "kubectl get -n", "team"),
        (8, "kubectl get -o", "wide"),
        (9, "kubectl exec", "pod-a"),
        (9, "kubectl exec --stdin", None),
        (9, "kubectl exec --tty", None),
        (9, "kubectl exec --", "/bin/sh -c ls -1 /mnt"),
        (10, "VERSION", "v1"),
        (11, "columns", "NAME READY STATUS"),
        (13, "output STATE", "READY"),
        (13, "output PLACE", "here"),
    ]


def test_fields_are_nested_where_the_indentation_is_lost() -> None:
    group = "ClusterQueue.spec.resourceGroups[0]"
    assert _found(14, 28) == [
        (14, "ClusterQueue.apiVersion", "kueue.x-k8s.io/v1beta1"),
        (15, "ClusterQueue.kind", "ClusterQueue"),
        (17, "ClusterQueue.metadata.name", "queue-a"),
        (20, f"{group}.coveredResources", ["cpu", "memory"]),
        (22, f"{group}.flavors[0].name", "small"),
        (24, f"{group}.flavors[0].resources[0].name", "cpu"),
        (25, f"{group}.flavors[0].resources[0].nominalQuota", 10),
        (26, f"{group}.flavors[0].resources[1].name", "memory"),
        (27, f"{group}.flavors[0].resources[1].nominalQuota", "10Gi"),
        (28, "ClusterQueue.spec.queueingStrategy", "StrictFIFO"),
    ]


def test_words_and_lines_of_a_command_are_counted_and_code_is_not_kept() -> None:
    pod = "Job.spec.template.spec"
    assert _found(30, 52) == [
        (30, "Job.apiVersion", "batch/v1"),
        (31, "Job.kind", "Job"),
        (33, "Job.metadata.name", "job-a"),
        (35, "Job.metadata.labels[example.org/queue]", "true"),
        (37, "Job.spec.completions", 2),
        (41, f"{pod}.containers[0].name", "one"),
        (43, f"{pod}.containers[0].command[0]", "bash"),
        (44, f"{pod}.containers[0].command[1]", "-c"),
        (46, f"{pod}.containers[0].command[2] line 1", None),
        (47, f"{pod}.containers[0].command[2] line 2", None),
        (50, f"{pod}.containers[0].resources.limits[google.com/tpu]", 4),
        (52, f"{pod}.restartPolicy", "Never"),
    ]


def test_fields_in_prose_and_parts_of_a_manifest_are_found() -> None:
    assert _found(53, 58) == [
        (53, "mention of .spec.completions", None),
        (53, "mention of ttlSecondsAfterFinished", None),
        (56, "Pod.spec.containers[0].name", "part"),
        (58, "Pod.spec.volumes[0].name", "disk"),
    ]


def test_manifests_on_one_line_are_told_apart() -> None:
    pod = "Job.spec.template.spec"
    assert _found(59, 59) == [
        (59, "Service.apiVersion", "v1"),
        (59, "Service.kind", "Service"),
        (59, "Service.metadata.name", "svc"),
        (59, "Service.spec.selector[job-name]", "a"),
        (59, "Job.apiVersion", "batch/v1"),
        (59, "Job.kind", "Job"),
        (59, "Job.metadata.name", "b"),
        (59, f"{pod}.containers[0].name", "c"),
        (59, f"{pod}.containers[0].args", ["1s"]),
        (59, f"{pod}.containers[0].ports[0].containerPort", 1),
        (59, f"{pod}.containers[0].ports[1].containerPort", 2),
        (59, f"{pod}.containers[0].command[0]", "bash"),
        (59, f"{pod}.containers[0].command[1]", "-c"),
        (59, f"{pod}.containers[0].command[2] line 1", None),
        (59, f"{pod}.containers[0].resources.limits[cpu]", "N"),
        (59, f"{pod}.restartPolicy", "OnFailure"),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("apiVersion: v1\nkind: Job\nspec:\ncolour: red", "line 4: colour is no known field"),
        ("apiVersion: v1\nkind: Job\nspec:\nnominalQuota: 3", "line 4: no open mapping of Job takes nominalQuota"),
        ("apiVersion: v1\nkind: Job\nspec: 3", "line 3: spec is no single value"),
    ],
)
def test_a_field_that_is_not_known_is_an_error_and_not_passed_over(text: str, message: str) -> None:
    with pytest.raises(DocumentError, match=message):
        elements_of(text)


def test_the_index_holds_names_and_no_values() -> None:
    assert index_of("STATE: READY\n\nkubectl get pods -o wide") == {
        1: ["output STATE"],
        3: ["kubectl get", "kubectl get -o"],
    }


def test_a_folder_of_other_documents_is_found_out(tmp_path: Path) -> None:
    (tmp_path / "001_other.txt").write_text("kubectl get pods")
    (tmp_path / "900_new.txt").write_text("kubectl get pods")
    found = list(differences(tmp_path))
    assert {"000: not in the folder", "900: not in the index", "001: another sha256", "001: other flags or fields"} <= {
        *found
    }
    assert "001: line 52, gcloud container clusters create-auto: says None, not 'multislice-cluster'" in found


def test_the_index_is_read_as_it_is_written(tmp_path: Path) -> None:
    (tmp_path / "001_own.txt").write_text("kubectl get pods")
    read = yaml.safe_load(index_text(tmp_path))
    assert read["001"]["lines"] == {1: ["kubectl get"]}
    assert len(read["001"]["sha256"]) == 64
