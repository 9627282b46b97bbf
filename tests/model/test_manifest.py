"""Files of Kubernetes objects: how they are read, and what becomes of their objects."""

from __future__ import annotations

from typing import Any

import pytest

from components.manifests.manifest import manifest_objects
from components.model.plan.workloads import Problem
from components.model.stack_file.manifest import read_objects
from components.pod_sets import chips_of
from policies.program import judge
from tests.model.catalogue.manifest import with_manifest
from tests.stacks import a_platform

_VALUES = {"n": "2", "text": 'python3 -c "print(1)" # all', "lines": "a\nb"}
_TEXT = """\
apiVersion: v1
kind: ConfigMap # for ${nobody}
metadata: {name: run}
data:
  number: ${n}
  quoted: "${n}"
  joined: x-${n}
  text: ${text}
  ${n}: key
  script: |
    # ${n} of them
    echo $${HOME} $HOME
    ${lines}
"""


def _data(text: str) -> dict[str, Any]:
    found = read_objects(lambda _: text.encode(), "run.yaml", _VALUES)
    assert isinstance(found, tuple), found
    return dict(found[0].document["data"])


def test_values_stand_where_they_are_written() -> None:
    assert _data(_TEXT) == {
        "number": 2,
        "quoted": "2",
        "joined": "x-2",
        "text": _VALUES["text"],
        "2": "key",
        "script": "# 2 of them\necho ${HOME} $HOME\na\nb\n",
    }


def test_lines_are_those_of_the_file() -> None:
    found = read_objects(lambda _: _TEXT.encode(), "run.yaml", _VALUES)
    assert isinstance(found, tuple)
    assert [found[0].line_of(path) for path in (("kind",), ("data", "script"), ("spec",))] == [2, 10, 1]
    wrong = read_objects(lambda _: _TEXT.replace("${lines}", "${line}").encode(), "run.yaml", _VALUES)
    assert isinstance(wrong, Problem)
    assert wrong.says == "run.yaml:13: ${line} is not a value of the stack."


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (FileNotFoundError(), "there is no file run.yaml."),
        (IsADirectoryError(21, "Is a directory"), "run.yaml cannot be read: Is a directory."),
        (ValueError("embedded null byte"), "run.yaml cannot be read: embedded null byte."),
    ],
)
def test_a_file_that_cannot_be_read_is_a_problem(error: Exception, says: str) -> None:
    def read(_path: str) -> bytes:
        raise error

    found = read_objects(read, "run.yaml", {})
    assert isinstance(found, Problem)
    assert found.says == says


def test_a_file_of_other_bytes_is_a_problem() -> None:
    found = read_objects(lambda _: "name: Zürich".encode("latin-1"), "run.yaml", {})
    assert isinstance(found, Problem)
    assert (found.says, found.remedy) == ("run.yaml is not UTF-8.", "Save it as UTF-8.")


def _made(metadata: str, kind: str = "batch/v1, kind: Job", spec: str = "{}") -> dict[str, Any]:
    stack = with_manifest(f"{{apiVersion: {kind}, metadata: {metadata}, spec: {spec}}}\n", priority="low")
    (made,) = manifest_objects(stack.plan().manifests[0])
    return made


def test_a_job_gets_the_labels_of_its_queue_and_is_not_awaited() -> None:
    labels = {"kueue.x-k8s.io/queue-name": "research", "kueue.x-k8s.io/priority-class": "low"}
    made = _made("{name: eval, labels: {team: a}, annotations: null}")["metadata"]
    assert (made["namespace"], made["labels"]) == ("default", {**labels, "team": "a"})
    assert made["annotations"]["pulumi.com/skipAwait"] == "true"
    assert _made("{name: eval, labels: [a]}")["metadata"]["labels"] == ["a"]
    cron = _made("{name: eval}", "batch/v1, kind: CronJob", "{jobTemplate: {spec: {}}}")
    assert "labels" not in cron["metadata"]
    assert cron["spec"]["jobTemplate"]["metadata"]["labels"] == labels
    assert "annotations" not in _made("{name: eval}", "ray.io/v1, kind: RayJob")["metadata"]


def test_an_object_for_all_namespaces_is_in_none() -> None:
    assert "namespace" not in _made("{name: a}", "rbac.authorization.k8s.io/v1, kind: ClusterRole")["metadata"]


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("jobset.x-k8s.io/v1alpha2, kind: JobSet", "train"),
        ("kueue.x-k8s.io/v1beta2, kind: LocalQueue", "research"),
        ("kueue.x-k8s.io/v1beta2, kind: ResourceFlavor", "v5e-2x4"),
        ("scheduling.k8s.io/v1, kind: PriorityClass", "normal"),
    ],
)
def test_an_object_that_the_stack_makes_is_refused(kind: str, name: str) -> None:
    stack = with_manifest(f"{{apiVersion: {kind}, metadata: {{name: {name}}}}}\n", queue=None)
    plan = stack.add("workloads", **a_platform().platform["workloads"][0]).plan()
    assert [each.says for each in judge(plan) if each.rule == "manifest-objects-differ"] == [
        f"manifests/run.yaml:1: {kind.rpartition(' ')[2]} {name} is made by the stack itself."
    ]


@pytest.mark.parametrize("amount", [4, "4", "4000m", 4.0, "0.004k"], ids=repr)
def test_chips_are_counted_however_they_are_written(amount: object) -> None:
    container = {"resources": {"limits": {"google.com/tpu": amount}}}
    spec: dict[str, Any] = {"parallelism": 2.0, "template": {"spec": {"containers": [container]}}}
    assert chips_of({"spec": spec}) == 2 * 4
