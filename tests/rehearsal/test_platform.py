"""The platforms of the committed stack files can be rehearsed as the program would declare them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rehearsal.document import Entry, Rehearsal
from rehearsal.platform import configuration_of, objects_of
from rehearsal.running import rehearse
from tests.rehearsal.platforms import workload
from tests.rehearsal.told import lines
from tests.stacks import committed, committed_plan

if TYPE_CHECKING:
    from pathlib import Path

STACKS = [name for name in committed() if committed_plan(name).queues]


@pytest.mark.parametrize("stack", STACKS)
def test_every_stack_with_queues_can_be_rehearsed(stack: str, command: Path) -> None:
    plan = committed_plan(stack)
    empty = Rehearsal(until=60, objects=objects_of(plan), configuration=configuration_of(plan), workloads=())
    assert lines(rehearse(empty, command)) == []


def test_a_job_of_a_team_of_the_stack_dev_is_admitted(command: Path) -> None:
    plan = committed_plan("dev")
    job = workload("job", "applied", 4)
    job["metadata"]["namespace"] = "applied"
    entries = (Entry(workload=job, at=1, runs=60),)
    rehearsal = Rehearsal(until=100, objects=objects_of(plan), configuration=configuration_of(plan), workloads=entries)
    assert lines(rehearse(rehearsal, command)) == [(1, "job", "admitted: v5e"), (61, "job", "finished")]
