"""The hotswap-both stack: Kueue admits both runs, and the scheduler gives one a slice of the other after a loss.

The tests are one story in the order of the file: each finds the stack as the one before it left it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from components.kubeapi.documents import is_true, section
from components.model.facts import gke
from tests.control_plane.life import (
    Life,
    assert_destroy_leaves_nothing,
    assert_no_secret_in_clear,
    assert_nothing_to_change,
    assert_preview_was_complete,
)
from tests.control_plane.slices_lost import POOLS, lose_a_slice_beside_a_spare, start_in_slow_motion, training_of
from tests.control_plane.training import HIGH, LOW, Loss, Training, asked_queue

if TYPE_CHECKING:
    from pathlib import Path

    from tests.harness import Simulator

STACK: Final = "hotswap-both"


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
    flavors = life.planned("tpu-training-cq")["spec"]["resourceGroups"][0]["flavors"]
    assert flavors == [{"name": "tpu-v6e-slice", "resources": [{"name": "google.com/tpu", "nominalQuota": "64"}]}]


def test_kueue_admits_both_runs_by_queue_and_priority_class(training: Training) -> None:
    for run, priority in {LOW: 1_000_000, HIGH: 2_000_000}.items():
        asked = asked_queue(training.jobset(run))
        assert asked[gke.LABEL_QUEUE_NAME] == "default-queue"
        workload = training.workload(run)
        assert workload is not None
        assert is_true(workload, "Admitted")
        assert section(workload, "spec")["priority"] == priority
        (assigned,) = section(workload, "status", "admission")["podSetAssignments"]
        assert assigned["resourceUsage"]["google.com/tpu"] == "32"


def test_the_runs_may_write_to_their_bucket(training: Training) -> None:
    training.assert_nodes_may_write("tpu-sandbox-maxtext-output")


def test_high_restarts_on_a_slice_of_low_when_one_of_its_own_fails(training: Training, loss: Loss) -> None:
    training.assert_high_took_a_slice_of_low(loss)


def test_low_waits_meanwhile_and_has_not_failed(training: Training, loss: Loss) -> None:
    training.assert_low_waits(loss)


def test_low_keeps_its_quota_while_it_waits(training: Training, loss: Loss) -> None:
    del loss
    _assert_never_evicted(training)


def test_low_runs_again_on_the_repaired_slice_while_high_goes_on(training: Training, loss: Loss) -> None:
    training.repair()
    assert loss.pool in training.await_running(LOW)
    assert training.await_running(HIGH) == POOLS - training.await_running(LOW)
    assert training.restarts(HIGH) == loss.restarts[HIGH] + 1
    _assert_never_evicted(training)


def test_a_second_preview_and_a_refresh_find_nothing(life: Life) -> None:
    assert_nothing_to_change(life)


def test_with_a_spare_slice_high_moves_there_and_nothing_is_preempted(
    life: Life, training: Training, tmp_path: Path
) -> None:
    lose_a_slice_beside_a_spare(life, training, tmp_path)
    low = training.workload(LOW)
    assert is_true(low, "Admitted")


def test_the_timeline_tells_who_took_whose_nodes(life: Life) -> None:
    told = life.simulator.run("exec", "--", "python", "-m", "tpu.watch", "--stack", STACK).out
    assert f"{HIGH} takes node gke-tpu-" in told
    assert "at most 64 chips were admitted at one moment" in told


def test_no_secret_stands_in_clear_in_the_state_or_a_log(life: Life) -> None:
    assert_no_secret_in_clear(life)


def test_destroy_and_down_leave_nothing(life: Life) -> None:
    assert_destroy_leaves_nothing(life)


def _assert_never_evicted(training: Training) -> None:
    """Both Workloads hold their quota and have held it since they were admitted."""
    for run in (LOW, HIGH):
        workload = training.workload(run)
        assert workload is not None
        assert is_true(workload, "Admitted")
        types = {each["type"] for each in section(workload, "status")["conditions"]}
        assert not types & {"Evicted", "Preempted"}
