"""`tpu up` and the like: which steps they run, and when they stop."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from tpu import stacks
from tpu.stacks import main, steps

if TYPE_CHECKING:
    from collections.abc import Sequence


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
    inside = "simulator exec --speed 10 --"
    assert [" ".join(each[1:]) for each in ran] == [
        "-m toolchain build",
        f"-m {inside} pulumi up --yes --suppress-outputs --stack multislice",
        f"-m {inside} python -m operations.watch --stack multislice --until-settled",
        "-m simulator files output --stack multislice",
    ]
    assert {each[0] for each in ran} == {sys.executable}


@pytest.mark.parametrize(("code", "told"), [(3, 3), (-2, 130)])
def test_a_step_that_fails_is_the_last(monkeypatch: pytest.MonkeyPatch, code: int, told: int) -> None:
    ended, ran = _ran(monkeypatch, [0, code], "up")
    assert (ended, len(ran)) == (told, 2)


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("preview", "simulator exec -- pulumi preview --diff --suppress-outputs --stack dev"),
        ("destroy", "simulator exec -- pulumi destroy --yes --stack dev"),
        ("recover", "simulator recover --stack dev"),
    ],
)
def test_the_others_have_one_step_after_the_tools(command: str, words: str) -> None:
    assert [" ".join(step) for step in steps(command, "dev", None)] == ["toolchain build", words]
