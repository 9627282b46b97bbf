"""The training stack, brought up as its page says: a run that goes on from its checkpoints wherever it finds chips.

The tests are one story in the order of the file: each finds the stack as the one before it left it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import pytest

from kubeapi.documents import condition, entries, is_true, section
from operations.watch.record import JOBSETS, NODES, WORKLOADS, owner_name, pool_of
from tests.control_plane.life import (
    Life,
    assert_destroy_leaves_nothing,
    assert_no_secret_in_clear,
    assert_nothing_to_change,
    assert_preview_was_complete,
)

if TYPE_CHECKING:
    from kubeapi.documents import Document
    from tests.harness import Simulator

STACK: Final = "training"
_RUN: Final = "pretrain"
_CHECKPOINTS: Final = "tpu-sandbox-training-checkpoints"


@pytest.fixture(scope="module")
def life(simulator: Simulator) -> Life:
    """The stack, brought up and followed by the command that its page shows."""
    before = simulator.previewed(STACK)
    done = simulator.make("up", f"STACK={STACK}")
    return Life(STACK, simulator, before, done, done)
