"""A checkout that was copied with its environment, whose scripts run the code of the first folder."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.harness import OF_MAKE
from tests.tracked import ROOT
from tpu.__main__ import copied_environment

_REQUIREMENTS = ("requirements-dev.txt", "requirements-uv.txt", "pyproject.toml")
"""The files that are older than an environment which is up to date."""


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """A checkout with an environment without packages, made as the Makefile makes it."""
    folder = tmp_path / "first one"
    folder.mkdir()
    for name in ("Makefile", *_REQUIREMENTS):
        shutil.copyfile(ROOT / name, folder / name)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", ".venv"], cwd=folder, check=True)
    script = folder / ".venv" / "bin" / "tpu"
    interpreter = script.with_name("python")
    script.write_text(f'#!/bin/sh\nexec "{interpreter}" -c "import sys; print(sys.prefix)"\n')
    script.chmod(0o755)
    (folder / ".venv" / "installed").touch()
    return folder


def _would_do(folder: Path) -> str:
    """What `make venv` would run."""
    make = shutil.which("make")
    assert make is not None
    variables = {name: value for name, value in os.environ.items() if name not in OF_MAKE}
    done = subprocess.run(
        [make, "--dry-run", "venv"], cwd=folder, env=variables, capture_output=True, text=True, check=True
    )
    return done.stdout


def test_make_makes_a_copied_environment_again(made: Path, tmp_path: Path) -> None:
    assert "-m venv" not in _would_do(made)
    copy = tmp_path / "copy"
    shutil.copytree(made, copy, symlinks=True)
    said = _would_do(copy)
    assert f"removing .venv: it is a copy of {made}/.venv and runs the code there" in said
    assert said.index("rm -rf .venv") < said.index("-m venv .venv")


def test_a_link_to_an_environment_is_no_copy(made: Path, tmp_path: Path) -> None:
    linked = tmp_path / "linked"
    linked.mkdir()
    for name in ("Makefile", *_REQUIREMENTS):
        shutil.copy2(made / name, linked / name)
    (linked / ".venv").symlink_to(made / ".venv")
    assert "-m venv" not in _would_do(linked)
    assert copied_environment(linked / ".venv" / "bin" / "tpu", made / ".venv") == ""


def test_the_command_says_that_its_environment_is_a_copy(made: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(made, copy, symlinks=True)
    script = copy / ".venv" / "bin" / "tpu"
    prefix = Path(subprocess.run([script], capture_output=True, text=True, check=True).stdout.strip())
    assert copied_environment(script, prefix) == (
        f"{copy}/.venv is a copy of {made}/.venv and would run the code there. "
        f"Make it again: rm -rf {copy}/.venv; make venv"
    )
    assert copied_environment(made / ".venv" / "bin" / "tpu", prefix) == ""
    assert copied_environment(ROOT / "tpu" / "__main__.py", prefix) == ""
