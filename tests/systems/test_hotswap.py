"""The hotswap stack: without Kueue, the scheduler gives a run that lost a slice one of a less important run.

The tests are one story in the order of the file: each finds the stack as the one before it left it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from tests.control_plane.life import (
    Life,
    assert_destroy_leaves_nothing,
    assert_no_secret_in_clear,
    assert_nothing_to_change,
    assert_preview_was_complete,
)
from tests.control_plane.slices_lost import POOLS, lose_a_slice_beside_a_spare, start_in_slow_motion, training_of
from tests.control_plane.training import HIGH, LOW, Loss, Training, asked_queue
from tpu.watch.record import read_record

if TYPE_CHECKING:
    from pathlib import Path

    from tests.harness import Simulator

STACK: Final = "hotswap"


@pytest.fixture(scope="module")
def life(simulator: Simulator) -> Life:
    """The stack while both of its runs train, in slow motion."""
    return start_in_slow_motion(simulator, STACK)


@pytest.fixture(scope="module")
def training(life: Life) -> Training:
    """Both runs, each on two slices of its own."""
    return training_of(life)


@pytest.fixture(scope="module")
def loss(training: Training) -> Loss:
    """A slice of the high run has failed, and nobody repairs it."""
    return training.lose_a_slice_of_high()


def test_the_first_preview_shows_every_object_with_its_values(life: Life) -> None:
    assert_preview_was_complete(life)
    assert life.planned(HIGH)["spec"]["failurePolicy"] == {"maxRestarts": 10, "restartStrategy": "BlockingRecreate"}
    assert life.planned("high-priority-job")["value"] == 2_000_000


def test_nothing_of_kueue_is_there(training: Training) -> None:
    record = read_record(training.api)
    assert (record.workloads, record.queues, record.local_queues) == ([], [], [])
    assert {run: asked_queue(training.jobset(run)) for run in (LOW, HIGH)} == {LOW: {}, HIGH: {}}


def test_the_runs_may_write_to_their_bucket(training: Training) -> None:
    training.assert_nodes_may_write("tpu-sandbox-maxtext-output")


def test_high_restarts_on_a_slice_of_low_when_one_of_its_own_fails(training: Training, loss: Loss) -> None:
    training.assert_high_took_a_slice_of_low(loss)


def test_low_waits_meanwhile_and_has_not_failed(training: Training, loss: Loss) -> None:
    training.assert_low_waits(loss)


def test_low_runs_again_on_the_repaired_slice_while_high_goes_on(training: Training, loss: Loss) -> None:
    training.repair()
    assert loss.pool in training.await_running(LOW)
    assert training.await_running(HIGH) == POOLS - training.await_running(LOW)
    assert training.restarts(HIGH) == loss.restarts[HIGH] + 1


def test_a_second_preview_and_a_refresh_find_nothing(life: Life) -> None:
    assert_nothing_to_change(life)


def test_with_a_spare_slice_high_moves_there_and_nothing_is_preempted(
    life: Life, training: Training, tmp_path: Path
) -> None:
    lose_a_slice_beside_a_spare(life, training, tmp_path)


def test_the_timeline_tells_who_took_whose_nodes(life: Life, training: Training) -> None:
    del training
    told = life.simulator.run("exec", "--", "python", "-m", "tpu.watch", "--stack", STACK).out
    assert "preempted by the scheduler" in told
    assert f"{HIGH} takes node gke-tpu-" in told
    assert "evicted from a failed node" in told
    assert f"{LOW} is running" in told


def test_no_secret_stands_in_clear_in_the_state_or_a_log(life: Life) -> None:
    assert_no_secret_in_clear(life)


def test_destroy_and_down_leave_nothing(life: Life) -> None:
    assert_destroy_leaves_nothing(life)
