"""`tpu up` and the like: which steps they run, and when they stop."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from policies.lint.__main__ import main as lint
from tpu import stacks
from tpu.stacks import main, steps

if TYPE_CHECKING:
    from collections.abc import Sequence


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A Pulumi project without stack files, in which commands are run."""
    (tmp_path / "Pulumi.yaml").write_text("name: tpu-platform\nruntime: python\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _ran(monkeypatch: pytest.MonkeyPatch, codes: Sequence[int], *words: str) -> tuple[int, list[list[str]]]:
    """The exit code of the command, and its steps, which end with these codes."""
    ran: list[list[str]] = []

    def ignore(*_: object) -> None:
        """Doubles the choice of what a signal does: the test keeps its own."""

    def call(command: list[str]) -> int:
        ran.append(command)
        return codes[len(ran) - 1]

    monkeypatch.setattr(stacks.signal, "signal", ignore)
    monkeypatch.setattr(stacks.subprocess, "call", call)
    return main(words), ran


def test_up_builds_brings_up_follows_and_shows_results(monkeypatch: pytest.MonkeyPatch) -> None:
    code, ran = _ran(monkeypatch, [0, 0, 0, 0], "up", "multislice", "--speed", "10")
    assert code == 0
    inside, page = "simulator exec --speed 10 --", "build/timeline/multislice.html"
    assert [" ".join(each[1:]) for each in ran] == [
        "-m simulator.toolchain build",
        f"-m {inside} pulumi up --yes --suppress-outputs --stack multislice",
        f"-m {inside} python -m tpu.watch --stack multislice --until-settled --page {page}",
        "-m simulator files output --stack multislice",
    ]
    assert {each[0] for each in ran} == {sys.executable}


def test_up_begins_the_scenario_of_a_stack_that_has_one(monkeypatch: pytest.MonkeyPatch) -> None:
    _, ran = _ran(monkeypatch, [0] * 5, "up", "training")
    assert [" ".join(each[1:]) for each in ran][:2] == [
        "-m simulator.toolchain build",
        "-m simulator scenario training",
    ]


_UNREADABLE = {
    # a stack file that Pulumi refuses before the program runs, and what lint says of it
    "a tab": ("config:\n\ta: b\n", "Pulumi.x.yaml:2:1: found character that cannot start any token."),
    "an unknown anchor": ("config: *a\n", "Pulumi.x.yaml:1:9: found undefined alias."),
    "an anchor within itself": ("config: &a {b: *a}\n", "Pulumi.x.yaml:1:9: an anchor contains itself."),
    "a key twice": ("config: {}\nconfig: {}\n", 'Pulumi.x.yaml:2:1: the key "config" appears twice.'),
    "deep nesting": (f"a: {'[' * 5000}", "Pulumi.x.yaml:1:103: values are nested more than 100 levels deep."),
    "a list": ("- config\n", "Pulumi.x.yaml:1:1: this is a list; a mapping belongs here."),
    "a list of values": ("config: [a]\n", "Pulumi.x.yaml:1:1: config: this is a list; a mapping belongs here."),
    "a list for the platform": (
        "config:\n  gcp:project: tpu-sandbox\n  tpu-platform:platform: [a]\n",
        "Pulumi.x.yaml:3:26: this is a list; a mapping belongs here.",
    ),
    "UTF-16": ("config:\n".encode("utf-16"), "Pulumi.x.yaml:1:1: it is UTF-16, and must be UTF-8."),
    "Latin-1": (b"config: \xfc\n", "Pulumi.x.yaml:1:9: byte 0xfc is not UTF-8."),
}


@pytest.mark.parametrize("command", ["up", "preview"])
@pytest.mark.parametrize(("content", "told"), _UNREADABLE.values(), ids=_UNREADABLE)
def test_a_file_that_pulumi_refuses_is_told_with_its_line(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    project: Path,
    command: str,
    content: str | bytes,
    told: str,
) -> None:
    (project / "Pulumi.x.yaml").write_bytes(content.encode() if isinstance(content, str) else content)
    assert _ran(monkeypatch, [], command, "org/tpu-platform/x") == (1, [])
    lines = capsys.readouterr().err.splitlines()
    assert (lines[0], lines[-1]) == (told, "1 error; nothing was changed.")
    assert lint(["Pulumi.x.yaml"]) == 1
    assert capsys.readouterr().out.splitlines()[0] == told


@pytest.mark.parametrize("text", ["", "config: {}\n", "environment: [team]\n", "config:\n  platform: {}\n"])
def test_what_the_program_says_is_left_to_it(monkeypatch: pytest.MonkeyPatch, project: Path, text: str) -> None:
    (project / "Pulumi.x.yaml").write_text(text)
    assert _ran(monkeypatch, [0, 0], "preview", "x")[0] == 0


@pytest.mark.parametrize("command", ["up", "preview"])
def test_a_name_with_a_typo_is_told_with_the_nearest_and_starts_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], project: Path, command: str
) -> None:
    for stack in ("dev", "prod"):
        (project / f"Pulumi.{stack}.yaml").write_text("config: {}\n")
    assert _ran(monkeypatch, [], command, "devv") == (1, [])
    assert capsys.readouterr().err.splitlines() == [
        "Pulumi.devv.yaml does not exist, so nothing was started.",
        "  Did you mean dev? The stack files beside it are those of dev and prod.",
    ]


def test_in_a_subfolder_the_command_works_in_the_checkout_above(monkeypatch: pytest.MonkeyPatch, project: Path) -> None:
    (project / "Pulumi.dev.yaml").write_text("config: {}\n")
    (project / "docs").mkdir()
    monkeypatch.chdir(project / "docs")
    assert _ran(monkeypatch, [0, 0], "preview", "dev")[0] == 0
    assert Path.cwd() == project


@pytest.mark.parametrize("command", ["up", "preview", "destroy", "recover"])
def test_outside_of_a_checkout_nothing_is_started(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path, command: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert _ran(monkeypatch, [], command, "dev") == (1, [])
    assert f"tpu {command}: neither {tmp_path} nor a folder above it has a Pulumi.yaml" in capsys.readouterr().err


@pytest.mark.parametrize(("code", "told"), [(3, 3), (-2, 130)])
def test_a_step_that_fails_is_the_last(monkeypatch: pytest.MonkeyPatch, code: int, told: int) -> None:
    ended, ran = _ran(monkeypatch, [0, code], "up")
    assert (ended, len(ran)) == (told, 2)


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("preview", "tpu.previewed --stack dev"),
        ("destroy", "simulator exec -- pulumi destroy --yes --stack dev"),
        ("recover", "simulator recover --stack dev"),
    ],
)
def test_the_others_have_one_step_after_the_tools(command: str, words: str) -> None:
    assert [" ".join(step) for step in steps(command, "dev", None)] == ["simulator.toolchain build", words]


def test_a_preview_shows_every_property_where_it_is_asked_to(monkeypatch: pytest.MonkeyPatch) -> None:
    _, ran = _ran(monkeypatch, [0, 0], "preview", "dev", "--diff")
    assert ran[1][1:] == [
        "-m",
        "simulator",
        "exec",
        "--",
        "pulumi",
        "preview",
        "--diff",
        "--suppress-outputs",
        "--stack",
        "dev",
    ]
