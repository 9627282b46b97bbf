"""The timeline and an explanation as data, which programs read as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubeapi.documents import entries, section
from operations.watch.entries import time_of
from operations.watch.explain import sentence
from operations.watch.record import admitted_by
from operations.watch.requests import unit_of
from operations.watch.states import job_states, state_of
from operations.watch.timeline import entries_of, peak

if TYPE_CHECKING:
    from operations.watch.explain import Subject
    from operations.watch.record import Record


def timeline_data(record: Record, *, is_settled: bool) -> dict[str, Any]:
    """What happened, and the state of each job.

    `seconds` counts from the first entry, `admitted` is what is under admission after the entry, in `unit`.
    """
    found, admitted = entries_of(record), 0
    lines: list[dict[str, Any]] = []
    for entry in found:
        admitted += entry.chips
        seconds = round(record.lasted(found[0].time, entry.time))
        lines.append({"seconds": seconds, "admitted": admitted, "job": entry.job, "text": entry.text})
    states = {job: {"state": state.word, "why": state.why} for job, state in job_states(record).items()}
    return {
        "entries": lines,
        "unit": unit_of(record),
        "peak": peak(found),
        "jobs": [{"name": job, **state} for job, state in states.items()],
        "settled": is_settled,
    }


def explained_data(record: Record, subject: Subject) -> dict[str, Any]:
    """What is known of a job; `state` is `gone` for one that is deleted, and `workload` None where there is none."""
    state = None if subject.evidence is None else state_of(subject.evidence).word
    return {
        "job": subject.label,
        "state": "gone" if state is None else state,
        "why": sentence(subject),
        "workload": next(map(_workload, subject.workloads), None),
        "pods": [_pod(record, pod) for pod in subject.pods],
        "events": [_event(record, subject, event) for event in subject.events],
    }


def _workload(workload: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": workload["metadata"]["name"],
        "queue": section(workload, "spec").get("queueName"),
        "reservedIn": admitted_by(workload) or None,
        "conditions": entries(workload, "status", "conditions"),
    }


def _pod(record: Record, pod: dict[str, Any]) -> dict[str, Any]:
    node = section(pod, "spec").get("nodeName")
    return {
        "name": pod["metadata"]["name"],
        "phase": section(pod, "status").get("phase"),
        "node": node,
        "nodePool": None if node is None else record.node_pools.get(node),
    }


def _event(record: Record, subject: Subject, event: dict[str, Any]) -> dict[str, Any]:
    about = section(event, "involvedObject")
    return {
        "seconds": round(record.lasted(time_of(subject.events[0]), time_of(event))),
        "about": {"kind": about.get("kind"), "name": about.get("name")},
        "reason": event.get("reason"),
        "message": event.get("message"),
    }
