"""One run of the program on the committed stack for all tests that only look at it."""

from __future__ import annotations

import json

import pytest

from tests.program.harness import Run, run_program
from tests.stacks import PLATFORM_KEY, given_file, stack_file


@pytest.fixture(scope="session")
def multislice() -> Run:
    """What the stack `multislice` registers."""
    given = given_file(stack_file("multislice"))
    assert given.platform is not None
    return run_program("multislice", {"gcp:project": str(given.gcp_project), PLATFORM_KEY: given.platform})


@pytest.fixture
def platform() -> dict[str, object]:
    """The platform of the stack `multislice`, to be changed."""
    return json.loads(str(given_file(stack_file("multislice")).platform))
