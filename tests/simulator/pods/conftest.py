"""A machine whose pods really run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from simulator.pods import host_pod, running
from tests.simulator.pods.machine import Machine

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Machine]:
    """A machine whose pauses are short and whose processes end with the test."""
    monkeypatch.setattr(host_pod, "_RETRY_SECONDS", 0.05)
    monkeypatch.setattr(running, "_BACKOFF_SECONDS", (0.05,))
    made = Machine(tmp_path)
    yield made
    made.runner.stop()
