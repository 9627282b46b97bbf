"""All that the API server knows of one job: its Workload, its pods, their events, and in one sentence why it waits."""

from __future__ import annotations

import difflib
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from components.kubeapi.documents import Document, entries, section
from components.kubeapi.jobs import (
    admitted_by,
    end_of,
    label,
    label_of,
    owner_label,
    owner_name,
    owner_uid,
    seconds,
)
from components.kubeapi.owners import OWNERS
from components.model.facts import kinds
from tpu.watch.entries import job_of, order_of, pod_label, time_of
from tpu.watch.evidence import Evidence, Gathering
from tpu.watch.requests import asks_text
from tpu.watch.states import runs_text, state_of
from tpu.watch.tables import pod_table, table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence, Set as AbstractSet

    from tpu.watch.record import Record


_ENDING: Final = tuple(each.kind.name for each in OWNERS if each.ends)


class UnknownJobError(Exception):
    """No job of that name is known, or several are; the text says which there are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """The job that is explained, or what runs for ever."""

    label: str
    """As `watch.record.label` calls it."""
    evidence: Evidence | None
    """None once it is deleted."""
    events: list[Document]
    """About the job, its Workloads and its pods, oldest first."""

    @property
    def workloads(self) -> Sequence[Document]:
        """Those of Kueue; none where it does not manage the job, or once the job is deleted."""
        return () if self.evidence is None else self.evidence.all_workloads

    @property
    def pods(self) -> Sequence[Document]:
        """The pods that are there."""
        return () if self.evidence is None else self.evidence.all_pods


def find(record: Record, name: str, namespace: str | None) -> Subject:
    """The job of that name, or of the Workload of that name; a deleted one by its events.

    Args:
        record: the cluster.
        name: of an object of `owners.OWNERS`, of a CronJob with Jobs, of a Pod of nobody, or of a Workload.
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
    if subject.evidence is not None:
        job = subject.evidence.job
        yield f"{job.get('kind', 'Job')} {subject.label}: {asks_text(job)}"
    for workload in subject.workloads:
        yield ""
        yield from _workload(workload)
    if subject.pods:
        yield ""
        yield from pod_table(record, now, subject.pods)
    yield ""
    yield from _events(record, subject)
    yield ""
    yield sentence(subject)


def sentence(subject: Subject) -> str:
    """Why it waits and what to do about it, or how far it is."""
    if subject.evidence is None:
        return f"{subject.label} is gone; these are its last events. A finished Job is deleted after its TTL."
    end = end_of(subject.evidence.job)
    if end is not None:
        said = ", ".join(filter(None, (end.reason, end.message)))
        return f"{subject.label} {'has failed' if end.is_failure else 'is done'}: {said}"
    state = state_of(subject.evidence)
    said = state.why or f"runs: {runs_text(subject.evidence)}."
    return f"{subject.label} {said.rstrip('.')}. {state.advice}" if state.advice else f"{subject.label} {said}"


def _names(record: Record) -> dict[tuple[str, str], str]:
    """Every name by which a job is known, with its namespace; the value is the job's label."""
    known: dict[tuple[str, str], str] = {}
    for event in record.events:
        about = section(event, "involvedObject")
        if about.get("kind") in _ENDING and not _is_child(record, event):
            known[_namespace(about), str(about.get("name"))] = label_of(about.get("namespace"), str(about.get("name")))
    for workload in record.workloads:
        known[_namespace(workload["metadata"]), workload["metadata"]["name"]] = owner_label(workload)
    for job in record.jobs:
        known[_namespace(job["metadata"]), owner_name(job)] = label(job)
    for each in (*_alone(record), *record.services, *record.jobs):
        known[_namespace(each["metadata"]), each["metadata"]["name"]] = label(each)
    return known


def _alone(record: Record) -> Iterator[Document]:
    """The Pods that belong to no other object."""
    yield from ({"kind": kinds.POD.name, **pod} for pod in record.pods if not owner_uid(pod))


def _is_child(record: Record, event: Document) -> bool:
    """Whether an event is about the Job of a JobSet that is there."""
    about = section(event, "involvedObject")
    name = label_of(about.get("namespace"), str(about.get("name")))
    return about.get("kind") == kinds.JOB.name and any(
        job.get("kind") == kinds.JOBSET.name and name.startswith(f"{label(job)}-") for job in record.jobs
    )


def _namespace(metadata: Document) -> str:
    return str(metadata.get("namespace") or "default")


def _unknown(known: dict[tuple[str, str], str], name: str, namespace: str | None) -> str:
    where = f" in namespace {namespace}" if namespace is not None else ""
    names = sorted({called for (space, called) in known if namespace in (None, space)})
    near = difflib.get_close_matches(name, names, n=3)
    if near:
        return f"no job named {name}{where}; did you mean {' or '.join(near)}?"
    jobs = sorted({job for (space, _), job in known.items() if namespace in (None, space)})
    return f"no job named {name}{where}; there are {', '.join(jobs) or 'none'}"


def _subject(record: Record, name: str) -> Subject:
    evidence, uids = _evidence(record, name), set[str]()
    if evidence is not None:
        mine = (evidence.job, *evidence.all_workloads, *evidence.all_pods)
        uids = {str(each["metadata"].get("uid")) for each in mine} | {owner_uid(each) for each in evidence.all_pods}
    labels = sorted({name, *(label(job) for job in record.jobs)})
    return Subject(
        label=name,
        evidence=evidence,
        events=sorted(
            (event for event in record.events if _is_about(event, name, uids - {""}, labels)),
            key=lambda event: (time_of(event), order_of(event)),
        ),
    )


def _evidence(record: Record, name: str) -> Evidence | None:
    gathering = Gathering(record)
    job = next((job for job in record.jobs if label(job) == name), None)
    if job is not None:
        return gathering.of_job(job)
    service = next((each for each in (*record.services, *_alone(record)) if label(each) == name), None)
    return None if service is None else gathering.of_service(service)


def _is_about(event: Document, name: str, uids: AbstractSet[str], labels: Sequence[str]) -> bool:
    """Whether an event is about one of some objects, or by its name about what a job made and lost."""
    about = section(event, "involvedObject")
    called, kind = label_of(about.get("namespace"), str(about.get("name"))), about.get("kind")
    if about.get("uid") in uids:
        return True
    if kind in _ENDING:
        return called == name or (called not in labels and called.startswith(f"{name}-"))
    return kind == kinds.POD.name and job_of(pod_label(event), labels) == name


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


def explained_data(record: Record, subject: Subject) -> Document:
    """The same for programs; `state` is `gone` for one that is deleted, and `workload` None where there is none."""
    state = None if subject.evidence is None else state_of(subject.evidence).word
    return {
        "job": subject.label,
        "state": "gone" if state is None else state,
        "why": sentence(subject),
        "workload": next(map(_workload_data, subject.workloads), None),
        "pods": [_pod_data(record, pod) for pod in subject.pods],
        "events": [_event_data(record, subject, event) for event in subject.events],
    }


def _workload_data(workload: Document) -> Document:
    return {
        "name": workload["metadata"]["name"],
        "queue": section(workload, "spec").get("queueName"),
        "reservedIn": admitted_by(workload) or None,
        "conditions": entries(workload, "status", "conditions"),
    }


def _pod_data(record: Record, pod: Document) -> Document:
    node = section(pod, "spec").get("nodeName")
    return {
        "name": pod["metadata"]["name"],
        "phase": section(pod, "status").get("phase"),
        "node": node,
        "nodePool": None if node is None else record.node_pools.get(node),
    }


def _event_data(record: Record, subject: Subject, event: Document) -> Document:
    about = section(event, "involvedObject")
    return {
        "seconds": round(record.lasted(time_of(subject.events[0]), time_of(event))),
        "about": {"kind": about.get("kind"), "name": about.get("name")},
        "reason": event.get("reason"),
        "message": event.get("message"),
    }
