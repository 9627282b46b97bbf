"""The tables, byte for byte as kubectl would print them with a column for the node pool."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest

from tests.watch.records import START, Story, stamp
from tpu.watch.tables import age, pod_table, workload_table

if TYPE_CHECKING:
    from components.kubeapi import Document

_NOW: Final = START.timestamp() + 151


def a_pod(name: str, created: float, node: str | None, *states: Document, **more: Any) -> Document:  # noqa: ANN401
    """A pod with one container per state; `more` goes into its metadata."""
    statuses = [
        {"ready": "running" in state, "restartCount": state.pop("restarts", 0), "state": state} for state in states
    ]
    return {
        "metadata": {"name": name, "creationTimestamp": stamp(created), **more},
        "spec": {"nodeName": node, "containers": [{}] * max(1, len(states))},
        "status": {"phase": "Running" if states else "Pending", "containerStatuses": statuses or None},
    }


def test_workloads_are_told_as_kubectl_does() -> None:
    story = Story()
    story.queued(0, "multislice-3slice", 24)
    story.admitted(1, "multislice-3slice")
    story.finished(20, "multislice-3slice")
    story.queued(60, "low", 8)
    story.queued(140, "high", 8)
    story.admitted(141, "high")
    assert "\n".join(workload_table(story.record(), _NOW)) == (
        "NAME                       QUEUE        RESERVED IN     ADMITTED   FINISHED   AGE\n"
        "jobset-multislice-3slice   team-queue   cluster-queue   True       True       2m31s\n"
        "jobset-low                 team-queue                                         91s\n"
        "jobset-high                team-queue   cluster-queue   True                  11s"
    )


def test_pods_are_told_with_their_node_pool() -> None:
    pods = [
        a_pod("a-slice-0-0-aaaaa", 30, "np1-1", {"running": {}}),
        a_pod("a-slice-0-1-aaaaa", 30, "np1-2", {"terminated": {"reason": "Completed"}}),
        a_pod("b", 149, None),
        a_pod("c", 149, "lost", {"waiting": {"reason": "ErrImagePull"}, "restarts": 2}, {"running": {}}),
        a_pod("d", 149, "np2-1", {"running": {}}, deletionTimestamp=stamp(150)),
    ]
    assert "\n".join(pod_table(Story().record(pods=pods), _NOW)) == (
        "NAME                READY   STATUS         RESTARTS   AGE    NODE POOL\n"
        "a-slice-0-0-aaaaa   1/1     Running        0          2m1s   np1\n"
        "a-slice-0-1-aaaaa   0/1     Completed      0          2m1s   np1\n"
        "b                   0/1     Pending        0          2s     -\n"
        "c                   1/2     ErrImagePull   2          2s     -\n"
        "d                   1/1     Terminating    0          2s     np2"
    )


def test_a_table_without_rows_is_its_header() -> None:
    assert list(pod_table(Story().record(), _NOW)) == ["NAME   READY   STATUS   RESTARTS   AGE   NODE POOL"]


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (-3, "0s"),
        (0.9, "0s"),
        (119.9, "119s"),
        (120, "2m"),
        (599, "9m59s"),
        (600, "10m"),
        (659, "10m"),
        (3 * 3600 - 1, "179m"),
        (3 * 3600, "3h"),
        (7 * 3600 + 59 * 60, "7h59m"),
        (8 * 3600 + 59 * 60, "8h"),
        (47 * 3600, "47h"),
        (48 * 3600, "2d"),
        (49 * 3600, "2d1h"),
        (8 * 86400 + 7200, "8d"),
        (900 * 86400, "900d"),
    ],
)
def test_ages_have_kubectls_steps(seconds: float, text: str) -> None:
    assert age(seconds) == text
