"""The old places of commands: each is a link that says what to type, and runs the command of today."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.tracked import ROOT, tracked
from tpu.moved import MOVED


def test_each_old_place_is_a_link_and_nothing_else() -> None:
    links = [path for path in tracked("*.py", "components/*.py") if path.is_symlink()]
    assert {path.resolve() for path in links} == {ROOT / "tpu" / "moved.py"}
    assert sorted(str(path.relative_to(ROOT).with_suffix("")).replace("/", ".") for path in links) == sorted(MOVED)


@pytest.mark.parametrize("name", MOVED)
def test_the_old_name_says_the_new_one_and_runs_it(name: str) -> None:
    command = [sys.executable, "-m", name, "--help"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    told = MOVED[name][1]
    assert (done.returncode, done.stderr) == (0, f"python -m {name} has moved; type {told}\n")
    assert done.stdout.startswith(f"usage: {told.partition(',')[0]} ")
