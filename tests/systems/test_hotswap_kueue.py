"""The hotswap-kueue stack: two slices, two runs; Kueue evicts the less important run when the other is submitted.

The tests are one story in the order of the file: each finds the stack as the one before it left it.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

import pytest
import yaml

from components.kubeapi.documents import Document, condition, is_true, section
from components.kubeapi.jobs import EVENTS
from tests.control_plane.admissions import Admissions
from tests.control_plane.life import (
    Life,
    assert_destroy_leaves_nothing,
    assert_no_secret_in_clear,
    assert_nothing_to_change,
    assert_preview_was_complete,
    follow,
)
from tests.control_plane.training import HIGH, LOW, Training
from tests.eventually import eventually
from tests.harness import Simulator, project_with
from tests.stacks import PLATFORM_KEY, stack_file

STACK: Final = "hotswap-kueue"


class Run(NamedTuple):
    """The stack's two runs, submitted one after the other."""

    life: Life
    training: Training
    admissions: Admissions
    pools: set[str]
    """Where low ran at first."""
    evicted: Document
    """The Workload of low while high ran."""


@pytest.fixture(scope="module")
def run(simulator: Simulator, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Low was submitted and ran; then high was added to the stack file; then all was followed to its end."""
    simulator.run("exec", "--speed", "1", "--", "true")
    before = simulator.previewed(STACK)
    document = yaml.safe_load(stack_file(STACK))
    platform = document["config"][PLATFORM_KEY]
    platform["workloads"] = [each for each in platform["workloads"] if each["name"] == LOW]
    project = project_with(tmp_path_factory.mktemp("low") / "project", {STACK: yaml.safe_dump(document)})
    Simulator(simulator.home, project).up(STACK)
    training = Training(simulator)
    pools = training.await_running(LOW)
    admissions = Admissions()
    over = admissions.watch(simulator.api)
    simulator.run("exec", "--speed", "10", "--", "true")
    up = simulator.up(STACK)
    evicted = eventually(lambda: training.workload(LOW), lambda low: is_true(low, "Evicted"), what="low is evicted")
    assert evicted is not None
    training.await_running(HIGH)
    simulator.run("exec", "--speed", "60", "--", "true")
    followed = follow(simulator, STACK)
    over.set()
    return Run(Life(STACK, simulator, before, up, followed), training, admissions, pools, evicted)


def test_the_first_preview_shows_every_object_and_the_quota_of_the_slices(run: Run) -> None:
    assert_preview_was_complete(run.life)
    queue = run.life.planned("tpu-training-cq")["spec"]
    flavors = queue["resourceGroups"][0]["flavors"]
    assert flavors == [{"name": "tpu-v6e-slice", "resources": [{"name": "google.com/tpu", "nominalQuota": "32"}]}]
    assert queue["preemption"]["withinClusterQueue"] == "LowerPriority"


def test_kueue_evicts_low_for_high_within_the_queue(run: Run) -> None:
    assert run.pools == {"trillium1", "trillium2"}
    assert condition(run.evicted, "Evicted")["reason"] == "Preempted"
    preempted = condition(run.evicted, "Preempted")
    assert (preempted["status"], preempted["reason"]) == ("True", "InClusterQueue")
    assert "prioritization in the ClusterQueue" in preempted["message"]
    uid = run.evicted["metadata"]["uid"]
    reasons = [e["reason"] for e in run.training.api.items(EVENTS) if section(e, "involvedObject").get("uid") == uid]
    assert reasons.count("Preempted") == 1


def test_high_runs_while_low_waits_and_low_comes_back_within_the_quota(run: Run) -> None:
    assert run.admissions.together() == [{LOW}, {HIGH}, {LOW}]
    assert run.admissions.peak() == 32


def test_both_complete_and_no_restart_was_spent_on_it(run: Run) -> None:
    for name in (LOW, HIGH):
        assert run.training.has_completed(name)
        assert run.training.restarts(name) == 0
        workload = run.training.workload(name)
        assert is_true(workload, "Finished")
    assert run.training.preempted() == {}, "the scheduler had nothing to preempt"


def test_the_timeline_tells_the_story_in_its_order(run: Run) -> None:
    told = run.life.followed.out
    order = (
        f"{LOW} +Quota reserved",
        f"{LOW} +EvictedDueToPreempted",
        f"{HIGH} +Quota reserved",
        f"{LOW} +Quota reserved",
    )
    assert re.search(".*".join(order), told, re.DOTALL), told
    assert "at most 32 chips were admitted at one moment" in told


def test_the_runs_may_write_to_their_bucket(run: Run) -> None:
    run.training.assert_nodes_may_write("tpu-sandbox-maxtext-output")


def test_a_second_preview_and_a_refresh_find_nothing(run: Run) -> None:
    assert_nothing_to_change(run.life)


def test_no_secret_stands_in_clear_in_the_state_or_a_log(run: Run) -> None:
    assert_no_secret_in_clear(run.life)


def test_destroy_and_down_leave_nothing(run: Run) -> None:
    assert_destroy_leaves_nothing(run.life)
