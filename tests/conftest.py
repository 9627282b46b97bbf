"""The lanes: which test needs which tools, decided by the folder that it is in."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

_LANES: Final = {
    "engine": pytest.mark.engine,
    "control_plane": pytest.mark.control_plane,
    "systems": pytest.mark.systems,
    "walkthroughs": pytest.mark.walkthroughs,
    "payloads": pytest.mark.payloads,
    "simulator": pytest.mark.simulator,
    "kubeapi": pytest.mark.simulator,
    "migrate": pytest.mark.simulator,
    "stream": pytest.mark.simulator,
    "toolchain": pytest.mark.simulator,
    "watch": pytest.mark.simulator,
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
