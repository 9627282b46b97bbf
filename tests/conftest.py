"""The lanes: which test needs which tools, decided by the folder that it is in."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

import pytest

from tests.tracked import edited_stack_files

pytest.register_assert_rewrite(
    *(name for each in Path(__file__).parent.iterdir() if (name := f"tests.{each.stem}") not in sys.modules)
)  # without it an assertion of a helper fails without a word of what it saw

_LANES: Final = {
    "engine": pytest.mark.engine,
    "control_plane": pytest.mark.control_plane,
    "systems": pytest.mark.systems,
    "endings": pytest.mark.endings,
    "rehearsal": pytest.mark.rehearsal,
    "faults": pytest.mark.faults,
    "walkthroughs": pytest.mark.walkthroughs,
    "official": pytest.mark.official,
    "payloads": pytest.mark.payloads,
    "simulator": pytest.mark.simulator,
    "kubeapi": pytest.mark.simulator,
    "migrate": pytest.mark.simulator,
    "record": pytest.mark.simulator,
    "stream": pytest.mark.simulator,
    "toolchain": pytest.mark.simulator,
    "watch": pytest.mark.simulator,
    "policies": pytest.mark.rules,
    "lint": pytest.mark.rules,
}


def pytest_report_header() -> list[str]:
    """That tests look at stack files as they are staged, where that is another text than the one that is seen."""
    edited = edited_stack_files()
    return [f"stack files with changes that are not staged, and so not tested: {', '.join(edited)}"] if edited else []


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test of a lane's folder, so that none is forgotten."""
    root = Path(__file__).parent
    for item in items:
        lane = item.path.relative_to(root).parts[0]
        if lane in _LANES:
            item.add_marker(_LANES[lane])


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what tests counted (`record_property("counted", ...)`), those in processes of their own too."""
    for report in terminalreporter.getreports("passed"):
        for name, value in report.user_properties:
            if name == "counted":
                terminalreporter.write_line(str(value))
