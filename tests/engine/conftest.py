"""A simulator for tests that need the engine and the stand-in providers, but never start a control plane."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from simulator.home import Home
from tests.harness import Simulator
from tests.tracked import checked_out

if TYPE_CHECKING:
    from collections.abc import Generator


_LONG: Final = ("our_stacks", "pull_requests", "documents", "three_ways", "previews", "bad_stack_files", "states")
"""Files that take forty seconds of processor time and more: begun late, one of them would run alone at the end."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long files first; else the order is as it was."""
    places = {f"test_{name}.py": place for place, name in enumerate(_LONG)}
    items.sort(key=lambda item: places.get(item.path.name, len(places)))


@pytest.fixture(scope="module")
def simulator(tmp_path_factory: pytest.TempPathFactory) -> Generator[Simulator]:
    """A simulator in a folder of its own, used from a checkout of this project."""
    folder = tmp_path_factory.mktemp("simulator")
    made = Simulator(Home(folder / "home"), checked_out(folder / "project"))
    yield made
    made.run("down", "--delete", code=None)
