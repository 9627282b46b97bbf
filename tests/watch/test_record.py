"""What is read from a cluster, and what the readers of its documents make of them."""

from __future__ import annotations

import pytest

from components.kubeapi import ApiError, Document, UnreachableError
from components.kubeapi.jobs import condition_time, seconds
from components.pod_sets import chips_of
from tests.watch.cluster import FakeCluster
from tpu.watch.record import read_record


def an_object(name: str, *, created: str = "2026-11-21T02:33:50Z", version: int = 1, **more: object) -> Document:
    """An object with what the record sorts by; `more` goes into its metadata."""
    return {"metadata": {"name": name, "creationTimestamp": created, "resourceVersion": str(version), **more}}


def names(documents: list[Document]) -> list[str]:
    """Their names, in order."""
    return [document["metadata"]["name"] for document in documents]


def test_a_cluster_without_kueue_and_jobset_has_an_empty_record() -> None:
    record = read_record(FakeCluster(events=[], pods=[], jobs=[]).api)
    assert (record.workloads, record.jobs, record.pods, record.events, record.node_pools) == ([], [], [], [], {})


def test_the_record_is_sorted_and_leaves_system_namespaces_and_owned_jobs_out() -> None:
    owned = [{"kind": "JobSet", "name": "b"}]
    cluster = FakeCluster(
        jobsets=[an_object("b", created="2026-11-21T02:33:51Z"), an_object("a", version=9)],
        jobs=[an_object("plain", version=10), an_object("b-slice-0", ownerReferences=owned)],
        workloads=[an_object("w2", version=2), an_object("w1", version=1)],
        pods=[an_object("z"), an_object("y"), an_object("kueue", namespace="kueue-system")],
        events=[an_object("e10", version=10), an_object("e9", version=9)],
        nodes=[
            {"metadata": {"name": "n1", "labels": {"cloud.google.com/gke-nodepool": "np1"}}},
            {"metadata": {"name": "n2"}},
        ],
    )
    record = read_record(cluster.api)
    assert names(record.jobs) == ["a", "plain", "b"]
    assert names(record.workloads) == ["w1", "w2"]
    assert names(record.pods) == ["y", "z"]
    assert names(record.events) == ["e9", "e10"]
    assert record.node_pools == {"n1": "np1", "n2": "-"}


def test_a_refusal_or_absence_of_the_server_is_not_an_empty_record(monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = FakeCluster(pods=[], events=[])
    cluster.lose()
    with pytest.raises(UnreachableError):
        read_record(cluster.api)

    def forbidden(path: str) -> list[Document]:
        raise ApiError(403, {"message": f"{path} is forbidden"})

    monkeypatch.setattr(cluster, "items", forbidden)
    with pytest.raises(ApiError, match="is forbidden"):
        read_record(cluster.api)


def test_what_a_document_leaves_out_has_a_default() -> None:
    pods = {"template": {"spec": {"containers": [{"resources": {"limits": {"google.com/tpu": "4"}}}]}}}
    assert chips_of({"spec": {"podSets": [pods]}}) == 4
    written = {"type": "A", "status": "False", "lastTransitionTime": "1970-01-01T00:01:00Z"}
    assert (condition_time({"status": {"conditions": [written]}}, "A"), seconds(None)) == (None, 0.0)
