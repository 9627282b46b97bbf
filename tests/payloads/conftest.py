"""A Redis, a share and workers for each test; the process that workers come from is shared."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from simulator.ports import free_port
from tests.payloads.crew import Crew, Nursery, Redis

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path


@pytest.fixture(scope="session")
def nursery() -> Generator[Nursery]:
    """Started once: importing what a worker needs takes longer than most tests."""
    started = Nursery.started()
    yield started
    started.end()


@pytest.fixture
def redis(tmp_path: Path) -> Generator[Redis]:
    """A server of its own."""
    folder = tmp_path / "redis"
    folder.mkdir()
    server = Redis(folder, free_port())
    server.start()
    yield server
    server.kill()


@pytest.fixture
def crew(tmp_path: Path, redis: Redis, nursery: Nursery) -> Generator[Crew]:
    """No worker yet, no dataset."""
    for name in ("share", "logs"):
        (tmp_path / name).mkdir()
    made = Crew(tmp_path / "share", redis, nursery, tmp_path / "logs")
    yield made
    made.end()
