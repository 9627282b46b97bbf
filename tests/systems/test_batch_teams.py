"""Two teams under one quota on Autopilot: the declared Jobs, a stream of more, both queueing strategies, and no trace.

The tests are one story in the order of the file: each finds the stack as the one before it left it.
"""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, Final, NamedTuple

import pytest

from components.kubeapi.documents import entries, section
from components.kubeapi.jobs import WORKLOADS, condition_time, owner_label, seconds
from tests.control_plane.life import (
    admissions_of,
    assert_destroy_leaves_nothing,
    assert_no_secret_in_clear,
    assert_nothing_to_change,
    assert_preview_was_complete,
    bring_up,
    hurry,
    take_times,
)
from tests.control_plane.teams import DECLARED, QUOTA, Teams
from tests.eventually import eventually
from tests.harness import Simulator, project_with
from tests.stacks import stack_file

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

STACK: Final = "batch-teams"
_TTL: Final = 60
_ROUNDS: Final = 5


class Streamed(NamedTuple):
    """A stream of Jobs that has ended."""

    jobs: list[str]
    """As team/name, in the order of submission."""
    nodes: int
    """With a T4, while they ran."""
    timeline: str
    last_end: float
    """When the last of them was complete, in seconds since the epoch."""


@pytest.fixture(scope="module")
def teams(simulator: Simulator) -> Generator[Teams]:
    """The stack previewed, brought up and followed until its Jobs have settled; admissions are watched to the end."""
    hurry(simulator, 30, idle=3600)
    with admissions_of(simulator) as admissions:
        yield Teams(bring_up(simulator, STACK), admissions)


@pytest.fixture(scope="module")
def streamed(teams: Teams) -> Streamed:
    """A stream that asks for twice the GPUs of the quota, begun without a T4 and followed to its end."""
    take_times(teams.simulator, idle=240)
    eventually(lambda: not teams.gpu_nodes(), what="the T4s of the declared Jobs are gone")
    jobs = teams.stream("--count", str(_ROUNDS), "--interval", "1", "--seconds", "180")
    nodes = len(teams.gpu_nodes())
    timeline = teams.settle()
    ends = [seconds(section(job, "status").get("completionTime")) for job in teams.jobs().values()]
    return Streamed(jobs, nodes, timeline, max(ends))


def test_the_first_preview_shows_every_object_with_its_values(teams: Teams) -> None:
    assert_preview_was_complete(teams.life)
    queue = teams.life.planned("cluster-queue")["spec"]
    (flavor,) = queue["resourceGroups"][0]["flavors"]
    assert {each["name"]: each["nominalQuota"] for each in flavor["resources"]} == QUOTA
    assert queue["queueingStrategy"] == "BestEffortFIFO"
    assert not [step for step in teams.life.before if "nodePool:NodePool::" in step["urn"]]


def test_the_declared_jobs_complete_on_t4s_that_nobody_declared(teams: Teams) -> None:
    assert teams.complete() == DECLARED
    assert "2 jobs: 2 finished" in teams.life.followed.out
    assert "placed on nap-n1-standard-1-" in teams.life.followed.out


def test_kueues_controller_shows_one_of_one_running(teams: Teams) -> None:
    (pod,) = teams.api.items("/api/v1/namespaces/kueue-system/pods")
    (container,) = entries(pod, "status", "containerStatuses")
    assert pod["metadata"]["name"].startswith("kueue-controller-manager-")
    assert (section(pod, "status")["phase"], container["ready"], container["restartCount"]) == ("Running", True, 0)


def test_the_stream_submits_jobs_of_both_teams_and_all_complete(teams: Teams, streamed: Streamed) -> None:
    assert [job.rpartition("-")[0] for job in streamed.jobs] == [
        "team-a/sample-job-team-a",
        "team-b/sample-job-team-b",
    ] * _ROUNDS
    teams.assert_both_teams_went_on(streamed.jobs)
    assert [job for job in streamed.jobs if not re.search(rf"{job} +finished: Succeeded", streamed.timeline)] == []


def test_t4s_come_on_demand_and_go_when_the_jobs_have_ended(teams: Teams, streamed: Streamed) -> None:
    assert 3 <= streamed.nodes <= 10, "one GPU each, and never more than the quota admits"
    eventually(lambda: not teams.gpu_nodes(), what="no T4 is left")


def test_best_effort_fifo_lets_a_smaller_job_pass_a_head_that_does_not_fit(teams: Teams, streamed: Streamed) -> None:
    del streamed
    held, head, behind = teams.queue_behind_a_blocked_head()
    eventually(lambda: behind in teams.holding(), what="the Job of team-b passes")
    assert head not in teams.holding()
    eventually(lambda: teams.counted() == (1, 4, 4), what="Kueue has counted them")
    status = teams.command("tpu.watch", "status")
    assert re.search(r"cluster-queue +- +BestEffortFIFO +1 +4 +4 +active", status)
    assert re.search(r"cluster-queue +default-flavor +nvidia.com/gpu +10 +10 +10 +0", status)
    told = teams.command("tpu.watch", "explain", head.partition("/")[2])
    assert told.splitlines()[-1].startswith(f"{head} waits for quota: couldn't assign flavors to pod set main: ")
    assert re.search(r"unused quota for nvidia.com/gpu in flavor default-flavor, [23] more needed", told)
    teams.remove(*held, head, behind)
    eventually(lambda: not teams.holding(), what="their quota is free")


def test_strict_fifo_lets_the_head_hold_up_what_would_fit(teams: Teams, streamed: Streamed, tmp_path: Path) -> None:
    del streamed
    text = stack_file(STACK).replace("strategy: BestEffortFIFO", "strategy: StrictFIFO")
    strict = Simulator(teams.simulator.home, project_with(tmp_path / "project", {STACK: text}))
    assert strict.preview_steps(STACK) == {"cluster-queue": "update"}
    strict.up(STACK)
    held, head, behind = teams.queue_behind_a_blocked_head()
    eventually(lambda: teams.counted() == (2, 3, 3), what="Kueue has both in its queue")
    told = teams.command("tpu.watch", "explain", behind.partition("/")[2])
    assert told.splitlines()[-1].startswith(f"{behind} waits for its turn: its queue is StrictFIFO")
    assert teams.holding() == set(held), "the GPU that is left stays free"
    teams.remove(held[0])
    eventually(lambda: {head, behind} <= teams.holding(), what="the head goes first and team-b after it")
    # Kueue writes its decisions side by side, so the later may be seen first; the times are those of the decisions.
    decided = {owner_label(each): condition_time(each, "QuotaReserved") for each in teams.api.items(WORKLOADS)}
    first, second = decided[head], decided[behind]
    assert first is not None
    assert second is not None
    assert first <= second
    teams.remove(*held, head, behind)
    eventually(lambda: not teams.holding(), what="their quota is free")
    teams.simulator.up(STACK)


def test_no_quota_was_exceeded_at_any_moment(teams: Teams, streamed: Streamed) -> None:
    del streamed
    teams.assert_no_quota_was_exceeded()


def test_finished_jobs_of_the_stream_vanish_and_the_stack_has_not_drifted(teams: Teams, streamed: Streamed) -> None:
    eventually(lambda: teams.jobs().keys() == DECLARED, what="only the declared Jobs are left", seconds=_TTL + 60)
    assert time.time() >= streamed.last_end + _TTL
    left = {owner_label(each) for each in teams.api.items(WORKLOADS)}
    assert left == DECLARED
    gone = teams.command("tpu.watch", "explain", streamed.jobs[-1].partition("/")[2])
    assert gone.splitlines()[-1].startswith(f"{streamed.jobs[-1]} is gone")
    assert_nothing_to_change(teams.life)


def test_no_secret_stands_in_clear_in_the_state_or_a_log(teams: Teams) -> None:
    assert_no_secret_in_clear(teams.life)


def test_destroy_and_down_leave_no_process_port_or_file(teams: Teams) -> None:
    assert_destroy_leaves_nothing(teams.life)
