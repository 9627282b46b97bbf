"""Every stack's first preview by the official language host and plugins, and by the stand-ins."""

from __future__ import annotations

import pytest

from tests.harness import Simulator, policy_flags
from tests.official.comparing import Preview
from tests.stacks import committed


@pytest.mark.parametrize("stack", committed())
def test_the_preview_is_that_of_the_stand_ins(simulator: Simulator, theirs: Simulator, stack: str) -> None:
    flags = policy_flags("policies", stack)
    ours, official = (Preview(each, stack, flags) for each in (simulator, theirs))
    assert ours.steps
    others = list(ours.differences(official))
    assert not others, "\n".join(others)
