"""`tpu outputs`: what a stack exports, by path for people and as JSON for programs."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Final

import pytest

from tpu.outputs import main

if TYPE_CHECKING:
    from pathlib import Path

_OUTPUTS: Final[dict[str, object]] = {
    "project": "sandbox",
    "kubeconfig": "apiVersion: v1\nkind: Config\n",
    "queues": [{"name": "research", "quota": {"v5e": 8}}, {"name": "applied", "quota": {}}],
}


@pytest.fixture(autouse=True)
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What the double of pulumi on PATH is asked; it has one stack, dev."""
    (tmp_path / "outputs").write_text(json.dumps(_OUTPUTS))
    path = tmp_path / "bin" / "pulumi"
    path.parent.mkdir()
    refuse = 'case "$*" in *"--stack dev") ;; *) echo "error: no stack" >&2; exit 255;; esac'
    path.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/asked\n{refuse}\ncat {tmp_path}/outputs\n')
    path.chmod(0o755)
    monkeypatch.setenv("PATH", str(path.parent), prepend=os.pathsep)
    return tmp_path / "asked"


def test_outputs_are_shown_by_their_paths(asked: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    assert asked.read_text() == "stack output --json --stack dev\n"
    assert capsys.readouterr().out.splitlines() == [
        "project              sandbox",
        "kubeconfig           (2 lines: tpu outputs kubeconfig)",
        "queues[0].name       research",
        "queues[0].quota.v5e  8",
        "queues[1].name       applied",
    ]


def test_one_output_is_printed_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["kubeconfig"]) == 0
    assert capsys.readouterr().out == _OUTPUTS["kubeconfig"]
    assert main(["queues"]) == 0
    assert capsys.readouterr().out.startswith("[0].name       research\n")


@pytest.mark.parametrize(("words", "value"), [((), _OUTPUTS), (("queues",), _OUTPUTS["queues"])])
def test_programs_read_json(capsys: pytest.CaptureFixture[str], words: tuple[str, ...], value: object) -> None:
    assert main([*words, "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == value


def test_what_is_not_there_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["queue"]) == 1
    told = "outputs: stack dev has no output named queue; it has project, kubeconfig, queues\n"
    assert capsys.readouterr() == ("", told)
    assert main(["--stack", "none"]) == 1
    assert capsys.readouterr() == ("", "outputs: stack none: error: no stack\n")
