"""The training stack, brought up as its page says: a run that goes on from its checkpoints wherever it finds chips.

The tests are one story in the order of the file: each finds the stack as the one before it left it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import pytest

from components.kubeapi.documents import Document, entries, section
from components.kubeapi.owners import JOBSETS
from simulator.cloud.api import Kind
from tests.control_plane.life import (
    Life,
    assert_destroy_leaves_nothing,
    assert_no_secret_in_clear,
    assert_nothing_to_change,
    assert_preview_was_complete,
)

if TYPE_CHECKING:
    from tests.harness import Simulator

STACK: Final = "training"
_RUN: Final = "training/pretrain"
_URGENT: Final = ("training/evaluate", "training/finetune")
_SAID: Final = re.compile(r"(starts|checkpoint of|is asked to end) (?:at )?step (\d+)")
_STORY: Final = (
    "checkpoint of 100",
    "starts 100",
    "checkpoint of 200",
    "is asked to end 200",
    "starts 200",
    "checkpoint of 300",
)
"""At the start the scheduler may give a slice of the run to a more urgent one; then it starts there once more."""
_DRIVER: Final = "multitier-checkpoint.csi.storage.gke.io"


@pytest.fixture(scope="module")
def life(simulator: Simulator) -> Life:
    """The stack, brought up and followed by the command that its page shows."""
    before = simulator.previewed(STACK)
    done = simulator.make("up", f"STACK={STACK}")
    return Life(STACK, simulator, before, done, done)


def _jobset(simulator: Simulator, label: str) -> Document:
    namespace, _, name = label.partition("/")
    found = {(each["metadata"]["namespace"], each["metadata"]["name"]): each for each in simulator.api().items(JOBSETS)}
    return found[namespace, name]


def _told(life: Life, pattern: str) -> bool:
    """Whether the timeline has lines like these, in this order."""
    return re.search(pattern, life.followed.out, re.DOTALL) is not None


def test_the_first_preview_shows_every_object(life: Life) -> None:
    assert_preview_was_complete(life)
    assert life.planned("training", "ClusterQueue")["spec"]["concurrentAdmissionPolicy"] == {
        "migration": {"mode": "RetainFirstAdmission"}
    }


def test_the_run_tells_its_story_by_steps(life: Life) -> None:
    """What `make up STACK=training` prints at its end, as `tpu simulator files output --stack training` does."""
    printed = life.followed.out.partition("pretrain.txt:\n")[2]
    assert life.simulator.run("files", "output", "--stack", STACK).out.partition("pretrain.txt:\n")[2] == printed
    said = [f"{what} {step}" for what, step in _SAID.findall(printed)]
    assert said[0] == "starts 0"
    assert tuple(said[-5:]) == _STORY[-5:], said
    left = iter(said)
    assert all(step in left for step in _STORY), said


def test_the_scenario_was_played_to_its_end(life: Life, simulator: Simulator) -> None:
    del life
    lines = simulator.client.call("status")["scenario"]
    assert [line.partition(":")[0] for line in lines] == ["done"] * 2


def test_the_lost_slice_restarts_the_run_and_does_not_count(life: Life, simulator: Simulator) -> None:
    del life
    status = section(_jobset(simulator, _RUN), "status")
    assert status["restarts"] > status.get("restartsCountTowardsMax", 0)


def test_it_is_preempted_waits_for_stock_and_moves_to_flex_start(life: Life) -> None:
    assert _told(life, rf"{_RUN} +EvictedDueToPreempted.*{_RUN} +slice 0 placed on flex1")


def test_every_job_succeeds(life: Life) -> None:
    assert "3 jobs: 3 finished" in life.followed.out
    for name in (_RUN, *_URGENT):
        assert _told(life, f"{name} +finished: Succeeded")


def test_each_host_has_its_own_checkpoints_in_the_bucket(life: Life, simulator: Simulator) -> None:
    del life
    backup = simulator.home.volumes / "b" / "tpu-sandbox-training-checkpoints" / "training" / "pretrain" / "slice" / "0"
    assert {path.relative_to(backup).as_posix(): path.read_text() for path in backup.rglob("step")} == {
        "0/step": "300\n",
        "1/step": "300\n",
    }


def test_pods_read_the_secret_by_a_binding_of_their_own_account(life: Life, simulator: Simulator) -> None:
    del life
    members = simulator.client.call("cloud.list", kind=Kind.IAM_MEMBER, prefix="")
    mine = [each["apiName"] for each in members if "secrets/wandb-api-key" in each["apiName"]]
    assert len(mine) == 1
    assert "roles/secretmanager.secretAccessor" in mine[0]
    assert "[training/trainer]" in mine[0]


def test_pods_mount_what_the_stack_file_says(life: Life, simulator: Simulator) -> None:
    del life
    # Of the template: the pods go with their nodes, which the autoscaler removes once the run has finished.
    (job,) = entries(_jobset(simulator, _RUN), "spec", "replicatedJobs")
    volumes = entries(job, "template", "spec", "template", "spec", "volumes")
    drivers = [section(volume, "csi").get("driver") for volume in volumes if "csi" in volume]
    assert drivers == ["gcsfuse.csi.storage.gke.io"] * 2 + [_DRIVER, "secrets-store-gke.csi.k8s.io"]


def test_make_up_again_changes_nothing(life: Life, simulator: Simulator) -> None:
    again = simulator.make("up", f"STACK={STACK}").out
    assert re.search(r"Resources:\n +\d+ unchanged", again), again
    assert "scenario: secret" not in again
    assert_nothing_to_change(life)


def test_no_secret_stands_in_clear_in_the_state_or_a_log(life: Life) -> None:
    assert_no_secret_in_clear(life)


def test_destroy_and_down_leave_nothing(life: Life) -> None:
    assert_destroy_leaves_nothing(life)
