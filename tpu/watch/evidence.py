"""What a cluster knows of each job: its Workloads, its pods by what they do, and the events about all of these."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from components.kubeapi.documents import Document, condition, entries, is_true, section
from components.kubeapi.jobs import is_finished, job_of_pod, label, owner_label, owner_uid, seconds
from components.kubeapi.owners import pods_of_owner
from components.model.facts import kinds
from components.pod_sets import SUBMITTER, at_once, pods_asked
from tpu.watch.entries import last_time_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tpu.watch.record import Record


_STUCK: Final = ("ErrImagePull", "ImagePullBackOff", "InvalidImageName", "CreateContainerConfigError")
"""Reasons of containers that do not start until somebody does something. Source: kubelet, `pkg/kubelet/images`."""
_CREATING: Final = ("ContainerCreating", "PodInitializing")
"""Reasons of containers that do not start yet; a volume that cannot be mounted keeps them so."""
_NOT_MOUNTED: Final = ("FailedMount", "FailedAttachVolume")
_REFUSED: Final = ("FailedCreate", "JobCreationFailed")
"""Reasons of events that say that a pod or a Job could not be created. Source: kube-controller-manager, JobSet 0.12."""
_REPLICA_FAILURE: Final = "ReplicaFailure"
"""Condition of a Deployment whose ReplicaSet cannot create a pod."""
_OF_KUBERNETES: Final = "batch.kubernetes.io/"
"""Finalizers of this domain go by themselves."""


class Pods:
    """The pods of a job by what they are; each is in one of the lists."""

    def __init__(self) -> None:
        self.running: list[Document] = []
        self.starting: list[Document] = []
        """On a node, and nothing says that they cannot start."""
        self.stuck: list[tuple[Document, str]] = []
        """On a node where they cannot start; why is a part of a sentence that begins with a verb."""
        self.unready: list[tuple[Document, str]] = []
        """They run and are not Ready; why, in the same form."""
        self.gated: list[Document] = []
        """A scheduling gate keeps them from the scheduler."""
        self.unscheduled: list[Document] = []
        self.succeeded: list[Document] = []
        self.failed: list[Document] = []
        self.terminating: list[Document] = []
        """They are being deleted, whatever their phase."""

    @property
    def live(self) -> int:
        """How many have not ended and are not being deleted."""
        waiting = len(self.stuck) + len(self.gated) + len(self.unscheduled)
        return len(self.running) + len(self.starting) + len(self.unready) + waiting

    @property
    def lingering(self) -> list[Document]:
        """Those that still hold a node, or are on their way from it."""
        held = [*self.running, *self.starting, *(pod for pod, _ in (*self.stuck, *self.unready))]
        return [*held, *self.terminating]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Everything in a cluster that is about one job, or about what runs for ever."""

    record: Record
    job: Document
    all_workloads: Sequence[Document]
    """A Deployment or a LeaderWorkerSet has several; none where Kueue does not manage the job."""
    children: Sequence[Document]
    """The Jobs of a JobSet."""
    all_pods: Sequence[Document]
    pods: Pods
    told: Mapping[str, list[Document]]
    """Events by the uid of the object that they are about, in the order in which the API server wrote them."""

    @property
    def workloads(self) -> list[Document]:
        """Those that have not finished."""
        return [each for each in self.all_workloads if not is_true(each, "Finished")]

    def told_of(self, documents: Iterable[Document]) -> list[Document]:
        """The events about some objects."""
        return [event for each in documents for event in self.told.get(str(each["metadata"].get("uid")), ())]

    def missing(self) -> int:
        """How many pods are wanted and not there."""
        wanted = wanted_pods(self)
        counted = self.pods.live + (0 if self.children or is_job(self.job) else len(self.pods.succeeded))
        return 0 if wanted is None else max(0, wanted - counted)

    def refusal(self) -> str | None:
        """Why the last pod could not be created, in the words of the API server; None where nothing says so.

        A pod that was created later shows that the cause is gone.
        """
        if is_true(self.job, _REPLICA_FAILURE):
            return str(condition(self.job, _REPLICA_FAILURE).get("message"))
        created = max((seconds(pod["metadata"].get("creationTimestamp")) for pod in self.all_pods), default=0.0)
        makers = {owner_uid(pod) for pod in self.all_pods} - {""}
        about = [*(each["metadata"].get("uid") for each in (self.job, *self.children)), *makers]
        refused = [
            event
            for uid in dict.fromkeys(map(str, about))
            for event in self.told.get(uid, ())
            if event.get("reason") in _REFUSED and last_time_of(event) >= created
        ]
        return str(max(refused, key=last_time_of).get("message")) if refused else None


class Gathering:
    """The evidence of each job of a record; what many need is sorted once."""

    def __init__(self, record: Record) -> None:
        self._record = record
        self._pods: dict[str, list[Document]] = {}
        self._workloads: dict[str, list[Document]] = {}
        self._children: dict[str, list[Document]] = {}
        self._told: dict[str, list[Document]] = {}
        for pod in record.pods:
            job = job_of_pod(pod)
            if job is not None:
                self._pods.setdefault(job, []).append(pod)
        for workload in record.workloads:
            self._workloads.setdefault(owner_label(workload), []).append(workload)
        for child in record.child_jobs:
            self._children.setdefault(owner_label(child), []).append(child)
        for event in record.events:
            self._told.setdefault(str(section(event, "involvedObject").get("uid")), []).append(event)

    def of_job(self, job: Document) -> Evidence:
        """Of one of `record.jobs`."""
        return self._of(job, self._pods.get(label(job), []), [label(job)])

    def of_service(self, service: Document) -> Evidence:
        """Of what runs for ever, or of a Pod that belongs to nobody."""
        pods = pods_of_owner(service, self._record.pods)
        return self._of(service, pods, [label(service), *map(label, pods)])

    def _of(self, job: Document, pods: Sequence[Document], owners: Iterable[str]) -> Evidence:
        found = [each for owner in dict.fromkeys(owners) for each in self._workloads.get(owner, ())]
        return Evidence(
            record=self._record,
            job=job,
            all_workloads=found,
            children=self._children.get(label(job), []) if job.get("kind") == kinds.JOBSET.name else [],
            all_pods=pods,
            pods=_sorted(pods, self._told),
            told=self._told,
        )


def is_job(document: Document) -> bool:
    """Whether it is a Job, whose pods are counted by its own status."""
    return document.get("kind") == kinds.JOB.name


def wanted_pods(evidence: Evidence) -> int | None:
    """How many pods should be there now, without those that have done their work; None where nothing states it."""
    job = evidence.job
    if evidence.children:
        return sum(_wanted_of(child) for child in evidence.children)
    if is_job(job):
        return _wanted_of(job)
    if section(job, "spec", "rayClusterSpec").get("enableInTreeAutoscaling") or not pods_asked(job):
        return None
    return sum(pods.count for pods in pods_asked(job) if pods.name != SUBMITTER)


def _wanted_of(job: Document) -> int:
    """The pods of one Job; those that its controller counts as active, where some have ended for good."""
    spec, status = section(job, "spec"), section(job, "status")
    succeeded = int(status.get("succeeded") or 0)
    if is_finished(job):
        return 0
    if status.get("failedIndexes") or (succeeded and spec.get("completions") is None):
        return int(status.get("active") or 0)
    completions = spec.get("completions")
    return at_once(spec) if completions is None else min(at_once(spec), int(completions) - succeeded)


def _sorted(pods: Sequence[Document], told: Mapping[str, list[Document]]) -> Pods:
    found = Pods()
    for pod in pods:
        phase = section(pod, "status").get("phase")
        if pod["metadata"].get("deletionTimestamp"):
            found.terminating.append(pod)
        elif phase in ("Succeeded", "Failed"):
            (found.succeeded if phase == "Succeeded" else found.failed).append(pod)
        elif not section(pod, "spec").get("nodeName"):
            is_gated = entries(pod, "spec", "schedulingGates")
            (found.gated if is_gated else found.unscheduled).append(pod)
        elif why := _why_not_started(pod) or _why_not_mounted(pod, told):
            found.stuck.append((pod, f"cannot start, pod {pod['metadata']['name']}: {why}"))
        elif phase != "Running":
            found.starting.append(pod)
        elif condition(pod, "Ready").get("status") == "False":
            found.unready.append((pod, f"is not ready, pod {pod['metadata']['name']}: {_why_not_ready(pod)}"))
        else:
            found.running.append(pod)
    return found


def _waiting(pod: Document) -> list[Document]:
    statuses = (*entries(pod, "status", "initContainerStatuses"), *entries(pod, "status", "containerStatuses"))
    return [each for each in (section(status, "state", "waiting") for status in statuses) if each]


def _said(waiting: Document) -> str:
    return ": ".join(str(waiting[key]) for key in ("reason", "message") if waiting.get(key))


def _why_not_started(pod: Document) -> str | None:
    return next((_said(each) for each in _waiting(pod) if each.get("reason") in _STUCK), None)


def _why_not_mounted(pod: Document, told: Mapping[str, list[Document]]) -> str | None:
    """Why a pod that has a node waits for a volume, in the words of its last Event about one."""
    if not any(each.get("reason") in _CREATING for each in _waiting(pod)):
        return None
    events = [each for each in told.get(str(pod["metadata"].get("uid")), ()) if each.get("reason") in _NOT_MOUNTED]
    return f"{events[-1]['reason']}: {' '.join(events[-1]['message'].split())}" if events else None


def _why_not_ready(pod: Document) -> str:
    stated = condition(pod, "Ready")
    waiting = [_said(each) for each in _waiting(pod)]
    return waiting[0] if waiting else _said(stated) or "its condition Ready is False"


def end_of_pod(pod: Document) -> str:
    """How a pod failed: the reason of the pod or of its first container that failed, and its exit code."""
    for status in entries(pod, "status", "containerStatuses"):
        ended = section(status, "state", "terminated")
        if ended.get("exitCode"):
            return f"{ended.get('reason') or 'Error'}, exit code {ended['exitCode']}"
    return _said(section(pod, "status")) or "it states no reason"


def finalizers_of(pods: Iterable[Document]) -> list[str]:
    """What keeps pods that are being deleted, besides Kubernetes itself."""
    found = (each for pod in pods for each in pod["metadata"].get("finalizers") or ())
    return sorted({each for each in found if not each.startswith(_OF_KUBERNETES)})
