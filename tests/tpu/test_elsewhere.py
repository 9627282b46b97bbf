"""`tpu` where nothing but its own few packages is installed, outside of the repository; the hook and the action too."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from typing import TYPE_CHECKING, Any, Final

import pytest
import yaml

from tests.lint.given import POOLS
from tests.stacks import stack_file
from tests.tpu.slim import run, slim_site
from tests.tracked import ROOT
from tpu.commands import COMMANDS

if TYPE_CHECKING:
    from pathlib import Path

_HALF: Final = POOLS.replace('"initialNodeCount": 2', '"initialNodeCount": 1')
"""A pool that has not all nodes of its slice."""
_FOUND: Final = "half.json:17:25: "


@pytest.fixture(scope="module")
def tpu(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return slim_site(tmp_path_factory.mktemp("site"))


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A folder with a stack file, sound pools and half a slice."""
    (tmp_path / "Pulumi.dev.yaml").write_text(stack_file("dev"))
    (tmp_path / "pools.json").write_text(POOLS)
    (tmp_path / "half.json").write_text(_HALF)
    return tmp_path


def test_files_of_each_kind_are_checked(tpu: Path, files: Path) -> None:
    sound = run(tpu, "lint", "pools.json", "Pulumi.dev.yaml", folder=files)
    assert (sound.returncode, sound.stderr) == (0, ""), sound.stdout
    assert sound.stdout.endswith("\nnothing found; 4 objects checked in 2 files.\n")
    broken = run(tpu, "lint", "half.json", folder=files)
    assert broken.returncode == 1
    assert broken.stdout.startswith(_FOUND)


@pytest.mark.parametrize("name", [name for name, command in COMMANDS.items() if command.extra is None])
def test_a_command_without_an_extra_starts(tpu: Path, tmp_path: Path, name: str) -> None:
    done = run(tpu, name, "--help", folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"usage: tpu {name} ")


@pytest.mark.parametrize("name", [name for name, command in COMMANDS.items() if command.extra is not None])
def test_a_command_without_its_extra_says_what_to_install(tpu: Path, tmp_path: Path, name: str) -> None:
    done = run(tpu, name, folder=tmp_path)
    assert done.returncode == 2
    assert done.stderr == f"tpu: {name} needs pulumi and cryptography: install tpu-platform[simulator].\n"


def test_help_completion_and_schema_need_no_checkout(tpu: Path, tmp_path: Path) -> None:
    for words, begin in ((("--help",), "usage: tpu COMMAND"), (("completion", "bash"), "#"), (("schema", "-"), "{")):
        done = run(tpu, *words, folder=tmp_path)
        assert (done.returncode, done.stderr) == (0, ""), words
        assert done.stdout.startswith(begin), words


# --- what other repositories use


def test_the_hook_checks_files_together(tpu: Path, files: Path) -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert (hook["id"], hook["language"], hook["require_serial"]) == ("tpu-lint", "python", True)
    program, *words = shlex.split(hook["entry"])
    assert program == tpu.name
    chosen = [name for name in ("Pulumi.yaml", "Pulumi.dev.yaml", "half.json") if not re.search(hook["exclude"], name)]
    assert chosen == ["Pulumi.dev.yaml", "half.json"]
    done = run(tpu, *words, *chosen, folder=files)
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.startswith(_FOUND)


def _action(tpu: Path, folder: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
    """The last step of the action as a runner runs it, with its inputs; what it installs is there already."""
    action: dict[str, Any] = yaml.safe_load((ROOT / ".github/actions/lint/action.yml").read_text())
    installed = folder / "runner" / "tpu-lint" / "bin"
    installed.mkdir(parents=True)
    shutil.copy(tpu, installed)
    given = {name: str(each.get("default", "")) for name, each in action["inputs"].items()} | inputs
    step = action["runs"]["steps"][-1]
    expressions = {f"${{{{ inputs.{name} }}}}": value for name, value in given.items()}
    variables = {name: expressions[value] for name, value in step["env"].items()}
    return subprocess.run(
        ["/usr/bin/env", "bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        cwd=folder,
        env={"PATH": os.defpath, "RUNNER_TEMP": str(folder / "runner"), **variables},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def test_the_action_shows_findings_at_their_lines(tpu: Path, files: Path) -> None:
    done = _action(tpu, files, files="**/half.json Pulumi.*.yaml")
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.startswith("::error file=half.json,line=17,col=25,")


def test_the_action_passes_flags_on(tpu: Path, files: Path) -> None:
    (files / "limits.yaml").write_text("nonsense: 1\n")
    done = _action(tpu, files, files="pools.json", flags="--settings limits.yaml")
    assert done.returncode == 2
    assert "limits.yaml" in done.stderr


def test_the_action_fails_where_no_file_is_meant(tpu: Path, files: Path) -> None:
    assert _action(tpu, files, files="none/*.yaml").returncode == 2


def test_the_action_installs_the_repository_that_it_is_in() -> None:
    action: dict[str, Any] = yaml.safe_load((ROOT / ".github/actions/lint/action.yml").read_text())
    (install,) = [step["run"] for step in action["runs"]["steps"] if step.get("name") == "Install"]
    path = re.search(r'"\$GITHUB_ACTION_PATH/([./]+)"', install)
    assert path is not None
    assert (ROOT / ".github/actions/lint" / path[1]).resolve() == ROOT
