"""The campaign of faults: one small stack for each process that tests run in, and the count of what was made good."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from simulator.home import Home
from tests.faults.campaign import Campaign, small_stack

if TYPE_CHECKING:
    from collections.abc import Generator


@pytest.fixture(scope="session")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Generator[Campaign]:
    """The stack, brought up; at the end it is destroyed, and nothing is left."""
    folder = tmp_path_factory.mktemp("faults")
    made = small_stack(Home(folder / "home"), folder / "project")
    made.simulator.run("down", "--delete", code=None)
    try:
        yield made
        if made.took:
            made.end()
    finally:
        made.simulator.run("down", "--delete", code=None)


@pytest.fixture
def settled(campaign: Campaign, request: pytest.FixtureRequest) -> Generator[Campaign]:
    """The stack as it is declared; begun anew after a round that failed."""
    if not campaign.took:
        campaign.begin_anew()
    failed = request.session.testsfailed
    yield campaign
    if request.session.testsfailed > failed:
        campaign.took.clear()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print of each family how many of its faults were made good."""
    tried, good = Counter[str](), Counter[str]()
    for outcome in ("passed", "failed"):
        for report in terminalreporter.getreports(outcome):
            family = dict(report.user_properties).get("family")
            if report.when == "call" and family is not None:
                tried[str(family)] += 1
                good[str(family)] += outcome == "passed"
    for family, count in tried.items():
        terminalreporter.write_line(f"{family}: {good[family]} of {count}")
