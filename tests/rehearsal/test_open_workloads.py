"""Open Workloads as the API server lists them become entries of a rehearsal."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from tests.rehearsal.platforms import TPU, cluster_queue, queues, rehearsal
from tests.rehearsal.told import lines
from tpu.rehearsal.open_workloads import open_entries
from tpu.rehearsal.running import rehearse

if TYPE_CHECKING:
    from pathlib import Path

NOW = datetime.fromisoformat("2026-11-25T08:00:00Z")


def listed(name: str, created: str, *conditions: tuple[str, str], **status: object) -> dict[str, Any]:
    """A Workload as it is listed, with conditions that became true at a time."""
    container = {
        "name": "main",
        "image": "train",
        "env": [{"name": "TOKEN", "value": "secret"}],
        "resources": {"requests": {TPU: "8"}},
    }
    return {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "Workload",
        "metadata": {
            "name": name,
            "namespace": "default",
            "uid": f"uid-of-{name}",
            "creationTimestamp": created,
            "labels": {"kueue.x-k8s.io/job-uid": f"uid-of-the-job-{name}"},
            "managedFields": [{"manager": "kueue"}],
        },
        "spec": {
            "queueName": "a",
            "podSets": [
                {"name": "main", "count": 1, "template": {"metadata": {}, "spec": {"containers": [container]}}}
            ],
        },
        "status": {
            "conditions": [
                {"type": type_, "status": "True", "lastTransitionTime": at, "reason": type_, "message": ""}
                for type_, at in conditions
            ],
            **status,
        },
    }


ADMISSION = {
    "clusterQueue": "a",
    "podSetAssignments": [{"name": "main", "count": 1, "flavors": {TPU: "v5e"}, "resourceUsage": {TPU: "8"}}],
}
RUNS = listed(
    "runs",
    "2026-11-25T07:00:00Z",
    ("QuotaReserved", "2026-11-25T07:30:00Z"),
    ("Admitted", "2026-11-25T07:30:00Z"),
    admission=ADMISSION,
)
WAITS = listed("waits", "2026-11-25T06:59:00Z")
DONE = listed("done", "2026-11-25T05:00:00Z", ("Finished", "2026-11-25T06:00:00Z"), admission=ADMISSION)
EVICTED = listed(
    "evicted",
    "2026-11-25T07:10:00Z",
    ("Admitted", "2026-11-25T07:20:00Z"),
    ("Evicted", "2026-11-25T07:59:50Z"),
    admission=ADMISSION,
)


def test_they_are_entered_with_their_times_and_without_what_does_not_decide() -> None:
    entries = open_entries([RUNS, WAITS, DONE, EVICTED], NOW, lambda _: 3600)
    assert [(each.workload["metadata"]["name"], each.at, each.admitted) for each in entries] == [
        ("waits", -3660, None),
        ("runs", -3600, -1800),
        ("evicted", -3000, None),
    ]
    text = rehearsal((), entries).text()
    assert "secret" not in text
    assert "managedFields" not in text


def test_a_rehearsal_goes_on_from_them(command: Path) -> None:
    entries = open_entries([WAITS, RUNS], NOW, lambda _: 3600)
    told = rehearsal(queues(cluster_queue("a", {"v5e": 8})), entries)
    assert lines(rehearse(told, command)) == [
        (-1800, "runs", "admitted: v5e"),
        (1800, "runs", "finished"),
        (1801, "waits", "admitted: v5e"),
        (5401, "waits", "finished"),
    ]
