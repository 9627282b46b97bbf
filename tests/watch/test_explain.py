"""One job explained: its Workload, pods and events, and in the last line why it waits."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from tests.watch.jobs import BACKED_OFF, ORDERED, OUT_OF_STOCK, QUEUES, TOO_FEW, a_job, a_pod, a_workload, said
from tests.watch.records import START, Story, condition
from tpu.watch.explain import UnknownJobError, explained, find

if TYPE_CHECKING:
    from tpu.watch.record import Record

_NO_QUOTA = "couldn't assign flavors to pod set slice: insufficient unused quota for google.com/tpu, 16 more needed"


def lines(record: Record, name: str = "a", namespace: str | None = None) -> list[str]:
    """The explanation, with single spaces."""
    found = explained(record, find(record, name, namespace), START.timestamp() + 30)
    return [" ".join(line.split()) for line in found]


def a_record(**more: Any) -> Record:  # noqa: ANN401  fields of Record
    """A record with the JobSet `a` and its queues."""
    return Story().record(**{"jobs": [a_job("a")], **QUEUES, **more})


def test_a_wait_for_quota_is_told_in_kueues_words() -> None:
    reserved = {**condition("QuotaReserved", 1, "Pending", _NO_QUOTA), "status": "False"}
    story = Story()
    story.event(1, "Workload", "a", "Pending", _NO_QUOTA)
    record = a_record(jobs=[a_job("a", suspend=True)], workloads=[a_workload("a", reserved)], events=story.events)
    assert lines(record) == [
        "JobSet a: requests no chips",
        "",
        "Workload jobset-a in queue lq",
        "CONDITION STATUS REASON SINCE MESSAGE",
        f"QuotaReserved False Pending 2026-11-21T02:33:51Z {_NO_QUOTA}",
        "",
        "TIME ABOUT REASON MESSAGE",
        f"+0s Workload jobset-a Pending {_NO_QUOTA}",
        "",
        f"a waits for quota: {_NO_QUOTA}",
    ]
    assert lines(record, "jobset-a") == lines(record)


def test_an_unschedulable_pod_is_told_in_the_schedulers_words() -> None:
    record = a_record(pods=[a_pod("a")], events=said("a", ("FailedScheduling", TOO_FEW)))
    assert lines(record)[2:] == [
        "NAME READY STATUS RESTARTS AGE NODE POOL",
        "a-slice-0-0-aaaaa 0/1 Pending 0 30s -",
        "",
        "TIME ABOUT REASON MESSAGE",
        f"+0s Pod a-slice-0-0-aaaaa FailedScheduling {TOO_FEW}",
        "",
        f"a waits for capacity: {TOO_FEW}",
    ]


def test_out_of_stock_is_told_in_the_autoscalers_words_and_in_order() -> None:
    told = (("TriggeredScaleUp", ORDERED), ("FailedScaleUp", OUT_OF_STOCK), ("NotTriggerScaleUp", BACKED_OFF))
    found = lines(a_record(pods=[a_pod("a")], events=said("a", *told)))
    assert [line.split()[:4] for line in found[6:9]] == [
        ["+0s", "Pod", "a-slice-0-0-aaaaa", "TriggeredScaleUp"],
        ["+1s", "Pod", "a-slice-0-0-aaaaa", "FailedScaleUp"],
        ["+2s", "Pod", "a-slice-0-0-aaaaa", "NotTriggerScaleUp"],
    ]
    assert found[-1] == f"a waits for capacity: {OUT_OF_STOCK}"


@pytest.mark.parametrize(
    ("record", "sentence"),
    [
        (a_record(jobs=[a_job("a", "Completed")]), "a is done: Because, it is so"),
        (a_record(jobs=[a_job("a", "Failed")]), "a has failed: Because, it is so"),
        (
            a_record(pods=[a_pod("a", "Running", "n1"), a_pod("a")]),
            f"a runs partly: 1 of 2 pods; 1 pod waits for capacity: {TOO_FEW}",
        ),
    ],
)
def test_what_does_not_wait_is_told_as_it_is(record: Record, sentence: str) -> None:
    assert lines(record)[-1] == sentence


def test_what_several_pods_were_told_is_one_row() -> None:
    story = Story()
    for host in (0, 1):
        story.event(3, "Pod", f"a-slice-0-{host}-aaaaa", "FailedScheduling", TOO_FEW)
    assert f"+0s 2 pods FailedScheduling {TOO_FEW}" in lines(a_record(events=story.events))


def test_events_of_others_are_left_out() -> None:
    story = Story()
    story.event(1, "JobSet", "ab", "Failed", "another")
    story.event(1, "Pod", "a-b-slice-0-0-aaaaa", "Failed", "another")
    story.event(1, "Job", "a-slice-0", "Created", "its own child")
    story.event(1, "Node", "a", "Failed", "a node")
    record = a_record(jobs=[a_job("a"), a_job("a-b")], events=story.events)
    assert [line for line in lines(record) if line.startswith("+")] == ["+0s Job a-slice-0 Created its own child"]


def test_a_job_that_is_gone_is_told_by_its_events() -> None:
    story = Story()
    story.event(1, "Job", "sample-x7k2p", "Completed", "Job completed")
    found = lines(Story().record(jobs=[], events=story.events), "sample-x7k2p")
    assert found[1:2] == ["TIME ABOUT REASON MESSAGE"]
    assert found[-1].startswith("sample-x7k2p is gone; these are its last events.")


@pytest.mark.parametrize(
    ("name", "namespace", "text"),
    [
        ("trian", None, "no job named trian; did you mean train?"),
        ("zzz", None, "no job named zzz; there are team/train, train"),
        ("train", "other", "no job named train in namespace other; there are none"),
        ("train", None, "train is in several namespaces: team/train, train; choose one with --namespace"),
    ],
)
def test_a_name_that_leads_to_no_job_is_refused(name: str, namespace: str | None, text: str) -> None:
    jobs = [a_job("train"), a_job("train")]
    jobs[1]["metadata"]["namespace"] = "team"
    with pytest.raises(UnknownJobError, match=f"^{re.escape(text)}$"):
        find(Story().record(jobs=jobs), name, namespace)


def test_a_namespace_chooses_among_jobs_of_one_name() -> None:
    jobs = [a_job("train"), a_job("train")]
    jobs[1]["metadata"]["namespace"] = "team"
    assert find(Story().record(jobs=jobs), "train", "team").label == "team/train"
    assert find(Story().record(jobs=jobs), "train", "default").label == "train"
