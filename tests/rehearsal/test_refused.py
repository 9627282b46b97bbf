"""Input that the command refuses, with one clear error and no output."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import ValidationError

from tests.rehearsal.platforms import asked, cluster_queue, local_queue, named, queues, rehearsal, workload
from tpu.rehearsal.document import Entry
from tpu.rehearsal.running import FORMAT, RehearsalError, read, rehearse, run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Document = dict[str, Any]


def sound() -> Document:
    return json.loads(
        rehearsal(queues(cluster_queue("a", {"v5e": 8})), [asked("x", "a", 4, at=1), asked("y", "a", 4, at=5)]).text()
    )


def _twice(document: Document) -> None:
    document["workloads"][1]["workload"] = document["workloads"][0]["workload"]


REFUSED: dict[str, tuple[Callable[[Document], object], str]] = {
    "another format": (lambda d: d.update(format="x/9"), 'format is "x/9"; this command reads "tpu-rehearsal-input/1"'),
    "an unknown key": (
        lambda d: d.update(speed=2),
        'keys that the format does not: unknown field "speed"',
    ),
    "no end": (lambda d: d.update(until=0), "until is 0; it must be a number of seconds above 0"),
    "a clock that goes back": (
        lambda d: d["workloads"][1].update(at=0),
        "workloads[1].at is 0 and the Workload before has 1: times must not go back",
    ),
    "a negative run time": (
        lambda d: d["workloads"][0].update(runs=-1),
        "workloads[0].runs is -1; a run time must not be negative",
    ),
    "a time that is not whole": (lambda d: d["workloads"][0].update(at=0.5), "is not whole JSON of this format"),
    "an unknown queue": (
        lambda d: d["workloads"][0]["workload"]["spec"].update(queueName="b"),
        'workloads[0]: spec.queueName is "b", and the namespace default has no such LocalQueue',
    ),
    "a Workload twice": (_twice, "workloads[1]: default/x is there twice"),
    "an unknown priority class": (
        lambda d: d["workloads"][0]["workload"].update(
            spec={
                **{k: v for k, v in d["workloads"][0]["workload"]["spec"].items() if k != "priority"},
                "priorityClassRef": {"group": "kueue.x-k8s.io", "kind": "WorkloadPriorityClass", "name": "gold"},
            }
        ),
        "workloads[0]: spec.priorityClassRef names the WorkloadPriorityClass gold, which is not in the document",
    ),
    "a queue of no ClusterQueue": (
        lambda d: d["objects"].append(local_queue("lost")),
        'LocalQueue default/lost names the ClusterQueue "lost", which is not in the document',
    ),
    "a check that nobody answers": (
        lambda d: d["objects"].append(named("AdmissionCheck", "far", {"controllerName": "kueue.x-k8s.io/multikueue"})),
        "AdmissionCheck far of kueue.x-k8s.io/multikueue: nobody can know when it is ready",
    ),
    "an unknown field": (
        lambda d: d["objects"].append(named("Cohort", "all", {"parent": "root"})),
        'objects[3]: Cohort /all: unknown field "spec.parent"',
    ),
    "a kind that is not read": (
        lambda d: d["objects"].append(named("MultiKueueCluster", "far", {})),
        "objects[3]: MultiKueueCluster /far: a rehearsal does not read this kind",
    ),
    "an older API": (
        lambda d: d["objects"][0].update(apiVersion="kueue.x-k8s.io/v1beta1"),
        'objects[0]: ResourceFlavor /v5e: apiVersion is "kueue.x-k8s.io/v1beta1"',
    ),
    "a quota that Kueue refuses": (
        lambda d: d["objects"].append(cluster_queue("bad", {"v5e": 8}, limits={"borrowingLimit": 1})),
        "borrowingLimit: Invalid value",
    ),
    "a flavor of capacity that is not there": (
        lambda d: d.update(capacity=[{"flavor": "v6e", "resource": "google.com/tpu"}]),
        "capacity[0] names the flavor v6e, and no ResourceFlavor has that name",
    ),
    "a feature gate that Kueue does not have": (
        lambda d: d.update(
            configuration={
                "apiVersion": "config.kueue.x-k8s.io/v1beta2",
                "kind": "Configuration",
                "featureGates": {"Wishes": True},
            }
        ),
        "configuration: ",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_bad_input_is_refused_with_its_place(case: str, command: Path) -> None:
    document = sound()
    edit, text = REFUSED[case]
    edit(document)
    with pytest.raises(RehearsalError) as refused:
        run(json.dumps(document), command)
    assert text in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_truncated_document_is_refused(command: Path) -> None:
    text = json.dumps(sound())
    with pytest.raises(RehearsalError, match=r"the document of \d+ bytes is not whole JSON of this format"):
        run(text[:-20], command)


def test_a_document_of_a_gibibyte_is_refused(command: Path, tmp_path: Path) -> None:
    large = tmp_path / "large"
    with large.open("wb") as file:
        file.truncate(1 << 30)
    done = subprocess.run([command, large], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "rehearse: the document is larger than 128 MiB\n"


def test_the_types_refuse_what_no_document_may_have() -> None:
    with pytest.raises(ValidationError):
        Entry(workload=workload("x", "a", 1), at=1, runs=-1)


def test_an_output_without_its_end_or_of_another_format_is_refused(command: Path) -> None:
    lines = run(json.dumps(sound()), command).splitlines()
    with pytest.raises(RehearsalError, match="has no end"):
        read(lines[:-1])
    with pytest.raises(RehearsalError, match=FORMAT):
        read([lines[0].replace(FORMAT, "tpu-rehearsal-output/9"), *lines[1:]])


def test_the_outcome_says_which_kueue_decided_and_what_is_not_modelled(command: Path) -> None:
    topology = named("Topology", "racks", {"levels": [{"nodeLabel": "kubernetes.io/hostname"}]})
    platform = [topology, *queues(cluster_queue("a", {"v5e": 8}))]
    outcome = rehearse(rehearsal(platform, [asked("x", "a", 4, at=1)]), command)
    assert outcome.kueue == "v0.19.2"
    assert [each.partition(":")[0] for each in outcome.remarks] == [
        "Nodes and pods are not modelled",
        "Topologies are ignored",
    ]
