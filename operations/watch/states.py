"""What each job does now, and why it waits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from components.model.facts import gke
from kubeapi.documents import condition, entries, is_true, section
from operations.watch.capacity import wait_of, wait_of_request
from operations.watch.evictions import evicted_before, selects_earlier_flavor, why_deactivated, why_queued_again
from operations.watch.record import has_failed, is_finished, job_of_pod, label, label_of, owner_label

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubeapi.documents import Document
    from operations.watch.capacity import Wait
    from operations.watch.record import Record

Word = Literal["finished", "failed", "running", "coming", "waiting"]
MOVING: Final = ("running", "coming")
"""What goes on by itself: pods that run, and pods for which nodes are ordered."""
OVER: Final = ("finished", "failed")
_ENDED: Final = ("Succeeded", "Failed")
_ALLOWED_FLAVORS: Final = "kueue.x-k8s.io/workload-allowed-resource-flavors"
"""Annotation of the Workloads by which Kueue tries each flavor: its name."""
_STUCK: Final = ("ErrImagePull", "ImagePullBackOff", "InvalidImageName", "CreateContainerConfigError")
"""Reasons of containers that do not start until somebody does something. Source: kubelet, `pkg/kubelet/images`."""
_CREATING: Final = ("ContainerCreating", "PodInitializing")
"""Reasons of containers that do not start yet; a volume that cannot be mounted keeps them so."""
_NOT_MOUNTED: Final = ("FailedMount", "FailedAttachVolume")


@dataclass(frozen=True, slots=True)
class State:
    """What a job does."""

    word: Word
    why: str = ""
    """What a job that does not run waits for: a part of a sentence that begins with a verb."""
    failures: int = 0
    """How often the cloud did not give it nodes."""
    is_final: bool = True
    """False where somebody has still to say whether nodes will come."""


def job_states(record: Record) -> dict[str, State]:
    """The state of every job, as `watch.record.label` calls it, oldest first."""
    pods: dict[str, list[Document]] = {}
    ended: set[str] = set()
    for pod in record.pods:
        job = job_of_pod(pod)
        if job is None:
            continue
        if section(pod, "status").get("phase") in _ENDED:
            ended.add(job)
        else:
            pods.setdefault(job, []).append(pod)
    workloads = {owner_label(workload): workload for workload in record.workloads}
    return {
        label(job): State("running")
        if label(job) in ended - pods.keys() and _goes_on(job)
        else _state(record, job, pods.get(label(job), []), workloads.get(label(job)))
        for job in record.jobs
    }


def _goes_on(job: Document) -> bool:
    """Whether it goes on by itself: when its pods have ended it ends too, or makes others, a moment later."""
    return not section(job, "spec").get("suspend") and not is_finished(job)


def _state(record: Record, job: Document, pods: Sequence[Document], workload: Document | None) -> State:
    if is_finished(job):
        return State("failed" if has_failed(job) else "finished")
    placed = [pod for pod in pods if section(pod, "spec").get("nodeName")]
    stuck = [text for pod in placed if (text := _why_not_started(pod) or _why_not_mounted(record, pod))]
    if len(placed) > len(stuck):
        return State("running")
    if stuck:
        return State("waiting", stuck[0])
    if pods:
        wait = wait_of(pods, record.events)
        stale = None if wait.is_coming else selects_earlier_flavor(record, job)
        if stale is not None:
            return State("waiting", stale, wait.failures)
        why = wait.why + evicted_before(workload)
        return State("coming" if wait.is_coming else "waiting", why, wait.failures, wait.has_verdict)
    if workload is not None:
        return _without_pods(record, workload)
    return State("waiting", _why_no_pods(record, job))


def _why_not_started(pod: Document) -> str | None:
    for status in entries(pod, "status", "containerStatuses"):
        waiting = section(status, "state", "waiting")
        if waiting.get("reason") in _STUCK:
            said = f": {waiting['message']}" if waiting.get("message") else ""
            return f"cannot start, pod {pod['metadata']['name']}: {waiting['reason']}{said}"
    return None


def _why_not_mounted(record: Record, pod: Document) -> str | None:
    """Why a pod that has a node waits for a volume, in the words of its last Event about one."""
    waiting = [section(each, "state", "waiting") for each in entries(pod, "status", "containerStatuses")]
    if not any(each.get("reason") in _CREATING for each in waiting):
        return None
    uid = pod["metadata"].get("uid")
    told = [
        f"cannot start, pod {pod['metadata']['name']}: {event['reason']}: {' '.join(event['message'].split())}"
        for event in record.events
        if event.get("reason") in _NOT_MOUNTED and section(event, "involvedObject").get("uid") == uid
    ]
    return told[-1] if told else None


def _without_pods(record: Record, workload: Document) -> State:
    """The state of a job that Kueue manages; what Kueue tries again by itself is on its way."""
    why = _why_not_admitted(record, workload)
    if why is None:
        return State("waiting", "is admitted; its pods are not made yet")
    trying = [each for each in record.variants_of(workload) if section(each, "spec").get("active") is not False]
    wait = next(
        (
            found
            for each in (workload, *trying)
            if is_true(each, "QuotaReserved") and (found := _request_wait(record, each))
        ),
        None,
    )
    if wait is not None:
        return State("coming" if wait.is_coming else "waiting", wait.why, wait.failures, wait.has_verdict)
    is_backing_off = condition(workload, "Requeued").get("status") == "False"
    is_checked = any(is_true(each, "QuotaReserved") for each in (workload, *trying))
    return State("coming" if is_backing_off or is_checked else "waiting", why)


def _request_wait(record: Record, workload: Document) -> Wait | None:
    """What the newest of the Workload's ProvisioningRequests waits for; None where there is none, or it does not."""
    uid = workload["metadata"]["uid"]
    asked = [
        each
        for each in record.requests
        if any(o.get("uid") == uid for o in entries(each, "metadata", "ownerReferences"))
    ]
    return wait_of_request(asked[-1]) if asked else None


def _why_no_pods(record: Record, job: Document) -> str:
    if not section(job, "spec").get("suspend"):
        return "has no pods yet"
    queue = section(job, "metadata", "labels").get(gke.LABEL_QUEUE_NAME)
    if queue is None:
        return "is suspended, and no queue manages it"
    namespace = job["metadata"].get("namespace")
    known = [each["metadata"]["name"] for each in record.local_queues if each["metadata"].get("namespace") == namespace]
    if queue not in known:
        return f"waits for LocalQueue {label_of(namespace, queue)}, which does not exist"
    return f"is suspended in LocalQueue {queue}, and Kueue made no Workload for it: does its priority class exist?"


def _why_not_admitted(record: Record, workload: Document) -> str | None:
    """What a Workload without admission waits for, in Kueue's words; None for one that is admitted."""
    if is_true(workload, "Admitted"):
        return None
    if section(workload, "spec").get("active") is False:
        return why_deactivated(workload)
    queue = _cluster_queue(record, workload)
    if queue is not None and section(queue, "spec").get("stopPolicy") in ("Hold", "HoldAndDrain"):
        return f"waits until ClusterQueue {queue['metadata']['name']} is no longer stopped"
    reserved = condition(workload, "QuotaReserved")
    if reserved.get("status") == "True":
        return f"has quota and waits for admission checks: {_checks(workload)}"
    why = why_queued_again(workload) or _why_no_flavor(record, workload)
    if why:
        return why
    if not reserved.get("message") and section(queue, "spec").get("queueingStrategy") == "StrictFIFO":
        return "waits for its turn: its queue is StrictFIFO, and a Workload before it is not admitted yet"
    return f"waits for quota: {reserved.get('message') or 'Kueue has not looked at it yet'}"


def _why_no_flavor(record: Record, workload: Document) -> str:
    """What a Workload waits for on each flavor, where Kueue tries all flavors at once; else empty."""
    reasons = [
        f"{section(each, 'metadata', 'annotations').get(_ALLOWED_FLAVORS)} {_why_not_admitted(record, each)}"
        for each in record.variants_of(workload)
        if not is_true(each, "Admitted") and section(each, "spec").get("active") is not False
    ]
    return f"waits for one of its flavors: {'; '.join(reasons)}" if reasons else ""


def _cluster_queue(record: Record, workload: Document) -> Document | None:
    namespace, name = workload["metadata"].get("namespace"), section(workload, "spec").get("queueName")
    for local in record.local_queues:
        if (local["metadata"].get("namespace"), local["metadata"]["name"]) == (namespace, name):
            target = section(local, "spec").get("clusterQueue")
            return next((queue for queue in record.queues if queue["metadata"]["name"] == target), None)
    return None


def _checks(workload: Document) -> str:
    checks = entries(workload, "status", "admissionChecks")
    told = [f"{check.get('name')} {check.get('state')}: {check.get('message', '')}".rstrip(": ") for check in checks]
    return "; ".join(told) or "none has answered yet"
