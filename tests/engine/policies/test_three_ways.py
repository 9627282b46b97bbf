"""One broken platform, told three ways: by the program, by the policy pack over another program, and by lint.

The platform stands in `three_ways/` in each form that a way reads, by hand: a stack file, resources as Pulumi has them,
Kubernetes objects, and what gcloud prints. A case changes one value, in every form that holds it.
"""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import pytest

from components.model.rule import Family
from policies.lint.__main__ import main as lint
from policies.objects.ledger_rules import LEDGER_RULES
from tests.engine.policies.conftest import Lab
from tests.harness import Simulator, project_with
from tests.tracked import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

FOLDER: Final = Path(__file__).parent / "three_ways"
STACK, CLOUD, OBJECTS, CLUSTER, POOLS, SHARES = FORMS = (
    "stack.yaml", "cloud.yaml", "objects.yaml", "cluster.json", "pools.json", "shares.json",
)  # fmt: skip
NAME: Final = "lab"
PROJECT: Final = "name: foreign\nruntime: {name: python, options: {toolchain: pip, virtualenv: .venv}}\n"
_SIGNED: Final = re.compile(r"^ *\[([a-z0-9-]+)\] \S", re.MULTILINE)
"""The last line of each finding in the program's report: its rule, and the source of the fact."""


class Broken(NamedTuple):
    """A rule, and what breaks it: by form a passage, and what stands there instead."""

    rule: str
    edits: Mapping[str, tuple[str, str]]


SUBJECTS: Final = {
    "topology and pool shape": Broken(
        "topology-exists",
        {
            STACK: ("ct5lp-hightpu-4t, topology: 2x4, zone", "ct5lp-hightpu-4t, topology: 3x4, zone"),
            CLOUD: ("tpuTopology: 2x4", "tpuTopology: 3x4"),
            POOLS: ('"tpuTopology": "2x4"', '"tpuTopology": "3x4"'),
        },
    ),
    "consumption modes": Broken(
        "run-time-in-bounds",
        {
            STACK: ("max_run_seconds: 86400", "max_run_seconds: 864000"),
            CLOUD: ("maxRunDuration: 86400s", "maxRunDuration: 864000s"),
            POOLS: ('"maxRunDuration": "86400s"', '"maxRunDuration": "864000s"'),
        },
    ),
    "versions": Broken(
        "version-floor",
        {
            STACK: ("minimum_version: 1.33", "minimum_version: 1.32"),
            CLOUD: ("minMasterVersion: 1.33", "minMasterVersion: 1.32"),
            CLUSTER: ('"currentMasterVersion": "1.33', '"currentMasterVersion": "1.32'),
        },
    ),
    "quota and budgets": Broken(
        "quota-within-pools",
        {STACK: ("chips: 16", "chips: 24"), OBJECTS: ("nominalQuota: 16", "nominalQuota: 24")},
    ),
    "Kueue objects": Broken(
        "lend-within-quota",
        {STACK: ("lend: 16", "lend: 24"), OBJECTS: ("lendingLimit: 16", "lendingLimit: 24")},
    ),
    "workloads": Broken(
        "workload-can-ever-fit",
        {
            STACK: ("flavor: v5e\n        slices: 2", "flavor: v5e\n        slices: 3"),
            OBJECTS: ("replicas: 2", "replicas: 3"),
        },
    ),
    "storage": Broken(
        "share-fits-tier",
        {
            STACK: ("capacity_gib: 1024", "capacity_gib: 1100"),
            CLOUD: ("capacityGb: 1024", "capacityGb: 1100"),
            SHARES: ('"capacityGb": "1024"', '"capacityGb": "1100"'),
        },
    ),
    "guardrails": Broken(
        "authorized-networks-restrict",
        dict.fromkeys((STACK, CLOUD, CLUSTER), ("10.200.0.0/16", "0.0.0.0/0")),
    ),
}
"""A case of each subject that rules have."""
CASES: Final = {"nothing": Broken("", {}), **SUBJECTS}


def _text(form: str, case: Broken) -> str:
    """The broken platform in one form."""
    text = (FOLDER / form).read_text(encoding="utf-8")
    if form not in case.edits:
        return text
    old, new = case.edits[form]
    assert old in text, f"{form}: {old}"
    return text.replace(old, new, 1)


def _wanted(case: Broken) -> set[str]:
    return {case.rule} - {""}


@pytest.fixture
def linted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., set[str]]:
    """Rules whose errors lint reports for files with some forms of a case; their warnings are none of ours."""

    def found(case: Broken, *forms: str) -> set[str]:
        for form in forms:
            (tmp_path / form).write_text(_text(form, case))
        code = lint(["--format", "json", *(str(tmp_path / form) for form in forms)])
        findings = json.loads(capsys.readouterr().out)["findings"]
        errors = {each["rule"] for each in findings if each["severity"] == "error"}
        assert code == bool(errors)
        return errors

    return found


@pytest.fixture(scope="module")
def foreign(simulator: Simulator, tmp_path_factory: pytest.TempPathFactory) -> Lab:
    """A program that registers what files beside it say."""
    project = tmp_path_factory.mktemp("three_ways") / "project"
    project.mkdir()
    shutil.copyfile(FOLDER / "program.py", project / "__main__.py")
    (project / "Pulumi.yaml").write_text(PROJECT)
    (project / ".venv").symlink_to(ROOT / ".venv")
    (project / f"Pulumi.{NAME}.yaml").write_text("config:\n  gcp:project: tpu-sandbox\n")
    return Lab(Simulator(simulator.home, project), project.parent)


@pytest.mark.parametrize("subject", CASES)
def test_the_program_says_it(simulator: Simulator, tmp_path: Path, subject: str) -> None:
    case = CASES[subject]
    project = project_with(tmp_path / "project", {NAME: _text(STACK, case)})
    done = Simulator(simulator.home, project).pulumi("preview", "--stack", NAME, code=None)
    assert (done.code != 0) == bool(case.rule)
    assert set(_SIGNED.findall(done.text)) == _wanted(case)


@pytest.mark.parametrize("subject", CASES)
def test_the_pack_says_it_at_the_first_preview_of_another_program(foreign: Lab, subject: str) -> None:
    case = CASES[subject]
    for form in (CLOUD, OBJECTS):
        (foreign.simulator.project / form).write_text(_text(form, case))
    judged = foreign.preview(NAME)
    assert (judged.done.code != 0) == bool(case.rule)
    assert {each.policy for each in judged.violations if each.level == "mandatory"} == _wanted(case)


@pytest.mark.parametrize("subject", CASES)
def test_lint_says_it_of_the_stack_file(linted: Callable[..., set[str]], subject: str) -> None:
    case = CASES[subject]
    assert linted(case, STACK) == _wanted(case)


@pytest.mark.parametrize("subject", CASES)
def test_lint_says_it_of_manifests_and_of_what_gcloud_prints(linted: Callable[..., set[str]], subject: str) -> None:
    case = CASES[subject]
    assert linted(case, OBJECTS, CLUSTER, POOLS, SHARES) == _wanted(case)


def test_every_pack_has_a_case() -> None:
    family = {each.id: each.family for each in LEDGER_RULES}
    assert {family[case.rule] for case in SUBJECTS.values()} == set(Family)


@pytest.mark.parametrize("subject", SUBJECTS)
def test_a_case_breaks_every_way(subject: str) -> None:
    edited = SUBJECTS[subject].edits.keys()
    assert STACK in edited
    assert edited & {CLOUD, OBJECTS}
    assert edited & {OBJECTS, CLUSTER, POOLS, SHARES}
