"""The other team's stack in examples/consumer/: what it declares of the outputs that it reads."""

from __future__ import annotations

from typing import Final

import pytest
import yaml

from platform_outputs import UnknownNameError
from tests.outputs.test_reader import STACK, dev
from tests.program.harness import Run, run_program
from tests.stacks import PROJECT
from tests.tracked import ROOT

EXAMPLE: Final = ROOT / "examples/consumer"


def run_with(**changed: str) -> Run:
    """A run on the outputs of `dev` with other values of some settings; for the harness it is of this project."""
    config = yaml.safe_load((EXAMPLE / "Pulumi.dev.yaml").read_text())["config"]
    given = {key.partition(":")[2]: value for key, value in config.items()}
    settings = {f"{PROJECT}:{key}": value for key, value in {**given, "slices": "1", **changed}.items()}
    return run_program("dev", settings, before=dev(), program=EXAMPLE / "__main__.py")


def test_the_run_says_what_the_outputs_say() -> None:
    run = run_with(slices="2")
    assert run.references == [STACK]
    jobset = run.one("JobSet", "evaluation")
    assert jobset.options["provider"] == "pulumi:providers:kubernetes::dev"
    assert jobset.inputs["metadata"] == {
        "name": "evaluation",
        "namespace": "applied",
        "labels": {"kueue.x-k8s.io/queue-name": "applied", "kueue.x-k8s.io/priority-class": "normal"},
        "annotations": {"alpha.jobset.sigs.k8s.io/exclusive-topology": "cloud.google.com/gke-nodepool"},
    }
    (slices,) = jobset.inputs["spec"]["replicatedJobs"]
    job = slices["template"]["spec"]
    pod = job["template"]["spec"]
    assert (slices["replicas"], job["parallelism"], job["completions"]) == (2, 2, 2)
    assert pod["nodeSelector"] == {
        "cloud.google.com/gke-tpu-accelerator": "tpu-v5-lite-podslice",
        "cloud.google.com/gke-tpu-topology": "2x4",
    }
    assert pod["containers"][0]["resources"]["limits"] == {"google.com/tpu": "4"}
    assert run.outputs == {"chips": 16, "submitted_to": "applied/applied"}


def test_a_run_that_is_declared_differently_is_another_run() -> None:
    options = run_with().one("JobSet", "evaluation").options
    assert options["deleteBeforeReplace"] is True
    assert options["replaceOnChanges"] == ["metadata.annotations", "metadata.labels", "spec"]


@pytest.mark.parametrize("setting", ["queue", "flavor", "priority"])
def test_nothing_is_declared_where_the_platform_has_no_such_name(setting: str) -> None:
    with pytest.raises(UnknownNameError, match=f"there is no {setting} theirs. There are: "):
        run_with(**{setting: "theirs"})
