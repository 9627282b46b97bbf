"""What each stack registers is what docs/seeds.yaml expects of it, value by value."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.seeds.mapping import plain, seeds
from tests.seeds.places import NothingThereError, check_command, check_test, steps_of, value_at
from tests.seeds.registered import stack_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.seeds.mapping import Home, Part
    from tests.seeds.registered import Stack

_STACKS = [name for seed in seeds().values() for name in seed.stacks]


def _homes_of(stack: str) -> Iterator[tuple[str, Home, Part | None]]:
    """The rows and claims that have a value in the stack, with what they are about."""
    for number, seed in seeds().items():
        for part, row in seed.rows():
            if row.place and stack in (row.stacks or part.stacks):
                yield f"{number} line {row.line}, {row.element}", row, part
        for claim in seed.claims:
            if claim.place and stack in (claim.stacks or seed.stacks):
                yield f"{number} lines {claim.lines}, {claim.tells}", claim, None


def _difference(stack: Stack, home: Home, part: Part | None) -> str | None:
    """What is otherwise than the row or claim expects; None where nothing is."""
    try:
        whole = stack.whole(home, part)
    except NothingThereError as error:
        return str(error)
    try:
        value = value_at(whole, home.place or "")
    except NothingThereError as error:
        return None if home.absent else str(error)
    if home.absent:
        return f"{home.place} is {value!r}, and should not be there"
    if home.holds is not None:
        return None if home.holds in str(value) else f"{value!r} has no {home.holds!r} in it"
    return None if plain(value) == plain(home.wanted) else f"is {value!r}, and should be {home.wanted!r}"


@pytest.mark.parametrize("stack", _STACKS)
def test_the_stack_has_every_value(stack: str) -> None:
    homes = list(_homes_of(stack))
    assert homes
    there = stack_of(stack)
    found = [(about, _difference(there, home, part)) for about, home, part in homes]
    wrong = "\n".join(f"{about}: {text}" for about, text in found if text)
    assert not wrong, wrong


def test_every_command_exists() -> None:
    commands = {each for seed in seeds().values() for home in seed.homes() for each in home.command}
    commands |= {each for seed in seeds().values() for each in seed.run}
    assert _missing(commands, check_command) == []


def test_every_test_exists() -> None:
    tests = {each for seed in seeds().values() for home in seed.homes() for each in home.test}
    assert _missing(tests, check_test) == []


def _missing(names: set[str], check: Callable[[str], None]) -> list[str]:
    missing: list[str] = []
    for name in sorted(names):
        try:
            check(name)
        except NothingThereError as error:
            missing.append(str(error))
    return missing


@pytest.mark.parametrize(
    ("path", "steps"),
    [
        ("a", ["a"]),
        ("a.b[0].c", ["a", "b", 0, "c"]),
        ("limits[google.com/tpu]", ["limits", "google.com/tpu"]),
        ("tpu-platform:platform.cluster", ["tpu-platform:platform", "cluster"]),
    ],
)
def test_a_path_has_steps(path: str, steps: list[str | int]) -> None:
    assert steps_of(path) == steps


@pytest.mark.parametrize(("path", "text"), [("a[2]", "nothing at 2"), ("a.b", "nothing at b"), ("c", "nothing at c")])
def test_a_path_that_leads_nowhere_says_where_it_ends(path: str, text: str) -> None:
    with pytest.raises(NothingThereError, match=text):
        value_at({"a": [1, 2]}, path)


@pytest.mark.parametrize(
    "command",
    [
        "make nothing",
        "make up PLACE=here",
        "python -m nothing",
        "tpu timeline --nowhere",
        "kubectl get pods",
    ],
)
def test_a_command_that_is_none_is_found_out(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(NothingThereError):
        check_command(command)
    capsys.readouterr()


@pytest.mark.parametrize("name", ["tests/seeds/test_values.py::test_none", "tests/none.py::test_a", "tests/seeds"])
def test_a_test_that_is_none_is_found_out(name: str) -> None:
    with pytest.raises(NothingThereError):
        check_test(name)
