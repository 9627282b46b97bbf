"""The command `tpu`: its help, how it finds a command, and its completion."""

from __future__ import annotations

import shlex
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.tracked import ROOT
from tpu.__main__ import overview
from tpu.commands import COMMANDS

if TYPE_CHECKING:
    from pathlib import Path


def _tpu(*words: str, code: int = 0) -> str:
    command = [sys.executable, "-m", "tpu", *words]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == code, done.stderr
    return done.stdout + done.stderr


def test_the_help_fits_a_screen() -> None:
    lines = _tpu("--help").splitlines()
    assert lines == overview().splitlines()
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_a_command_has_its_name_and_an_example(name: str) -> None:
    text = " ".join(_tpu(name, "--help").split())
    assert text.startswith(f"usage: tpu {name} ")
    assert "python -m" not in text
    assert shlex.split(text.partition("Example: tpu ")[2])[0].rstrip(".") == name


def test_a_word_that_is_not_a_command_is_named_with_what_is_meant() -> None:
    assert _tpu("lnit", code=2) == "tpu: lnit is not a command. Did you mean `tpu lint`?\n"
    assert _tpu("xyzzy", code=2) == "tpu: xyzzy is not a command. `tpu --help` lists the commands.\n"
    assert _tpu(code=2) == f"{overview()}\n"


def test_a_command_gets_its_words_and_gives_its_exit_code() -> None:
    assert "nowhere.yaml" in _tpu("lint", "nowhere.yaml", code=2)


@pytest.mark.parametrize("shell", ["bash", "zsh", "tcsh"])
def test_the_completion_knows_every_command_and_its_flags(shell: str) -> None:
    script = _tpu("completion", shell)
    assert [name for name in (*COMMANDS, "until-settled") if name not in script] == []


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("tpu simulator d", ["down"]),
        ("tpu simulator down --d", ["--delete"]),
        ("tpu lint --format s", ["sarif"]),
        ("tpu lint Makef", ["Makefile"]),
    ],
)
def test_bash_completes_commands_flags_values_and_files(tmp_path: Path, typed: str, offered: list[str]) -> None:
    (tmp_path / "completion").write_text(_tpu("completion", "bash"))
    words = shlex.join(typed.split())
    ask = f'COMP_WORDS=({words}); COMP_CWORD={len(typed.split()) - 1}; _shtab_tpu; echo "${{COMPREPLY[@]}}"'
    done = subprocess.run(
        ["/usr/bin/env", "bash", "--norc", "-c", f". {tmp_path}/completion; {ask}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == offered


def test_nothing_is_said_when_the_reader_of_the_output_has_gone() -> None:
    command = [sys.executable, "-m", "tpu", "tools", "list"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as listing:
        assert listing.stdout is not None
        assert listing.stderr is not None
        listing.stdout.close()
        assert listing.stderr.read() == ""
    assert listing.returncode == 141


def test_the_start_of_lint_loads_nothing_that_lint_does_not_use() -> None:
    command = [sys.executable, "-X", "importtime", "-m", "tpu", "lint", "Pulumi.dev.yaml"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=300)
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert {"policies.lint.linting", "tpu.commands"} <= loaded
    assert loaded & {"shtab", "pulumi", "urllib3", "tpu.completion", "tpu.stacks"} == set()
