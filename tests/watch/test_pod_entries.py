"""What the timeline tells of jobs without Kueue, of pods without a node, and of nodes that come and go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.watch.jobs import NOT_HELPED, ORDERED, OUT_OF_STOCK, TOO_FEW, a_job, a_pod, said
from tests.watch.records import Story, stamp
from tpu.watch.requests import unit_of
from tpu.watch.timeline import entries_of, rendered

if TYPE_CHECKING:
    from components.kubeapi import Document


def told(**more: Any) -> list[str]:  # noqa: ANN401  fields of Record
    """The timeline's lines without their header, with single spaces."""
    record = Story().record(**more)
    return [" ".join(line.split()) for line in rendered(entries_of(record), unit_of(record))][1:]


def an_event(second: float, kind: str, name: str, reason: str, message: str, **more: Any) -> Document:  # noqa: ANN401  any field
    """An event, at its place by its second."""
    return {
        "metadata": {"resourceVersion": str(1000 + int(second)), "creationTimestamp": stamp(second)},
        "involvedObject": {"kind": kind, "name": name, "uid": f"{kind}-{name}"},
        "reason": reason,
        "message": message,
        "firstTimestamp": stamp(second),
        "lastTimestamp": stamp(second),
        **more,
    }


def bound(second: float, pod: str, node: str) -> Document:
    """The scheduler bound a pod."""
    return an_event(second, "Pod", pod, "Scheduled", f"Successfully assigned default/{pod} to {node}")


def a_node(name: str, second: float) -> Document:
    """A node that is there since that second."""
    labels = {"cloud.google.com/gke-nodepool": "np1"}
    return {"metadata": {"name": name, "labels": labels, "creationTimestamp": stamp(second)}}


def test_a_job_without_kueue_is_told_from_its_creation_to_its_end_without_a_column_of_chips() -> None:
    template = {"spec": {"containers": [{"resources": {"limits": {"google.com/tpu": "4"}}}]}}
    record = Story().record(jobs=[a_job("job-2", "Complete", kind="Job", parallelism=2, template=template)])
    assert list(rendered(entries_of(record), unit_of(record))) == [
        "   time  job    what happened",
        "    +0s  job-2  created: requests 8 chips",
        "    +9s  job-2  finished: Because, it is so",
    ]


def test_a_failed_job_is_told_so() -> None:
    assert told(jobs=[a_job("a", "Failed")])[-1] == "+9s a failed: Because, it is so"


def test_pods_of_plain_and_indexed_jobs_are_placed_by_bursts() -> None:
    events = [bound(1, "job-2-0-abcde", "np1-1"), bound(2, "job-2-1-abcde", "np1-2"), bound(30, "job-2-fghij", "np2-1")]
    assert told(jobs=[a_job("job-2", kind="Job")], events=events)[1:] == [
        "+2s job-2 2 pods placed on np1: np1-1, np1-2",
        "+30s job-2 1 pod placed on np2: np2-1",
    ]


def test_a_wait_for_capacity_is_told_once_per_word_with_its_reason() -> None:
    events = said(
        "a",
        ("FailedScheduling", TOO_FEW),
        ("FailedScheduling", f"{TOO_FEW} again"),
        ("TriggeredScaleUp", ORDERED),
        ("FailedScaleUp", OUT_OF_STOCK),
        ("NotTriggerScaleUp", NOT_HELPED),
    )
    assert told(jobs=[a_job("a")], pods=[a_pod("a")], events=events)[1:] == [
        f"+0s a waits for capacity (1 pod): {TOO_FEW}",
        f"+2s a nodes are ordered (1 pod): {ORDERED}",
        f"+3s a waits for capacity (1 pod): {OUT_OF_STOCK}",
        f"+4s a the autoscaler adds no node (1 pod): {NOT_HELPED}",
    ]


def test_a_pod_that_is_placed_soon_after_the_scheduler_found_nothing_is_not_told_as_waiting() -> None:
    pod = "a-slice-0-0-aaaaa"
    events = [an_event(1, "Pod", pod, "FailedScheduling", TOO_FEW), bound(2, pod, "np1-1")]
    assert told(jobs=[a_job("a")], events=events)[1:] == ["+2s a slice 0 placed on np1: np1-1"]


def test_a_preemption_by_the_scheduler_names_the_job_that_takes_the_nodes() -> None:
    high = "high-slice-0-0-bbbbb"
    events = [
        an_event(5, "Pod", f"low-slice-0-{host}-aaaaa", "Preempted", f"Preempted by pod Pod-{high} on node n{host}")
        for host in (0, 1)
    ]
    jobs = [a_job("low"), a_job("high")]
    assert told(jobs=jobs, events=[*events, bound(6, high, "np1-1")])[2:] == [
        "+5s low preempted by the scheduler (2 pods): high takes node n0",
        "+6s high slice 0 placed on np1: np1-1",
    ]
    assert told(jobs=jobs, events=events)[2:] == [
        f"+5s low preempted by the scheduler (2 pods): Preempted by pod Pod-{high} on node n0"
    ], "nothing is known of a pod that no event names"


def test_losses_of_nodes_and_restarts_are_told() -> None:
    events = [
        an_event(5, "Node", "np1-1", "NodeNotReady", "Node np1-1 status is now: NodeNotReady"),
        an_event(5, "Pod", "a-slice-0-0-aaaaa", "NodeNotReady", "Node is not ready"),
        an_event(9, "Pod", "a-slice-0-0-aaaaa", "TaintManagerEviction", "Marking for deletion"),
        an_event(10, "JobSet", "a", "RestartJobSetFailurePolicyAction", "applying RestartJobSet failure policy action"),
        an_event(11, "JobSet", "a", "Suspended", "Kueue's, told by its Workload"),
    ]
    assert told(jobs=[a_job("a")], events=events)[1:] == [
        "+5s a runs on a node that is not ready (1 pod): Node is not ready",
        "+5s pool np1 1 node is not ready: np1-1",
        "+9s a evicted from a failed node (1 pod): Marking for deletion",
        "+10s a RestartJobSetFailurePolicyAction: applying RestartJobSet failure policy action",
    ]


def test_nodes_that_come_and_go_are_told_by_pool_and_burst_since_the_first_job() -> None:
    nodes = [a_node("old", -500), a_node("n1", 20), a_node("n2", 22)]
    events = [
        an_event(20, "Node", "np2-1", "RegisteredNode", "Node np2-1 event: Registered Node np2-1 in Controller"),
        an_event(50, "Node", "old", "RegisteredNode", "the controller started again"),
        an_event(60, "Node", "np2-1", "RemovingNode", "Node np2-1 event: Removing Node np2-1 from Controller"),
        an_event(61, "Node", "unheard", "RemovingNode", "Node unheard event: Removing Node unheard from Controller"),
    ]
    assert told(jobs=[a_job("a")], nodes=nodes, events=events)[1:] == [
        "+20s pool np1 2 nodes came: n1, n2",
        "+20s pool np2 1 node came: np2-1",
        "+60s pool np2 1 node went: np2-1",
        "+61s nodes 1 node went: unheard",
    ]


def test_gpus_under_admission_are_counted_as_chips_are() -> None:
    story = Story()
    story.queued(0, "a", 8)
    pod = story.workloads["a"]["spec"]["podSets"][0]["template"]["spec"]
    pod["containers"] = [{"resources": {"requests": {"nvidia.com/gpu": "1"}}}]
    story.admitted(1, "a")
    lines = list(rendered(entries_of(story.record()), unit_of(story.record())))
    assert lines[0].split() == ["time", "GPUs", "job", "what", "happened"]
    assert lines[1].endswith("queued in team-queue: requests 2 GPUs")
    assert lines[2].split()[:2] == ["+1s", "2"]
