"""`tpu whatif` from its command line: the question of the documents, other ones, and what is refused."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, Final

import pytest
import yaml

from operations.watch.record import CLUSTER_QUEUES, LOCAL_QUEUES, WORKLOADS
from rehearsal.platform import configuration_of, objects_of
from rehearsal.whatif.__main__ import main
from simulator.clusters.pki import write_cluster_files
from tests.kubeapi.server import Answer, FakeApiServer, listed
from tests.rehearsal.platforms import named
from tests.stacks import committed_plan, stack_file
from tests.tracked import ROOT
from toolchain.tools import REHEARSE

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path

    from kubeapi.documents import Document

_EXAMPLES: Final = ROOT / "examples" / "whatif"
_TRAIN: Final = str(_EXAMPLES / "train.yaml")
_LISTED: Final = ("--workloads", str(_EXAMPLES / "workloads.json"), "--now", "2026-11-25T08:00:00Z")
_KUEUE: Final = "/apis/kueue.x-k8s.io/v1beta2"
_PLURALS: Final = {
    "ResourceFlavor": f"{_KUEUE}/resourceflavors",
    "ClusterQueue": CLUSTER_QUEUES,
    "LocalQueue": LOCAL_QUEUES,
    "Cohort": f"{_KUEUE}/cohorts",
    "WorkloadPriorityClass": f"{_KUEUE}/workloadpriorityclasses",
    "AdmissionCheck": f"{_KUEUE}/admissionchecks",
}
_CONFIG_MAPS: Final = "/api/v1/namespaces/kueue-system/configmaps"
_PRIORITIES: Final = "/apis/scheduling.k8s.io/v1/priorityclasses"


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Path) -> None:
    """A folder with the stack files that tests name."""
    del command  # it is built
    monkeypatch.chdir(tmp_path)
    for stack in ("dev", "training"):
        (tmp_path / f"Pulumi.{stack}.yaml").write_text(stack_file(stack))


@pytest.fixture
def ask(capsys: pytest.CaptureFixture[str]) -> Callable[..., dict[str, Any]]:
    """Answers about the job of the example, in the stack `dev`, as data."""

    def asked(*words: str, job: str = _TRAIN, where: tuple[str, ...] = ("--stack", "dev")) -> dict[str, Any]:
        capsys.readouterr()
        assert main([job, *where, *words, "--format", "json"]) == 0, capsys.readouterr().err
        return json.loads(capsys.readouterr().out)

    return asked


@pytest.fixture
def refused(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """What is said of a question that has no answer."""

    def refusal(*words: str) -> str:
        assert main(list(words)) == 1
        out, err = capsys.readouterr()
        assert out == ""
        assert err.startswith("whatif: ")
        return err

    return refusal


def _edited(folder: Path, edit: Callable[[Document], object]) -> str:
    """The job of the example with an edit, in a file."""
    document: Document = yaml.safe_load((_EXAMPLES / "train.yaml").read_text())
    edit(document)
    (folder / "job.yaml").write_text(yaml.safe_dump(document))
    return "job.yaml"


def _variants(answer: dict[str, Any]) -> dict[tuple[str, int], dict[str, Any]]:
    return {(each["priorityClass"], each["slices"]): each for each in (answer["asked"], *answer["variants"])}


def _span(variant: dict[str, Any]) -> tuple[int | None, int | None]:
    return variant["shortest"]["admitted"], variant["longest"]["admitted"]


def _evicts(variant: dict[str, Any]) -> list[str]:
    return sorted({each["name"] for case in ("shortest", "longest") for each in variant[case]["evicts"]})


def test_a_job_waits_for_a_limit_and_its_variants_for_less(ask: Callable[..., dict[str, Any]]) -> None:
    answer = ask(*_LISTED, "--runtime", "4h")
    assert answer["answer"] == "admitted at once to 3 h in v5e, evicts 1 job"
    assert (answer["asked"]["chips"], answer["asked"]["slices"]) == (16, 2)
    found = _variants(answer)
    assert list(found) == [
        (name, slices) for name in ("normal", "urgent", "idle") for slices in (2, 1)
    ] or set(found) == {(name, slices) for name in ("normal", "urgent", "idle") for slices in (2, 1)}
    assert _evicts(found["normal", 2]) == ["sweep"]
    assert _evicts(found["urgent", 2]) == ["distill"]


def test_the_text_says_the_answer_first_and_what_it_is_based_on(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([_TRAIN, "--stack", "dev", *_LISTED, "--runtime", "4h"]) == 0
    out = capsys.readouterr().out
    print(out)
    assert out.startswith("admitted")
