"""The folder with the official plugins, and the simulator that uses them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.engine.conftest import simulator
from tests.official.plugins import FOLDER_VARIABLE, NEEDS, Official
from tests.simulator.conftest import gcp, world
from tests.simulator.providers.official.conftest import cluster, made

if TYPE_CHECKING:
    from tests.harness import Simulator

__all__ = ["cluster", "gcp", "made", "simulator", "world"]


@pytest.fixture(scope="session")
def official() -> Official:
    """The folder that `make test-official` was given."""
    folder = os.environ.get(FOLDER_VARIABLE)
    if folder is None:
        pytest.skip(NEEDS)
    return Official(Path(folder))


@pytest.fixture(scope="module")
def theirs(simulator: Simulator, official: Official, tmp_path_factory: pytest.TempPathFactory) -> Simulator:
    """The simulator with the official host and plugins in the place of the stand-ins."""
    return official.used_by(simulator, tmp_path_factory.mktemp("official") / "bin")
