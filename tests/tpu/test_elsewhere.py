"""`tpu` where nothing but its own few packages is installed, outside of the repository."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from tests.lint.given import POOLS
from tests.stacks import stack_file
from tests.tpu.slim import run, slim_site
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
    assert sound.stdout.endswith("\n1 warning; 4 objects checked in 2 files.\n")
    assert "[control-plane-is-closed]" in sound.stdout
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
