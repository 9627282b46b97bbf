"""The lanes: which test needs which tools, decided by the folder that it is in."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
from hypothesis import HealthCheck, settings

_LANES: Final = {
    "engine": pytest.mark.engine,
    "control_plane": pytest.mark.control_plane,
    "systems": pytest.mark.systems,
    "policies": pytest.mark.rules,
    "lint": pytest.mark.rules,
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test of a lane's folder, so that none is forgotten."""
    root = Path(__file__).parent
    for item in items:
        lane = item.path.relative_to(root).parts[0]
        if lane in _LANES:
            item.add_marker(_LANES[lane])


# Generated tests are the same in every run, so that a failure is no matter of luck; `thorough` looks at other input.
_SLOW = (HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large)
settings.register_profile(
    "quick", max_examples=200, derandomize=True, database=None, deadline=None, suppress_health_check=_SLOW
)
settings.register_profile(
    "thorough", max_examples=10_000, database=None, deadline=None, print_blob=True, suppress_health_check=_SLOW
)
settings.load_profile("quick")
