"""One run of the program on the committed stack for all tests that only look at it."""

from __future__ import annotations

import json

import pytest

from tests.program.harness import Run, run_committed
from tests.stacks import given_file, stack_file


@pytest.fixture(scope="session")
def multislice() -> Run:
    """What the stack `multislice` registers."""
    return run_committed("multislice")


@pytest.fixture
def platform() -> dict[str, object]:
    """The platform of the stack `multislice`, to be changed."""
    return json.loads(str(given_file(stack_file("multislice")).platform))
