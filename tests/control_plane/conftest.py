"""Simulators with real control planes. Files that do not disturb each other share one, each after the other.

A control plane with Kueue and JobSet takes longer to make than most files take to test what they are about.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
from xdist.scheduler import LoadScopeScheduling

from simulator.home import Home
from simulator.scaling.times import Times
from tests.harness import Simulator
from tests.tracked import checked_out

if TYPE_CHECKING:
    from collections.abc import Generator

    from xdist.remote import Producer

_FILES: Final = (
    ("quota_change", "removal"),
    ("admission_order", "failures", "led_runs", "server_answers", "explained", "deleted_cluster"),
    ("report", "consumer", "yaml_example", "adoption"),
    ("upgrade", "outage"),
    ("rehearsal",),
    ("recovery",),
    ("multislice", "second_stack"),
    ("batch_ml",),
    ("stock_chain",),
    ("autoscaling",),
    ("other_plugins",),
    ("queued_provisioning",),
)
"""Files that use one simulator, each after the one before it. The first line mostly waits while others compute, and the
longest lines follow: a line that starts late runs alone at the end. Files of a line have the same stack, which each
brings up as it needs it; none may rely on what the others leave. Files that are not named here come last, each with a
simulator of its own."""
_HERE: Final = Path(__file__).parent
_PATHS: Final = tuple(tuple(_HERE / f"test_{name}.py" for name in each) for each in _FILES)
_PLACES: Final = {path: (line, place) for line, each in enumerate(_PATHS) for place, path in enumerate(each)}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the files in their order."""
    items.sort(key=lambda item: _PLACES.get(item.path, (len(_PATHS), 0)))


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadScopeScheduling:
    """Let one process have the files that use one simulator."""
    return _ByLine(config, log)


class _ByLine(LoadScopeScheduling):
    def _split_scope(self, nodeid: str) -> str:
        return str(_first(self.config.rootpath / nodeid.partition("::")[0]))


def _first(file: Path) -> Path:
    """The first of the files with which one shares a simulator."""
    return _PATHS[_PLACES[file][0]][0] if file in _PLACES else file


@dataclass
class Simulators:
    """The simulator of the files that run now."""

    factory: pytest.TempPathFactory
    first: Path = _HERE
    """The first of those files."""
    running: Simulator | None = None
    failed: int = 0
    """How many tests had failed when it was made: what a test leaves that fails is for no other file."""

    def of(self, file: Path, failed: int) -> Simulator:
        """The one for a file: that of the file before, if both share it and nothing has failed, or a new one."""
        first = _first(file)
        if self.running is None or (first, failed) != (self.first, self.failed):
            self.end(failed)
            folder = self.factory.mktemp("simulator")
            self.first, self.failed = first, failed
            self.running = Simulator(Home(folder / "home"), checked_out(folder / "project"))
        else:
            _let_go(self.running)
        return self.running

    def end(self, failed: int) -> None:
        """End what runs. Where a test has failed on it, its folder stays, with the logs of all processes."""
        if self.running is not None:
            self.running.run("down", *(("--delete",) if failed == self.failed else ()), code=None)
            self.running = None


def _let_go(simulator: Simulator) -> None:
    """Give speed, times and stock back the values of a new simulator."""
    client = simulator.client
    client.call("speed.set", speed=None)
    client.call("scaling.times", wanted=asdict(Times()))
    client.call("scaling.stock", out=[], back=client.call("status")["stock"])


@pytest.fixture(scope="session")
def simulators(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Generator[Simulators]:
    """The simulators of one process of tests."""
    made = Simulators(tmp_path_factory)
    yield made
    made.end(request.session.testsfailed)


@pytest.fixture(scope="module")
def simulator(simulators: Simulators, request: pytest.FixtureRequest) -> Simulator:
    """A simulator in a folder of its own, used from a checkout of this project."""
    return simulators.of(request.path, request.session.testsfailed)
