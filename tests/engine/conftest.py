"""A simulator for tests that need the engine and the stand-in providers, but never start a control plane."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from simulator.home import Home
from tests.harness import Simulator

if TYPE_CHECKING:
    from collections.abc import Generator


@pytest.fixture(scope="module")
def simulator(tmp_path_factory: pytest.TempPathFactory) -> Generator[Simulator]:
    """A simulator in a folder of its own."""
    made = Simulator(Home(tmp_path_factory.mktemp("simulator") / "home"))
    yield made
    made.run("down", "--delete", code=None)
