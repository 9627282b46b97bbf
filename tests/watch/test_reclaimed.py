"""Quota that Kueue takes back before a job is over."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.watch.records import Story, stamp
from tpu.watch.timeline import entries_of, peak, rendered

if TYPE_CHECKING:
    from components.kubeapi import Document
    from tpu.watch.record import Record

_LIMITS = {"limits": {"google.com/tpu": "4"}}
_TEMPLATE = {"spec": {"containers": [{"resources": _LIMITS}]}}


def a_slice(jobset: str, number: int, completed: float | None) -> Document:
    """The Job of one slice of eight chips."""
    owner = {"kind": "JobSet", "name": jobset}
    return {
        "metadata": {
            "name": f"{jobset}-slice-{number}",
            "resourceVersion": str(900 + number),
            "ownerReferences": [owner],
        },
        "spec": {"parallelism": 2, "completions": 2, "template": _TEMPLATE},
        "status": {} if completed is None else {"completionTime": stamp(completed)},
    }


def a_pod(job: str, number: int, ended: float | None) -> Document:
    """A pod of a plain Job."""
    states = [] if ended is None else [{"state": {"terminated": {"finishedAt": stamp(ended)}}}]
    return {
        "metadata": {
            "name": f"{job}-{number}",
            "resourceVersion": str(900 + number),
            "labels": {"batch.kubernetes.io/job-name": job},
        },
        "status": {"phase": "Running" if ended is None else "Succeeded", "containerStatuses": states},
    }


def told(record: Record) -> list[str]:
    """The timeline's lines with single spaces."""
    return [" ".join(line.split()) for line in rendered(entries_of(record))][1:]


def test_a_slice_that_is_done_makes_room_before_its_jobset_is_over() -> None:
    story = Story()
    story.queued(0, "large", 16)
    story.admitted(1, "large")
    story.queued(2, "small", 8)
    story.admitted(6, "small")
    story.finished(9, "large")
    record = story.record(child_jobs=[a_slice("large", 0, 5), a_slice("large", 1, 9)])
    assert "+5s 8 large 2 pods have succeeded: Kueue releases their quota" in told(record)
    assert "+9s 8 large finished: Succeeded, jobset completed" in told(record)
    assert peak(entries_of(record)) == 16


@pytest.mark.parametrize("completed", [9, 0.5, None], ids=["with the job", "before the last admission", "not yet"])
def test_what_gives_nothing_back_early_is_not_told(completed: float | None) -> None:
    story = Story()
    story.queued(0, "run", 8)
    story.admitted(1, "run")
    story.finished(9, "run")
    assert not [line for line in told(story.record(child_jobs=[a_slice("run", 0, completed)])) if "succeeded:" in line]


def test_pods_of_a_job_give_back_their_quota_once_no_other_follows_them() -> None:
    story = Story()
    story.queued(0, "run", 12)
    story.admitted(1, "run")
    job = {
        "metadata": {"name": "run", "resourceVersion": "899"},
        "spec": {"parallelism": 3, "completions": 5, "template": _TEMPLATE},
    }
    pods = [a_pod("run", number, ended) for number, ended in enumerate((3, 4, 5, 6, None))]
    other = a_pod("other", 9, 5)
    assert [line for line in told(story.record(jobs=[job], pods=[*pods, other])) if "succeeded:" in line] == [
        "+5s 8 run 1 pod has succeeded: Kueue releases its quota",
        "+6s 4 run 1 pod has succeeded: Kueue releases its quota",
    ]
