"""How long open jobs may run: by their limit, by a record, and unknown where neither tells."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.rehearsal.test_open_workloads import NOW, RUNS, WAITS
from tpu.rehearsal.times import seconds_in
from tpu.rehearsal.whatif.run_times import Runs, runs_in, runs_of
from tpu.trace.lines import SECOND, Admitted, Asked, Evicted, Finished, Line, Ready

if TYPE_CHECKING:
    from components.kubeapi.documents import Document

_KEY = "default/JobSet/train"
_RAN = 1800
"""Seconds for which `RUNS` has run."""


def _owned(workload: Document, name: str = "train", limit: int | None = None) -> Document:
    owner = {"kind": "JobSet", "name": name}
    spec = workload["spec"] if limit is None else {**workload["spec"], "maximumExecutionTimeSeconds": limit}
    return {**workload, "metadata": {**workload["metadata"], "ownerReferences": [owner]}, "spec": spec}


def _life(uid: str, job: str, *lines: Line) -> list[Line]:
    asked = Asked(at=0, uid=uid, namespace="default", name=uid, job=job, team="t", queue="q", pod_sets=())
    return [asked, *lines]


@pytest.mark.parametrize(
    ("past", "limit", "expected"),
    [
        ([], None, Runs(_RAN, None)),
        ([], 3600, Runs(_RAN, 3600)),
        ([2000, 4000], None, Runs(2000, 4000)),
        ([600, 4000], None, Runs(4000, 4000)),
        ([2000, 4000], 3600, Runs(2000, 3600)),
        ([600], None, Runs(_RAN, None)),
        ([600], 900, Runs(_RAN, _RAN)),
    ],
    ids=["unknown", "limit", "past", "shorter than it runs", "both", "longer than all before", "over its limit"],
)
def test_a_running_job_ends_within(past: list[int], limit: int | None, expected: Runs) -> None:
    assert runs_of(_owned(RUNS, limit=limit), {_KEY: past}, NOW) == expected


def test_a_waiting_job_has_not_run() -> None:
    assert runs_of(_owned(WAITS), {}, NOW) == Runs(0, None)
    assert runs_of(_owned(WAITS, "train-2026112501"), {_KEY: [50]}, NOW) == Runs(50, 50)


def test_a_record_tells_how_long_jobs_took_that_succeeded() -> None:
    def at(seconds: int) -> int:
        return seconds * SECOND

    lines = [
        *_life("a", "JobSet/train", Admitted(at=at(10), uid="a"), Ready(at=at(70), uid="a")),
        Finished(at=at(170), uid="a", reason="Succeeded"),
        *_life(
            "b", "JobSet/train-x4k2p", Admitted(at=at(10), uid="b"), Evicted(at=at(20), uid="b", reason="Preempted")
        ),
        Admitted(at=at(100), uid="b"),
        Finished(at=at(400), uid="b", reason="Succeeded"),
        *_life("c", "JobSet/train", Admitted(at=at(0), uid="c"), Finished(at=at(5), uid="c", reason="Failed")),
        *_life("d", "JobSet/train", Finished(at=at(5), uid="d", reason="Succeeded")),
    ]
    assert runs_in(lines) == {_KEY: [100, 300]}


@pytest.mark.parametrize("text", ["", "4", "h", "4 h", "-4h", "0m", "4h5"])
def test_what_is_not_a_duration_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="Valid: 4h, 90m, 1h30m, 2d"):
        seconds_in(text)
