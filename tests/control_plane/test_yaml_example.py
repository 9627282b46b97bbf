"""examples/yaml: a program in Pulumi YAML that adds slices, a queue and a workload to somebody else's cluster."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Final

import pytest

from components.kubeapi.documents import Document, entries, is_true, section
from components.kubeapi.jobs import WORKLOADS, is_finished
from components.kubeapi.owners import JOBSETS
from tests.docs.covering import outputs
from tests.docs.shown import missing_line
from tests.eventually import eventually
from tests.harness import Simulator
from tests.tracked import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from components.kubeapi import Api

STACK: Final = "dev"
EXAMPLE: Final = ROOT / "examples" / "yaml"
_NAMESPACE: Final = "vision"


@pytest.fixture(scope="module")
def owner(simulator: Simulator) -> Simulator:
    """Whoever owns the cluster, which is up as the stack `dev` has it."""
    simulator.up(STACK)
    return simulator


@pytest.fixture
def example(simulator: Simulator) -> Simulator:
    """Whoever adds to it."""
    return Simulator(simulator.home, EXAMPLE)


def _added(api: Api, path: str) -> list[Document]:
    """The objects of a kind in the namespace that the example adds."""
    return [each for each in api.items(path) if each["metadata"]["namespace"] == _NAMESPACE]


def _only(api: Api, path: str) -> Document:
    """The one of a kind that has one."""
    (found,) = _added(api, path)
    return found


def _refused(example: Simulator, *settings: str) -> str:
    """What a preview with other settings says, which must fail."""
    arguments = [argument for setting in settings for argument in ("--config", setting)]
    done = example.pulumi("preview", "--stack", STACK, *arguments, code=None)
    assert done.code != 0, done.text
    return done.text


def test_a_cluster_that_is_not_there_is_named_in_a_line(simulator: Simulator, tmp_path: Path) -> None:
    program = (
        (EXAMPLE / "Pulumi.yaml")
        .read_text(encoding="utf-8")
        .replace("../../components/package", str(ROOT / "components" / "package"))
    )
    (tmp_path / "Pulumi.yaml").write_text(program.replace("    name: dev\n", "    name: gone\n"), encoding="utf-8")
    shutil.copy(EXAMPLE / f"Pulumi.{STACK}.yaml", tmp_path)
    done = Simulator(simulator.home, tmp_path).pulumi("preview", "--stack", STACK, code=None)
    assert done.code != 0
    assert "queues: cluster.name: tpu-sandbox has no cluster gone in us-south1." in done.text
    assert 'File "' not in done.text


def test_the_example_runs_in_a_cluster_that_another_stack_made(owner: Simulator, example: Simulator) -> None:
    told = _refused(example, "topology=3x4")
    (shown,) = outputs("examples/yaml/README.md")
    assert missing_line(shown.text, told) is None, told
    assert "Traceback" not in told

    example.up(STACK)
    api = owner.api()
    run = eventually(lambda: _only(api, JOBSETS), is_finished, what="the JobSet has finished", seconds=180)
    assert is_true(run, "Completed")
    workload = _only(api, WORKLOADS)
    assert section(workload, "spec")["queueName"] == _NAMESPACE
    (assigned,) = entries(workload, "status", "admission", "podSetAssignments")
    assert assigned["flavors"] == {"google.com/tpu": "v5e-large"}
    assert example.outputs(STACK) == {
        "chips": {"vision": {"v5e-large": 16}},
        "pools": ["v5e-large1"],
        "submitTo": [{"name": "vision", "namespace": "vision"}],
        "workload": "vision/train",
    }

    again = example.up(STACK, "--expect-no-changes")
    assert "17 unchanged" in again.text

    example.pulumi("destroy", "--yes", "--skip-preview", "--stack", STACK)
    assert example.state(STACK)["deployment"].get("resources", []) == []
    assert _added(api, JOBSETS) == []
    owner.pulumi("preview", "--stack", STACK, "--expect-no-changes")
