"""The files of the workflows: sound by actionlint, pinned, and with no more rights than each job needs."""

from __future__ import annotations

import json
import re
import subprocess
from typing import TYPE_CHECKING, Any, Final

import pytest
import yaml

from simulator.toolchain.provision import locate
from simulator.toolchain.tools import find_tool
from tests.tracked import ROOT, tracked

if TYPE_CHECKING:
    from pathlib import Path

FOLDER: Final = ROOT / ".github"
FILES: Final = tracked(".github/workflows/*.yml", ".github/actions/**/action.yml")
WORKFLOWS: Final = [path for path in FILES if path.parent.name == "workflows"]
_PINNED: Final = re.compile(r"uses: [\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+\b")
WRITES: Final = {("pull-request.yml", "comment", "pull-requests"), ("drift.yml", "issue", "issues")}
"""What may be written on GitHub, by which job."""


def read(path: Path) -> dict[str, Any]:
    return yaml.safe_load(path.read_text())


def jobs() -> list[tuple[str, str, dict[str, Any]]]:
    return [(path.name, name, job) for path in WORKFLOWS for name, job in read(path)["jobs"].items()]


def test_actionlint_finds_nothing() -> None:
    binary = locate(["actionlint"]).binary("actionlint")
    # No shellcheck and no pyflakes: whether they are installed must not decide.
    done = subprocess.run(
        [str(binary), "-shellcheck=", "-pyflakes=", *map(str, WORKFLOWS)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_actions_of_others_are_pinned_by_commit_and_say_the_version(path: Path) -> None:
    used = [line for line in path.read_text().splitlines() if "uses:" in line and "uses: ./" not in line]
    assert [line for line in used if _PINNED.search(line) is None] == []


def test_an_action_is_pinned_to_one_commit_everywhere() -> None:
    pins = {pin for path in FILES for pin in re.findall(r"uses: ([\w./-]+@[0-9a-f]{40})", path.read_text())}
    assert len(pins) == len({pin.partition("@")[0] for pin in pins})


def test_the_engine_is_the_pinned_one() -> None:
    text = (FOLDER / "actions/setup/action.yml").read_text()
    assert f"pulumi-version: {find_tool('pulumi').version.removeprefix('v')}\n" in text


def test_no_job_has_a_right_that_it_does_not_state() -> None:
    for path in WORKFLOWS:
        assert read(path)["permissions"] == {}, path.name
    for file, name, job in jobs():
        assert set(job["permissions"]) >= {"contents"}, (file, name)


def test_who_writes_on_github_has_no_credentials_of_the_cloud() -> None:
    writing = {
        (file, name, right)
        for file, name, job in jobs()
        for right, level in job["permissions"].items()
        if level == "write" and right != "id-token"
    }
    assert writing == WRITES
    assert not [name for file, name, job in jobs() if {"id-token"} < set(job["permissions"]) and (file, name) in WRITES]
    for file, name, right in writing:
        assert set(read(FOLDER / "workflows" / file)["jobs"][name]["permissions"]) == {"contents", right}


def test_every_job_with_steps_has_an_end_and_a_checkout_without_its_token_unless_it_writes_on_github() -> None:
    for file, name, job in jobs():
        if "uses" in job:
            continue
        assert job["timeout-minutes"] > 0, (file, name)
        checkouts = [step for step in job["steps"] if step.get("uses", "").startswith("actions/checkout@")]
        runs_no_code = any((file, name) == (of_file, of_job) for of_file, of_job, _ in WRITES)
        wanted = [] if runs_no_code else [False]
        assert [step["with"]["persist-credentials"] for step in checkouts] == wanted, (file, name)


def test_a_job_that_compares_with_the_base_checks_it_out() -> None:
    for file, name, job in jobs():
        steps = job.get("steps", [])
        if any("HEAD^1" in step.get("run", "") for step in steps):
            [checkout] = [step for step in steps if step.get("uses", "").startswith("actions/checkout@")]
            assert checkout["with"].get("fetch-depth") == 2, (file, name)


def test_a_job_downloads_the_folder_that_a_job_before_it_uploads() -> None:
    uploads: dict[tuple[str, str], set[str]] = {}
    downloads: dict[tuple[str, str], str] = {}
    for file, _, job in jobs():
        for step in job.get("steps", []):
            given = step.get("with", {})
            if step.get("uses", "").startswith("actions/upload-artifact@"):
                folders = {line.rpartition("/")[0] for line in given["path"].split("\n") if line}
                uploads.setdefault((file, given["name"]), set()).update(folders)
            if step.get("uses", "").startswith("actions/download-artifact@"):
                downloads[file, given["name"]] = given["path"]
    assert len(downloads) == 3
    assert {artefact: uploads[artefact] for artefact in downloads} == {
        artefact: {folder} for artefact, folder in downloads.items()
    }


def test_code_of_forks_never_runs_with_the_rights_of_this_repository() -> None:
    for path in WORKFLOWS:
        assert "pull_request_target" not in path.read_text()
        assert re.search(r"\bsecrets\b", path.read_text()) is None, path.name
    requested = read(FOLDER / "workflows/pull-request.yml")["jobs"]
    own = "github.event.pull_request.head.repo.full_name == github.repository"
    assert requested["preview"]["if"] == own
    assert requested["simulate"]["if"] == own.replace("==", "!=")
    assert requested["simulate"]["permissions"] == {"contents": "read"}


def test_nothing_that_others_wrote_is_pasted_into_a_command() -> None:
    steps = [(file, step) for file, _, job in jobs() for step in job.get("steps", [])]
    steps += [
        (path.parent.name, step) for path in FILES if path not in WORKFLOWS for step in read(path)["runs"]["steps"]
    ]
    commands = [(where, step["run"]) for where, step in steps if "run" in step]
    assert {where for where, _ in commands} >= {"pull-request.yml", "drift.yml", "setup"}
    assert [(where, command) for where, command in commands if "${{" in command] == []


def test_an_update_is_approved_and_never_broken_off() -> None:
    deploy = read(FOLDER / "workflows/deploy.yml")["jobs"]["deploy"]
    assert deploy["concurrency"] == {"group": "deploy-${{ matrix.environment }}", "cancel-in-progress": False}
    up = read(FOLDER / "workflows/deploy-environment.yml")["jobs"]["up"]
    assert (up["environment"], up["needs"]) == ("${{ inputs.environment }}", "plan")


def test_every_environment_has_a_stack_file_and_a_configuration_of_the_policies() -> None:
    environments = json.loads((FOLDER / "environments.json").read_text())
    assert environments
    for each in environments:
        assert (ROOT / f"Pulumi.{each}.yaml").exists()
        assert (ROOT / f"policies/config/all.{each}.json").exists()
