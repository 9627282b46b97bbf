"""Another team's stack on the running platform `dev`: what it reads, what it is refused, and its run to the end."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any, Final, cast

import pytest
from jsonschema import Draft202012Validator

from components.kubeapi.documents import Document, is_true
from tests.control_plane.life import follow, hurry
from tests.eventually import eventually
from tests.harness import Done, Simulator
from tests.outputs.form import SCHEMA_FILE
from tests.tracked import ROOT

if TYPE_CHECKING:
    from pathlib import Path

EXAMPLE: Final = ROOT / "examples/consumer"
PACKS: Final = (
    *("--policy-pack", str(ROOT / "policies/all")),
    *("--policy-pack-config", str(ROOT / "policies/config/all.dev.json")),
)
STACK: Final = "dev"
RUN: Final = "/apis/jobset.x-k8s.io/v1alpha2/namespaces/applied/jobsets"
_VIRTUALENV: Final = "../../.venv"
_REPUBLISHED: Final = """
import json
import pathlib
import pulumi

for name, value in json.loads(pathlib.Path("outputs.json").read_text()).items():
    pulumi.export(name, value)
"""


@pytest.fixture(scope="module")
def platform(simulator: Simulator) -> Simulator:
    """The platform `dev`, brought up; its own work goes on."""
    hurry(simulator, 30)
    simulator.up(STACK)
    return simulator


@pytest.fixture(scope="module")
def consumer(platform: Simulator) -> Simulator:
    """The other team's project, beside the platform."""
    return Simulator(platform.home, EXAMPLE)


def _project(folder: Path, source: Path, name: str | None = None) -> Path:
    """A copy of a project that may be changed, under another name if one is given."""
    shutil.copytree(source, folder, ignore=shutil.ignore_patterns("__pycache__"))
    text = (folder / "Pulumi.yaml").read_text().replace(_VIRTUALENV, str(ROOT / ".venv"))
    (folder / "Pulumi.yaml").write_text(text if name is None else text.replace("name: evaluation", f"name: {name}"))
    return folder


def _refused(consumer: Simulator, setting: str) -> str:
    """What a preview says that fails with another value of one setting; nothing of it is a trace."""
    done = consumer.pulumi("preview", "--stack", STACK, "--config", f"evaluation:{setting}", code=None)
    assert done.code != 0
    assert "Traceback" not in done.text
    return done.text


def test_the_outputs_of_the_running_platform_keep_the_contract_and_none_is_secret(platform: Simulator) -> None:
    schema = json.loads(SCHEMA_FILE.read_text(encoding="utf-8"))
    cast("Any", Draft202012Validator(schema)).validate(platform.outputs(STACK))
    (root,) = (
        each for each in platform.state(STACK)["deployment"]["resources"] if each["type"] == "pulumi:pulumi:Stack"
    )
    assert "ciphertext" not in json.dumps(root["outputs"])


def test_a_queue_that_there_is_not_is_told_with_those_that_there_are(consumer: Simulator) -> None:
    told = _refused(consumer, "queue=reserach")
    assert "error: organization/tpu-platform/dev: there is no queue reserach. There are: research, applied." in told


def test_a_stack_that_there_is_not_is_told(consumer: Simulator) -> None:
    told = _refused(consumer, "platform=organization/tpu-platform/staging")
    assert "error: organization/tpu-platform/staging: there is no stack of that name in this backend." in told


def test_a_contract_that_is_too_new_is_told_with_what_to_do(
    consumer: Simulator, platform: Simulator, tmp_path: Path
) -> None:
    """The platform's outputs as its program would write them after the next change of the contract."""
    newer = Simulator(platform.home, _project(tmp_path / "newer", EXAMPLE, "newer"))
    (newer.project / "__main__.py").write_text(_REPUBLISHED)
    (newer.project / "Pulumi.dev.yaml").write_text("{}\n")
    (newer.project / "Pulumi.yaml").write_text((newer.project / "Pulumi.yaml").read_text().partition("config:")[0])
    (newer.project / "outputs.json").write_text(json.dumps({**platform.outputs(STACK), "schema_version": 2}))
    newer.pulumi("preview", "--stack", STACK)
    assert "organization/newer/dev: the stack has no outputs" in _refused(consumer, "platform=organization/newer/dev")
    newer.up(STACK)
    told = _refused(consumer, "platform=organization/newer/dev")
    assert "are of version 2 of the contract; this package, tpu-platform-outputs, reads version 1." in told
    assert "Install one whose first number is 2 or more" in told


def test_a_run_that_breaks_a_policy_is_refused_before_it_is_submitted(platform: Simulator, tmp_path: Path) -> None:
    wrong = Simulator(platform.home, _project(tmp_path / "wrong", EXAMPLE))
    program = (wrong.project / "__main__.py").read_text()
    for right, changed in (
        ('"labels": platform.labels(target, priority=priority),', ""),
        ('"annotations": platform.annotations(flavor),', '"annotations": platform.labels(target),'),
        ("dict(flavor.node_labels)", '{**flavor.node_labels, "cloud.google.com/gke-tpu-topology": "3x3"}'),
    ):
        assert right in program
        program = program.replace(right, changed)
    (wrong.project / "__main__.py").write_text(program)
    done = wrong.up(STACK, *PACKS, code=None)
    assert done.code != 0
    assert "[mandatory] [severity: high]  resource-errors" in done.out
    assert "queue-is-a-label-of-the-run: A run names its queue in a label of its own." in done.out
    assert "Move it to metadata.labels of the JobSet: kueue.x-k8s.io/queue-name: applied." in done.out
    assert (
        "selected-slice-exists: Pods select an accelerator, a topology and a number of chips that exist together."
        in done.out
    )
    assert [each["metadata"]["name"] for each in platform.api().items(RUN)] == ["finetune"]


def test_a_run_is_submitted_admitted_by_its_queue_and_completes(consumer: Simulator, platform: Simulator) -> None:
    _assert_only_what_lives_elsewhere_is_open(consumer.up(STACK, *PACKS))
    follow(platform, STACK)
    api = platform.api()
    (run,) = (each for each in api.items(RUN) if each["metadata"]["name"] == "evaluation")
    assert run["status"]["terminalState"] == "Completed"

    def of_the_run() -> Document:
        (found,) = (
            each
            for each in api.items("/apis/kueue.x-k8s.io/v1beta2/namespaces/applied/workloads")
            if each["metadata"]["ownerReferences"][0]["uid"] == run["metadata"]["uid"]
        )
        return found

    workload = eventually(of_the_run, lambda found: is_true(found, "Finished"), what="Kueue knows that it has ended")
    assert is_true(workload, "Admitted")
    assert workload["status"]["admission"]["clusterQueue"] == "applied"
    assert [each["flavors"] for each in workload["status"]["admission"]["podSetAssignments"]] == [
        {"google.com/tpu": "v5e"}
    ]


def _assert_only_what_lives_elsewhere_is_open(done: Done) -> None:
    """The packs let it pass, and say which rules need the objects that the platform's stack has."""
    assert "[mandatory]" not in done.out
    assert (
        "JobSet evaluation refers to LocalQueues, ClusterQueues or ResourceFlavors, and there are none here" in done.out
    )


def test_a_second_update_finds_nothing_to_change(consumer: Simulator) -> None:
    consumer.up(STACK, "--expect-no-changes")
    consumer.pulumi("refresh", "--yes", "--skip-preview", "--expect-no-changes", "--stack", STACK)


def test_the_run_goes_with_its_stack_and_leaves_the_platform_alone(consumer: Simulator, platform: Simulator) -> None:
    consumer.pulumi("destroy", "--yes", "--skip-preview", "--stack", STACK)
    assert [each["metadata"]["name"] for each in platform.api().items(RUN)] == ["finetune"]
    platform.up(STACK, "--expect-no-changes")
