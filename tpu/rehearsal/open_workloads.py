"""Turns the open Workloads of a running cluster into entries of a rehearsal."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Final

from components.kubeapi.documents import Document, condition, entries, is_true, section
from tpu.rehearsal.document import Entry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


_SPEC: Final = ("active", "maximumExecutionTimeSeconds", "podSets", "priority", "priorityClassRef", "queueName")
_CONTAINER: Final = ("name", "resources", "restartPolicy")
_POD: Final = ("affinity", "nodeSelector", "overhead", "resources", "tolerations")
_POD_SET: Final = ("count", "minCount", "name")


def open_entries(workloads: Iterable[Document], now: datetime, runs: Callable[[Document], int | None]) -> list[Entry]:
    """Entries of the Workloads that have not finished, oldest first.

    Args:
        workloads: Workloads as the API server lists them.
        now: the time of the listing, which is the start of the rehearsal.
        runs: the seconds of work of a Workload's job, None when they are unknown.
    """
    unfinished = [each for each in workloads if not is_true(each, "Finished")]
    made = [_entry(each, now, runs(each)) for each in unfinished]
    return sorted(made, key=lambda entry: entry.at)


def _entry(workload: Document, now: datetime, runs: int | None) -> Entry:
    at = min(0, _seconds(workload["metadata"]["creationTimestamp"], now))
    admitted = None
    if is_true(workload, "Admitted") and not is_true(workload, "Evicted"):
        since = _seconds(condition(workload, "Admitted")["lastTransitionTime"], now)
        admitted = min(0, max(at, since))
    return Entry(workload=what_decides(workload, is_admitted=admitted is not None), at=at, admitted=admitted, runs=runs)


def _seconds(time: str, now: datetime) -> int:
    return round((datetime.fromisoformat(time) - now).total_seconds())


def what_decides(workload: Document, *, is_admitted: bool) -> Document:
    """The fields of a Workload that Kueue's decisions depend on; the rest may be new to the command, or secret.

    Labels are left out: Kueue ends a Workload that has the uid of a job in a label, and no job as its owner.
    """
    metadata = section(workload, "metadata")
    pod_sets = [_pod_set(each) for each in entries(workload, "spec", "podSets")]
    kept = {
        "apiVersion": workload["apiVersion"],
        "kind": workload["kind"],
        "metadata": _kept(metadata, ("name", "namespace")),
        "spec": {**_kept(section(workload, "spec"), _SPEC), "podSets": pod_sets},
    }
    if is_admitted:
        kept["status"] = {
            "admission": section(workload, "status", "admission"),
            "admissionChecks": [{"name": each["name"]} for each in entries(workload, "status", "admissionChecks")],
        }
    return kept


def _pod_set(pod_set: Document) -> Document:
    pod = section(pod_set, "template", "spec")
    containers = {
        key: [_kept(each, _CONTAINER) for each in entries(pod, key)]
        for key in ("containers", "initContainers")
        if entries(pod, key)
    }
    return {**_kept(pod_set, _POD_SET), "template": {"spec": {**_kept(pod, _POD), **containers}}}


def _kept(document: Document, keys: Iterable[str]) -> Document:
    return {key: document[key] for key in keys if document.get(key) is not None}
