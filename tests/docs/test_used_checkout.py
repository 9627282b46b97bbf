"""The tests of the project hold in a checkout that somebody works in, and see that it is one."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Final

import pytest

from tests.docs.blocks import blocks
from tests.docs.walk import copy_of_the_project
from tests.harness import OF_MAKE
from tests.tracked import staged

if TYPE_CHECKING:
    from pathlib import Path

_AFFECTED: Final = (
    "tests/docs/test_links.py",
    "tests/docs/test_snippets.py",
    "tests/model/test_rules.py::test_a_committed_stack_is_told_no_more_than_is_known",
    "tests/outputs/test_reader.py::test_everything_is_read_as_it_was_written",
    "tests/policies/test_own_stacks.py::test_what_a_committed_stack_registers_breaks_no_rule[dev]",
    "tests/policies/test_settings.py",
    "tests/test_house_rules.py::test_the_program_knows_only_the_cloud",
)
"""Tests of stack files, documents and configurations: each failed once for what lay in the folder beside them."""
_LEFTOVERS: Final = {
    "build/report/dev.md": "[what ends](gone.md)\n",
    "build/adopt/exported.json": "{}\n",
    ".simulator/notes.md": "[gone](gone.md)\n",
    "components/gone/__pycache__/gone.cpython-311.pyc": "",
    "docs/draft.md": "# Draft\n\n`make nothing` and [gone](gone.md)\n",
    "notes.md": "`components/gone.py`\n",
    "output/report.md": "[gone](gone.md)\n",
    "Pulumi.mine.yaml": "config: [\n",
}
"""What commands leave, what another branch had, and notes of somebody's own."""


@pytest.fixture(scope="module")
def used(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout after report and adopt, with an environment made as the page says, and another `dev`."""
    folder = copy_of_the_project(tmp_path_factory.mktemp("used"))
    _git(folder, "init", "--quiet")
    _git(folder, "add", "--all")
    for name, text in _LEFTOVERS.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    making = next(block for block in blocks("docs/environments.md") if "> Pulumi.staging.yaml" in block.text)
    subprocess.run(["/bin/sh", "-ec", making.text], cwd=folder, check=True)
    dev = folder / "Pulumi.dev.yaml"
    edited = re.sub(r"^ *#.*\n", "", dev.read_text(), flags=re.MULTILINE)
    for old, new in (
        ("slices: 2, machine_type: ct5lp", "slices: 3, machine_type: ct5lp"),
        ("name: sweep", "name: mine"),
    ):
        assert edited.count(old) == 1, old
        edited = edited.replace(old, new)
    dev.write_text(edited)
    return folder


def _git(folder: Path, *words: str) -> None:
    git = shutil.which("git")
    assert git is not None
    subprocess.run([git, *words], cwd=folder, check=True)


def test_the_page_makes_an_environment_of_its_own_with_the_same_images(used: Path) -> None:
    made = (used / "Pulumi.staging.yaml").read_text()
    images = re.compile(r"us-docker\S+")
    assert images.findall(made) == images.findall(staged("Pulumi.dev.yaml")) != []
    assert re.findall(r"[^.]\bdev\b", made) == []


def test_the_environment_is_held_against_its_own_settings_and_told_so(used: Path) -> None:
    make = shutil.which("make")
    assert make is not None
    variables = {name: value for name, value in os.environ.items() if name not in OF_MAKE}
    command = [make, "--dry-run", "policies", "STACK=staging"]
    said = subprocess.run(command, cwd=used, env=variables, capture_output=True, text=True, check=True).stdout
    assert 'echo "the limits of the environment are in policies/config/all.staging.json"' in said
    assert "--policy-pack-config policies/config/all.staging.json" in said


def test_the_tests_hold_in_a_checkout_that_somebody_works_in(used: Path) -> None:
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:xdist", *_AFFECTED]
    variables = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "PYTEST_"))}
    done = subprocess.run(
        command, cwd=used, env={**variables, "PYTHONPATH": str(used)}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    told = "stack files with changes that are not staged, and so not tested: Pulumi.dev.yaml\n"
    assert told in done.stdout
