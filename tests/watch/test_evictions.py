"""Jobs that were evicted for pods that were not ready, and Workloads by which Kueue tries each flavor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.watch.jobs import OUT_OF_STOCK, QUEUES, a_job, a_pod, a_request, a_workload, said
from tests.watch.records import Story, condition
from tpu.watch.entries import workload_entries
from tpu.watch.states import State, job_states

if TYPE_CHECKING:
    from components.kubeapi import Document

_FULL = {**condition("QuotaReserved", 1, "Pending", "insufficient unused quota"), "status": "False"}
_HELD = condition("QuotaReserved", 1)
_FLEX = "cloud.google.com/gke-flex-start"


def _state(job: Document, **more: Any) -> State:  # noqa: ANN401  fields of Record
    (found,) = job_states(Story().record(**{"jobs": [job], **more, **QUEUES})).values()
    return found


def _variant(flavor: str, *conditions: Document, **spec: Any) -> Document:  # noqa: ANN401  any field
    """The Workload by which Kueue tries a flavor for the Workload of the job `a`."""
    made = a_workload("a", *conditions, **spec)
    owner = {"kind": "Workload", "name": "jobset-a", "uid": "Workload-a"}
    annotations = {"kueue.x-k8s.io/workload-allowed-resource-flavors": flavor}
    named = {"name": f"a-{flavor}", "uid": f"Variant-{flavor}", "ownerReferences": [owner], "annotations": annotations}
    return {**made, "metadata": {**made["metadata"], **named}}


def _child(job: str, selector: dict[str, str]) -> Document:
    labels = {"jobset.sigs.k8s.io/replicatedjob-name": "slice"}
    metadata = {"name": f"{job}-slice-0", "labels": labels, "ownerReferences": [{"kind": "JobSet", "name": job}]}
    return {"metadata": metadata, "spec": {"template": {"spec": {"nodeSelector": selector}}}}


def _jobset(selector: dict[str, str]) -> Document:
    template = {"spec": {"template": {"spec": {"nodeSelector": selector}}}}
    return a_job("a", replicatedJobs=[{"name": "slice", "template": template}])


def test_that_a_job_was_evicted_before_is_added_to_why_it_has_no_nodes() -> None:
    workload = a_workload("a", _HELD, condition("Admitted", 1))
    workload["status"]["requeueState"] = {"count": 1}
    found = _state(
        a_job("a"), pods=[a_pod("a")], events=said("a", ("FailedScaleUp", OUT_OF_STOCK)), workloads=[workload]
    )
    before = "Kueue evicted it before, because its pods were not ready in time (once so far)"
    assert found.why == f"waits for capacity: {OUT_OF_STOCK}; {before}"


def test_a_jobset_whose_jobs_keep_an_earlier_selector_is_told_how_to_get_rid_of_it() -> None:
    child = _child("a", {"zone": "b", _FLEX: "true"})
    found = _state(_jobset({"zone": "b"}), pods=[a_pod("a")], child_jobs=[child])
    assert (found.word, found.why) == (
        "waiting",
        (
            f"waits for nodes that do not exist: its Jobs keep the selector {_FLEX} of the flavor before. Delete them, "
            "and JobSet makes them anew: kubectl delete jobs --namespace default --selector "
            "jobset.sigs.k8s.io/jobset-name=a"
        ),
    )


def test_a_jobset_whose_jobs_select_what_it_says_waits_for_nodes() -> None:
    for child in (_child("a", {"zone": "b"}), _child("other", {_FLEX: "true"})):
        assert _state(_jobset({"zone": "b"}), pods=[a_pod("a")], child_jobs=[child]).why.startswith("waits for cap")


def test_a_workload_that_tries_all_flavors_says_why_each_does_not_admit_it() -> None:
    variants = [_variant("reserved", _FULL), _variant("flex", _HELD), _variant("spot", active=False)]
    found = _state(a_job("a", suspend=True), workloads=[a_workload("a")], variants=variants)
    assert (found.word, found.why) == (
        "coming",
        (
            "waits for one of its flavors: reserved waits for quota: insufficient unused quota; flex has quota and "
            "waits for admission checks: none has answered yet"
        ),
    )


def test_the_request_of_one_of_its_flavors_is_what_it_waits_for() -> None:
    request = a_request("a", condition("Accepted", 1))
    request["metadata"]["ownerReferences"][0]["uid"] = "Variant-flex"
    found = _state(
        a_job("a", suspend=True), workloads=[a_workload("a")], variants=[_variant("flex", _HELD)], requests=[request]
    )
    assert found.why.startswith("waits for capacity: ProvisioningRequest jobset-a-nodes-1 is queued")


def test_what_is_said_of_a_flavor_is_told_of_the_job_once() -> None:
    event = {**said("a", ("QuotaReserved", "Quota reserved"))[0], "involvedObject": {"uid": "Variant-flex"}}
    record = Story().record(workloads=[a_workload("a")], variants=[_variant("flex", _HELD)], events=[event])
    assert [(entry.job, entry.text) for entry in workload_entries(record)] == [
        ("a", "queued in lq: requests no chips"),
        ("a", "Quota reserved"),
    ]
