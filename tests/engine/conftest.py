"""A simulator for tests that need the engine and the stand-in providers, but never start a control plane."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from simulator.home import Home
from tests.harness import Simulator
from tests.tracked import checked_out

if TYPE_CHECKING:
    from collections.abc import Generator


@pytest.fixture(scope="module")
def simulator(tmp_path_factory: pytest.TempPathFactory) -> Generator[Simulator]:
    """A simulator in a folder of its own, used from a checkout of this project."""
    folder = tmp_path_factory.mktemp("simulator")
    made = Simulator(Home(folder / "home"), checked_out(folder / "project"))
    yield made
    made.run("down", "--delete", code=None)
