"""The platforms of the committed stack files can be rehearsed as the program would declare them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.rehearsal.platforms import workload
from tests.rehearsal.told import lines
from tests.stacks import committed, committed_plan
from tpu.rehearsal.document import Entry, Rehearsal
from tpu.rehearsal.platform import configuration_of, objects_of
from tpu.rehearsal.running import RehearsalError, rehearse

if TYPE_CHECKING:
    from pathlib import Path

_REFUSED = {"training": "ClusterQueue /training: a rehearsal does not model concurrentAdmissionPolicy"}
_QUEUES = [name for name in committed() if committed_plan(name).queues]


def _empty(stack: str) -> Rehearsal:
    """A minute of the stack without any workload."""
    plan = committed_plan(stack)
    return Rehearsal(until=60, objects=objects_of(plan), configuration=configuration_of(plan), workloads=())


@pytest.mark.parametrize("stack", [name for name in _QUEUES if name not in _REFUSED])
def test_a_stack_with_queues_can_be_rehearsed(stack: str, command: Path) -> None:
    assert lines(rehearse(_empty(stack), command)) == []


@pytest.mark.parametrize("stack", _REFUSED)
def test_a_stack_with_what_is_not_modelled_is_refused_by_name(stack: str, command: Path) -> None:
    with pytest.raises(RehearsalError) as refusal:
        rehearse(_empty(stack), command)
    assert _REFUSED[stack] in str(refusal.value)


def test_a_job_of_a_team_of_the_stack_dev_is_admitted(command: Path) -> None:
    plan = committed_plan("dev")
    job = workload("job", "applied", 4)
    job["metadata"]["namespace"] = "applied"
    entries = (Entry(workload=job, at=1, runs=60),)
    rehearsal = Rehearsal(until=100, objects=objects_of(plan), configuration=configuration_of(plan), workloads=entries)
    assert lines(rehearse(rehearsal, command)) == [(1, "job", "admitted: v5e"), (61, "job", "finished")]
