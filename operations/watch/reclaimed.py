"""Quota that Kueue releases before a job is over, and gives to other workloads at once.

For a JobSet that is the quota of each of its Jobs that has succeeded; for a Job with several pods the quota of each pod
that has succeeded and that no other pod follows. Source: Kueue 0.16, `ReclaimablePods` in
pkg/controller/jobs/jobset and pkg/controller/jobs/job.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Final, NamedTuple

from components.model.facts import gke
from kubeapi.documents import entries, section
from operations.watch.entry import Entry, order_of, release_rank
from operations.watch.record import condition_time, job_of_pod, label, owner_label, seconds
from operations.watch.requests import accelerators_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubeapi.documents import Document
    from operations.watch.record import Record

_SUCCEEDED: Final = "Succeeded"


class _Part(NamedTuple):
    """A part of a job that has succeeded."""

    ended: float
    """Seconds since the epoch, whole."""
    order: int
    pods: int
    accelerators: int
    """Chips and GPUs that it gave back."""


def reclaimed(record: Record, workload: Document) -> list[Entry]:
    """An entry for each second in which a Workload gave back a part of its quota, before its end, oldest first."""
    taken, over = condition_time(workload, "QuotaReserved"), condition_time(workload, "Finished")
    if taken is None:
        return []
    job = owner_label(workload)
    parts = [*_jobs_of(record, job), *_pods_of(record, job)]
    early = sorted(part for part in parts if taken <= part.ended and (over is None or part.ended < over))
    return [_entry(job, taken, ended, list(together)) for ended, together in groupby(early, lambda part: part.ended)]


def _entry(job: str, taken: float, ended: float, parts: list[_Part]) -> Entry:
    pods = sum(part.pods for part in parts)
    back = sum(part.accelerators for part in parts)
    whose = "pods have succeeded: Kueue releases their" if pods > 1 else "pod has succeeded: Kueue releases its"
    return Entry(
        ended, release_rank(taken, ended), max(part.order for part in parts), job, f"{pods} {whose} quota", -back
    )


def _jobs_of(record: Record, jobset: str) -> Iterator[_Part]:
    """The Jobs of a JobSet that have succeeded."""
    for job in record.child_jobs:
        completed = section(job, "status").get("completionTime")
        if owner_label(job) == jobset and completed:
            pods = int(section(job, "spec").get("parallelism", 1))
            yield _Part(seconds(completed), order_of(job), pods, accelerators_of(job))


def _pods_of(record: Record, name: str) -> Iterator[_Part]:
    """The pods of a Job that have succeeded, as far as none follows them."""
    job = next((each for each in record.jobs if label(each) == name and "template" in section(each, "spec")), None)
    parallelism = int(section(job, "spec").get("parallelism", 1)) if job is not None else 1
    if job is None or parallelism == 1:
        return
    followed = int(section(job, "spec").get("completions", parallelism)) - parallelism
    ended = sorted((_end_of(pod), order_of(pod)) for pod in record.pods if _has_succeeded(pod, name))
    for moment, order in ended[followed:]:
        yield _Part(moment, order, 1, accelerators_of(job) // parallelism)


def _has_succeeded(pod: Document, job: str) -> bool:
    is_of_jobset = gke.LABEL_JOBSET_NAME in section(pod, "metadata", "labels")
    return not is_of_jobset and job_of_pod(pod) == job and section(pod, "status").get("phase") == _SUCCEEDED


def _end_of(pod: Document) -> float:
    """When the last container of a pod ended."""
    states = (section(each, "state", "terminated") for each in entries(pod, "status", "containerStatuses"))
    return max((seconds(state.get("finishedAt")) for state in states), default=0.0)
