"""All that the API server knows of one job: its Workload, its pods, their events, and in one sentence why it waits."""

from __future__ import annotations

import difflib
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kubeapi.documents import entries, section
from operations.watch.ends import end_of
from operations.watch.entry import order_of, time_of
from operations.watch.placements import job_of, pod_label
from operations.watch.record import admitted_by, job_of_pod, label, label_of, owner_label, seconds
from operations.watch.requests import asks_text
from operations.watch.states import job_states
from operations.watch.tables import pod_table, table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kubeapi.documents import Document
    from operations.watch.record import Record


_KINDS: Final = ("JobSet", "RayJob", "Job")


class UnknownJobError(Exception):
    """No job of that name is known, or several are; the text says which there are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """The job that is explained."""

    label: str
    """As `watch.record.label` calls it."""
    job: Document | None
    """None once it is deleted."""
    workload: Document | None
    """None where Kueue does not manage it, or once it is deleted."""
    pods: list[Document]
    events: list[Document]
    """About the job, its Workload and its pods, oldest first."""


def find(record: Record, name: str, namespace: str | None) -> Subject:
    """The job of that name, or of the Workload of that name; a deleted one by its events.

    Args:
        record: the cluster.
        name: of a JobSet, RayJob, Job or Workload.
        namespace: where it is; None looks everywhere.

    Raises:
        UnknownJobError: there is none, or there are several.
    """
    known = _names(record)
    found = sorted({job for (where, called), job in known.items() if called == name and namespace in (None, where)})
    if len(found) > 1:
        raise UnknownJobError(f"{name} is in several namespaces: {', '.join(found)}; choose one with --namespace")
    if not found:
        raise UnknownJobError(_unknown(known, name, namespace))
    return _subject(record, found[0])


def explained(record: Record, subject: Subject, now: float) -> Iterator[str]:
    """What is known of the job as lines, the last of them one sentence; `now` in seconds since the epoch."""
    if subject.job is not None:
        yield f"{subject.job.get('kind', 'Job')} {subject.label}: {asks_text(subject.job)}"
    if subject.workload is not None:
        yield ""
        yield from _workload(subject.workload)
    if subject.pods:
        yield ""
        yield from pod_table(record, now, subject.pods)
    yield ""
    yield from _events(record, subject)
    yield ""
    yield sentence(record, subject)


def sentence(record: Record, subject: Subject) -> str:
    """Why it waits, or how far it is."""
    if subject.job is None:
        return f"{subject.label} is gone; these are its last events. A finished Job is deleted after its TTL."
    end = end_of(subject.job)
    if end is not None:
        said = ", ".join(filter(None, (end.reason, end.message)))
        return f"{subject.label} {'has failed' if end.is_failure else 'is done'}: {said}"
    state = job_states(record)[subject.label]
    if state.word == "running":
        placed = sum(bool(section(pod, "spec").get("nodeName")) for pod in subject.pods)
        return f"{subject.label} runs: {placed} of its {len(subject.pods)} pods are on nodes."
    return f"{subject.label} {state.why}"


def _names(record: Record) -> dict[tuple[str, str], str]:
    """Every name by which a job is known, with its namespace; the value is the job's label."""
    known: dict[tuple[str, str], str] = {}
    for event in record.events:
        about = section(event, "involvedObject")
        if about.get("kind") in _KINDS and not _is_child(record, event):
            known[_namespace(about), str(about.get("name"))] = label_of(about.get("namespace"), str(about.get("name")))
    for workload in record.workloads:
        known[_namespace(workload["metadata"]), workload["metadata"]["name"]] = owner_label(workload)
    for job in record.jobs:
        known[_namespace(job["metadata"]), job["metadata"]["name"]] = label(job)
    return known


def _is_child(record: Record, event: Document) -> bool:
    """Whether an event is about the Job of a JobSet that is there."""
    about = section(event, "involvedObject")
    name = label_of(about.get("namespace"), str(about.get("name")))
    return about.get("kind") == "Job" and any(
        job.get("kind") == "JobSet" and name.startswith(f"{label(job)}-") for job in record.jobs
    )


def _namespace(metadata: Document) -> str:
    return str(metadata.get("namespace") or "default")


def _unknown(known: dict[tuple[str, str], str], name: str, namespace: str | None) -> str:
    where = f" in namespace {namespace}" if namespace is not None else ""
    names = sorted({called for (space, called) in known if namespace in (None, space)})
    near = difflib.get_close_matches(name, names, n=3)
    if near:
        return f"no Job, JobSet or Workload named {name}{where}; did you mean {' or '.join(near)}?"
    jobs = sorted({job for (space, _), job in known.items() if namespace in (None, space)})
    return f"no Job, JobSet or Workload named {name}{where}; there are {', '.join(jobs) or 'none'}"


def _subject(record: Record, name: str) -> Subject:
    workload = next((each for each in record.workloads if owner_label(each) == name), None)
    uid = workload["metadata"]["uid"] if workload is not None else None
    labels = sorted({name, *(label(job) for job in record.jobs)})
    return Subject(
        label=name,
        job=next((job for job in record.jobs if label(job) == name), None),
        workload=workload,
        pods=[pod for pod in record.pods if job_of_pod(pod) == name],
        events=sorted(
            (event for event in record.events if _is_about(event, name, uid, labels)),
            key=lambda event: (time_of(event), order_of(event)),
        ),
    )


def _is_about(event: Document, name: str, workload: str | None, labels: Sequence[str]) -> bool:
    about = section(event, "involvedObject")
    called = label_of(about.get("namespace"), str(about.get("name")))
    match about.get("kind"):
        case "JobSet" | "RayJob" | "Job":
            return called == name or (called not in labels and called.startswith(f"{name}-"))
        case "Workload":
            return workload is not None and about.get("uid") == workload
        case "Pod":
            return job_of(pod_label(event), labels) == name
        case _:
            return False


def _workload(workload: Document) -> Iterator[str]:
    spec = section(workload, "spec")
    where = f", quota reserved in {admitted_by(workload)}" if admitted_by(workload) else ""
    yield f"Workload {workload['metadata']['name']} in queue {spec.get('queueName')}{where}"
    rows = [
        (
            str(each.get("type")),
            str(each.get("status")),
            str(each.get("reason", "")),
            str(each.get("lastTransitionTime", "")),
            str(each.get("message", "")),
        )
        for each in sorted(
            entries(workload, "status", "conditions"), key=lambda each: seconds(each.get("lastTransitionTime"))
        )
    ]
    yield from table(("CONDITION", "STATUS", "REASON", "SINCE", "MESSAGE"), rows)


def _events(record: Record, subject: Subject) -> Iterator[str]:
    """Events in the order of time; what was said of several pods in the same words is one row."""
    if not subject.events:
        yield "no events: the API server forgets them after an hour"
        return
    start = time_of(subject.events[0])
    pods: Counter[tuple[str, str, str]] = Counter(map(_words, subject.events))
    rows: dict[tuple[str, str, str], tuple[str, str, str, str]] = {}
    for event in subject.events:
        kind, reason, message = key = _words(event)
        name = str(section(event, "involvedObject").get("name"))
        about = f"{pods[key]} pods" if kind == "Pod" and pods[key] > 1 else f"{kind} {name}"
        rows.setdefault(key, (f"+{record.lasted(start, time_of(event)):.0f}s", about, reason, message))
    yield from table(("TIME", "ABOUT", "REASON", "MESSAGE"), list(rows.values()))


def _words(event: Document) -> tuple[str, str, str]:
    about = section(event, "involvedObject")
    return str(about.get("kind")), str(event.get("reason")), str(event.get("message"))
