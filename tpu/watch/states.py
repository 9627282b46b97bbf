"""What each job does now, why it waits and what to do about it.

The reason is the first cause for which the cluster has evidence, in the cluster's words. A job that has ended is over.
One that Kueue does not let run waits for what Kueue says, whatever its pods still do. All others are what their pods
are.

Kueue evicts a Workload whose pods did not get ready in time, queues it again after a wait, counts how often it did, and
deactivates it beyond a limit. JobSet keeps in its Jobs what the flavor before selected, and perhaps no node has the
labels of both flavors.

Sources: Kueue 0.19.2, pkg/controller/core/workload_controller.go and pkg/scheduler/flavorassigner; JobSet 0.12.0,
pkg/webhooks/pod_webhook.go, and pull request 1294; Kubernetes 1.36, plugin/pkg/admission/resourcequota.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from components.kubeapi.documents import Document, condition, entries, is_true, section
from components.kubeapi.jobs import (
    POD_PRIORITIES,
    WORKLOAD_PRIORITIES,
    has_failed,
    is_finished,
    job_of_pod,
    label,
    label_of,
    owner_label,
)
from components.model.facts import gke
from components.model.findings import counted
from components.pod_sets import pods_asked
from tpu.watch.capacity import State, wait_of, wait_of_request
from tpu.watch.evidence import Evidence, Gathering, end_of_pod, finalizers_of, wanted_pods

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tpu.watch.record import Record

_NOT_READY: Final = "PodsReadyTimeout"
_DEACTIVATED: Final = "Deactivated"
_LABEL_REPLICATED_JOB: Final = "jobset.sigs.k8s.io/replicatedjob-name"
_ADDED_BY_JOBSET: Final = ("jobset.sigs.k8s.io/namespaced-job",)


def why_queued_again(workload: Document) -> str | None:
    """Why a Workload that waits to be queued again does so, and until when; None for one that does not."""
    requeued = condition(workload, "Requeued")
    if requeued.get("status") != "False":
        return None
    if requeued.get("reason") != _NOT_READY:
        return f"is queued again after a while: {requeued.get('message') or requeued.get('reason')}"
    return f"was evicted because its pods were not ready in time{_times(workload)}; {_comes_back(workload)}"


def _comes_back(workload: Document) -> str:
    moment = section(workload, "status", "requeueState").get("requeueAt")
    return f"it is queued again at {moment}" if moment else "it is queued again after a while"


def evicted_before(workload: Document | None) -> str:
    """What to add to why a Workload has no nodes: that it was evicted for it before; empty where it was not."""
    times = _times(workload)
    return f"; Kueue evicted it before, because its pods were not ready in time{times}" if times else ""


def evicted(workload: Document) -> str:
    """What to add to why a Workload is not admitted: why Kueue evicted it; empty where that is said already."""
    found = condition(workload, "Evicted")
    if found.get("status") != "True" or found.get("reason") in (_NOT_READY, _DEACTIVATED):
        return ""
    return f"; Kueue evicted it: {found.get('message') or found.get('reason')}"


def _times(workload: Document | None) -> str:
    count = section(workload or {}, "status", "requeueState").get("count")
    return "" if not count else " (once so far)" if count == 1 else f" ({count} times so far)"


def why_deactivated(workload: Document) -> str:
    """Why a Workload is not active, in Kueue's words where it was Kueue that deactivated it."""
    said = str(condition(workload, "Evicted").get("message", ""))
    _, found, because = said.partition("due to ")
    why = f", because of {because}" if found else ""
    return f"is deactivated{why}: its Workload's spec.active is false"


def selects_earlier_flavor(record: Record, job: Document) -> str | None:
    """Why no node fits the pods of a JobSet that was moved; None where its Jobs select what it says.

    Its Jobs select more than their template: that is what the flavor before selected.
    """
    if job.get("kind") != "JobSet" or section(job, "spec").get("suspend"):
        return None
    templates = {each["name"]: each for each in entries(job, "spec", "replicatedJobs")}
    for child in record.child_jobs:
        name = section(child, "metadata", "labels").get(_LABEL_REPLICATED_JOB)
        if name not in templates or owner_label(child) != owner_label({"metadata": job["metadata"]}):
            continue
        wanted = section(templates[name], "template", "spec", "template", "spec", "nodeSelector")
        found = section(child, "spec", "template", "spec", "nodeSelector")
        left = sorted(key for key in found if key not in wanted and key not in _ADDED_BY_JOBSET)
        if left:
            selector = f"{gke.LABEL_JOBSET_NAME}={job['metadata']['name']}"
            return (
                f"waits for nodes that do not exist: its Jobs keep the selector {' and '.join(left)} of the flavor "
                "before. Delete them, and JobSet makes them anew: kubectl delete jobs --namespace "
                f"{job['metadata'].get('namespace', gke.DEFAULT_NAMESPACE)} --selector {selector}"
            )
    return None


_SLICE_SIZE: Final = f"{gke.KUEUE_DOMAIN}podset-slice-size"


def advice(why: str, evidence: Evidence) -> str:
    """What to do, as sentences; empty where waiting is all, or where the words say it themselves."""
    return next((advise(evidence) for pattern, advise in _ADVICE if re.search(pattern, why)), "")


def _queues(evidence: Evidence) -> str:
    namespace = evidence.job["metadata"].get("namespace") or gke.DEFAULT_NAMESPACE
    local = [each for each in evidence.record.local_queues if each["metadata"].get("namespace") == namespace]
    names = ", ".join(each["metadata"]["name"] for each in local) or "none"
    return (
        f"Create the LocalQueue, or name another one in the label {gke.LABEL_QUEUE_NAME} of the job. "
        f"LocalQueues of namespace {namespace}: {names}."
    )


def _levels(evidence: Evidence) -> str:
    levels = {
        each["metadata"]["name"]: ", ".join(str(level["nodeLabel"]) for level in entries(each, "spec", "levels"))
        for each in evidence.record.topologies or ()
    }
    known = "".join(f" Topology {name} has {keys}." for name, keys in levels.items())
    return f"Name a level of the flavor's Topology in the annotations kueue.x-k8s.io/podset-* of the pods.{known}"


def leader_deadlock(evidence: Evidence) -> str | None:
    """The Job of a JobSet that has several pods of index 0, with exclusive topology; None where there is none.

    JobSet's webhook accepts the other pods of such a Job only while it finds exactly one pod of index 0, and a failed
    one stays beside the one that replaces it.
    """
    exclusive = section(evidence.job, "metadata", "annotations").get(gke.ANNOTATION_EXCLUSIVE_TOPOLOGY)
    leaders: dict[str, int] = {}
    for pod in evidence.all_pods if exclusive else ():
        labels = section(pod, "metadata", "labels")
        if labels.get(_INDEX) == "0":
            job = str(labels.get(gke.LABEL_BATCH_JOB_NAME))
            leaders[job] = leaders.get(job, 0) + 1
    return next((job for job, count in leaders.items() if count > 1), None)


_INDEX: Final = "batch.kubernetes.io/job-completion-index"


def _backoff(_: Evidence) -> str:
    return (
        "Set backoffLimit: 0 in every replicated Job and create the JobSet again: a failure then restarts the whole "
        "JobSet, as often as failurePolicy.maxRestarts says."
    )


def _sliced(evidence: Evidence) -> str:
    for pod in evidence.pods.gated:
        size = section(pod, "metadata", "annotations").get(_SLICE_SIZE)
        if size is not None:
            return f"{_SLICE_SIZE} is {size}: the number of pods must be a multiple of {size}."
    return ""


def _fits_never(_: Evidence) -> str:
    return "It does not fit even when nothing else runs: request less, or raise the quota of the ClusterQueue."


def _resource_quota(evidence: Evidence) -> str:
    namespace = evidence.job["metadata"].get("namespace") or gke.DEFAULT_NAMESPACE
    return f"Raise the ResourceQuota, or end other pods: kubectl describe resourcequota --namespace {namespace}."


def _annotated(_: Evidence) -> str:
    return f"Kueue reads the queue from a label only: move {gke.LABEL_QUEUE_NAME} to metadata.labels of the job."


_ADVICE: Final[tuple[tuple[str, Callable[[Evidence], str]], ...]] = (
    (r"LocalQueue \S+,? (which does not|doesn't) exist", _queues),
    (r"does not contain the requested level|no requested topology level", _levels),
    (r"expected 1 leader pod|has several pods of index 0", _backoff),
    (r"scheduling gate kueue\.x-k8s\.io/topology", _sliced),
    (r"> maximum capacity", _fits_never),
    (r"exceeded quota: ", _resource_quota),
    (r"queue is named in an annotation", _annotated),
)
"""The first pattern that a cause has, and what to do about it."""


def annotated_queue(job: Document) -> str | None:
    """The queue that a job names in an annotation, where Kueue does not read it."""
    return section(job, "metadata", "annotations").get(gke.LABEL_QUEUE_NAME)


MOVING: Final = ("running", "coming")
"""What goes on by itself: pods that run, and pods for which nodes are ordered."""
OVER: Final = ("finished", "failed")
_ALLOWED_FLAVORS: Final = "kueue.x-k8s.io/workload-allowed-resource-flavors"
"""Annotation of the Workloads by which Kueue tries each flavor: its name."""
_STOPPED: Final = ("Hold", "HoldAndDrain")
_OF_QUOTA: Final = re.compile(r"quota|maximum capacity|no longer fits|preemption|Kueue has not", re.IGNORECASE)
"""Messages of Kueue about quota; all others name something that quota does not give.
Source: Kueue 0.19.2, pkg/scheduler/scheduler.go and pkg/scheduler/flavorassigner/flavorassigner.go."""
_GATE_OF_ADMISSION: Final = "kueue.x-k8s.io/admission"
_GATES: Final = {
    _GATE_OF_ADMISSION: "Kueue removes it when it admits the pod's Workload",
    "kueue.x-k8s.io/topology": "Kueue removes it when the Workload assigns the pod a topology domain",
    "kueue.x-k8s.io/elastic-job": "Kueue removes it when it admits the Workload of the larger job",
}
"""Who removes a scheduling gate, and when. Source: Kueue 0.19.2, pkg/controller/constants and apis/kueue/v1beta2."""


def job_states(record: Record) -> dict[str, State]:
    """The state of every job, as `watch.record.label` calls it, oldest first."""
    gathering = Gathering(record)
    return {label(job): state_of(gathering.of_job(job)) for job in record.jobs}


def state_of(evidence: Evidence) -> State:
    """The state of one job, or of what runs for ever."""
    if is_finished(evidence.job):
        return State("failed" if has_failed(evidence.job) else "finished")
    state = _held(evidence) or _of_pods(evidence)
    return replace(state, advice=advice(state.why, evidence)) if state.why else state


def runs_text(evidence: Evidence) -> str:
    """How many pods of a job run, of how many, and what became of the others."""
    pods = evidence.pods
    total = pods.live + evidence.missing() + len(pods.succeeded)
    started = f"{len(pods.starting)} on a node that start" if pods.starting else ""
    ended = f"{len(pods.succeeded)} succeeded" if pods.succeeded else ""
    failed = f"{len(pods.failed)} failed before" if pods.failed else ""
    more = ", ".join(filter(None, (started, ended, failed)))
    return f"{len(pods.running)} of {total} pods{more and f' ({more})'}"


# --- by what Kueue says


def _held(evidence: Evidence) -> State | None:
    """The state of a job that may not run; None where nothing keeps it."""
    job, record = evidence.job, evidence.record
    if not evidence.workloads:
        if not section(job, "spec").get("suspend"):
            return None
        state = State("waiting", _why_no_workload(record, job))
    elif any(is_true(each, "Admitted") and not is_true(each, "Evicted") for each in evidence.workloads):
        return None
    else:
        state = _unadmitted(record, evidence.workloads[0])
    lingering = evidence.pods.lingering
    if not lingering:
        return state
    left = f"{counted(len(lingering), 'pod')} of it {'has' if len(lingering) == 1 else 'have'} not ended yet"
    return replace(state, word="coming", why=f"{state.why}; {left}{_holders(evidence.pods.terminating)}")


def _holders(terminating: Sequence[Document]) -> str:
    """What keeps pods that are being deleted; empty where it is only their own end."""
    found = finalizers_of(terminating)
    return f", because of the finalizer {' and '.join(found)}" if found else ""


def _why_no_workload(record: Record, job: Document) -> str:
    """Why a suspended job has no Workload."""
    labels = section(job, "metadata", "labels")
    queue = labels.get(gke.LABEL_QUEUE_NAME)
    if queue is None:
        named = annotated_queue(job)
        return "is suspended, and no queue manages it" + (
            f": the queue is named in an annotation ({named}), not in a label" if named else ""
        )
    namespace = job["metadata"].get("namespace")
    if _local_queue(record, namespace, queue) is None:
        return f"waits for LocalQueue {label_of(namespace, queue)}, which does not exist"
    missing = _missing_priority(record, job)
    if missing is not None:
        return f"is suspended in LocalQueue {queue}, and Kueue makes no Workload for it: {missing} does not exist"
    return f"is suspended in LocalQueue {queue}, and Kueue has not made a Workload for it yet"


def _missing_priority(record: Record, job: Document) -> str | None:
    """The priority class that a job names and that does not exist; None where there is none, or nobody may look."""
    of_workload = section(job, "metadata", "labels").get(gke.LABEL_WORKLOAD_PRIORITY)
    named = [
        (WORKLOAD_PRIORITIES, "WorkloadPriorityClass", of_workload),
        *(
            (POD_PRIORITIES, "PriorityClass", section(pods.template, "spec").get("priorityClassName"))
            for pods in pods_asked(job)
        ),
    ]
    for path, kind, name in named:
        known = record.priorities.get(path)
        if name and known is not None and name not in {each["metadata"]["name"] for each in known}:
            return f"{kind} {name}"
    return None


def _unadmitted(record: Record, workload: Document) -> State:
    """The state of a job whose Workload is not admitted; what Kueue tries again by itself is on its way."""
    why = _why_not_admitted(record, workload) + evicted(workload)
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
        return wait
    is_active = section(workload, "spec").get("active") is not False
    is_backing_off = is_active and condition(workload, "Requeued").get("status") == "False"
    is_checked = any(is_true(each, "QuotaReserved") for each in (workload, *trying))
    return State("coming" if is_backing_off or is_checked else "waiting", why)


def _request_wait(record: Record, workload: Document) -> State | None:
    """What the newest of the Workload's ProvisioningRequests waits for; None where there is none, or it does not."""
    uid = workload["metadata"]["uid"]
    asked = [
        each
        for each in record.requests
        if any(o.get("uid") == uid for o in entries(each, "metadata", "ownerReferences"))
    ]
    return wait_of_request(asked[-1]) if asked else None


def _why_not_admitted(record: Record, workload: Document) -> str:
    """What a Workload waits for that is not admitted, or that is evicted: in Kueue's words."""
    if section(workload, "spec").get("active") is False:
        return why_deactivated(workload)
    reserved = condition(workload, "QuotaReserved")
    if reserved.get("status") == "True":
        return (
            "is being evicted"
            if is_true(workload, "Evicted")
            else f"has quota and waits for admission checks: {_checks(workload)}"
        )
    why = _why_queue_is_closed(record, workload) or why_queued_again(workload) or _why_no_flavor(record, workload)
    if why:
        return why
    queue, said = _cluster_queue(record, workload), reserved.get("message")
    if not said and section(queue, "spec").get("queueingStrategy") == "StrictFIFO":
        return "waits for its turn: its queue is StrictFIFO, and a Workload before it is not admitted yet"
    said = str(said or "Kueue has not looked at it yet")
    return f"waits for quota: {said}" if _OF_QUOTA.search(said) else f"is not admitted: {said}"


def _why_queue_is_closed(record: Record, workload: Document) -> str | None:
    """What is wrong with the queues of a Workload; None where they admit Workloads."""
    namespace, name = workload["metadata"].get("namespace"), str(section(workload, "spec").get("queueName"))
    local = _local_queue(record, namespace, name)
    if local is None:
        return f"waits for LocalQueue {label_of(namespace, name)}, which does not exist"
    queue, target = _cluster_queue(record, workload), section(local, "spec").get("clusterQueue")
    if queue is None:
        return f"waits for ClusterQueue {target}, which does not exist; LocalQueue {label_of(namespace, name)} names it"
    if section(queue, "spec").get("stopPolicy") in _STOPPED:
        return f"waits until ClusterQueue {target} is no longer stopped"
    if section(local, "spec").get("stopPolicy") in _STOPPED:
        return f"waits until LocalQueue {label_of(namespace, name)} is no longer stopped"
    active = condition(queue, "Active")
    if active.get("status") == "False":
        return f"waits until ClusterQueue {target} is active: {active.get('reason')}: {active.get('message')}"
    return None


def _why_no_flavor(record: Record, workload: Document) -> str:
    """What a Workload waits for on each flavor, where Kueue tries all flavors at once; else empty."""
    reasons = [
        f"{section(each, 'metadata', 'annotations').get(_ALLOWED_FLAVORS)} {_why_not_admitted(record, each)}"
        for each in record.variants_of(workload)
        if not is_true(each, "Admitted") and section(each, "spec").get("active") is not False
    ]
    return f"waits for one of its flavors: {'; '.join(reasons)}" if reasons else ""


def _local_queue(record: Record, namespace: str | None, name: str) -> Document | None:
    wanted = (namespace or gke.DEFAULT_NAMESPACE, name)
    for each in record.local_queues:
        if (each["metadata"].get("namespace"), each["metadata"]["name"]) == wanted:
            return each
    return None


def _cluster_queue(record: Record, workload: Document) -> Document | None:
    namespace, name = workload["metadata"].get("namespace"), str(section(workload, "spec").get("queueName"))
    target = section(_local_queue(record, namespace, name), "spec").get("clusterQueue")
    return next((queue for queue in record.queues if queue["metadata"]["name"] == target), None)


def _checks(workload: Document) -> str:
    checks = entries(workload, "status", "admissionChecks")
    told = [f"{check.get('name')} {check.get('state')}: {check.get('message', '')}".rstrip(": ") for check in checks]
    return "; ".join(told) or "none has answered yet"


# --- by what its pods are


def _of_pods(evidence: Evidence) -> State:
    pods = evidence.pods
    if not pods.live:
        return _without_live_pods(evidence)
    waits = list(_waits(evidence))
    is_running = bool(pods.running or pods.starting or pods.unready)
    if not waits:
        return State("running")
    if not is_running:
        first, _ = waits[0]
        return first
    others = "; ".join(f"1 pod {wait.why}" if count == 1 else f"{count} pods: each {wait.why}" for wait, count in waits)
    failures = max(wait.failures for wait, _ in waits)
    return State("running", f"runs partly: {runs_text(evidence)}; {others}", failures)


def _waits(evidence: Evidence) -> Iterator[tuple[State, int]]:
    """What keeps pods from running, and how many: on their nodes, before the scheduler, in it, and before that."""
    pods = evidence.pods
    if pods.stuck:
        yield State("waiting", pods.stuck[0][1]), len(pods.stuck)
    if pods.unready:
        yield State("running", pods.unready[0][1]), len(pods.unready)
    if pods.gated:
        yield State("waiting", _why_gated(evidence, pods.gated[0])), len(pods.gated)
    if pods.unscheduled:
        yield _unscheduled(evidence, pods.unscheduled), len(pods.unscheduled)
    missing = evidence.missing()
    if missing:
        yield State("waiting", f"is not created{_why_not_created(evidence)}"), missing


def _why_gated(evidence: Evidence, pod: Document) -> str:
    names = [str(gate["name"]) for gate in entries(pod, "spec", "schedulingGates")]
    unadmitted = [each for each in evidence.workloads if not is_true(each, "Admitted")]
    if _GATE_OF_ADMISSION in names and unadmitted:
        return _why_not_admitted(evidence.record, unadmitted[0])
    who = "; ".join(_GATES.get(name, "whoever set it has to remove it") for name in names)
    return f"is held by the scheduling gate {' and '.join(names)}, pod {pod['metadata']['name']}: {who}"


def _unscheduled(evidence: Evidence, pods: Sequence[Document]) -> State:
    """The state of pods without a node."""
    record, job = evidence.record, evidence.job
    wait = wait_of(pods, evidence.told_of(pods))
    stale = None if wait.word == "coming" else selects_earlier_flavor(record, job)
    if stale is not None:
        return State("waiting", stale, wait.failures)
    why = wait.why + evicted_before(evidence.workloads[0] if evidence.workloads else None)
    others = [] if wait.word == "coming" else _who_has_its_nodes(evidence, pods[0])
    if others:
        why = f"{why.rstrip('.')}. The nodes that it selects run pods of {', '.join(others)}"
        if record.queues and not evidence.workloads and gke.LABEL_QUEUE_NAME not in section(job, "metadata", "labels"):
            why = f"is in no queue: without the label {gke.LABEL_QUEUE_NAME} it gets only free nodes. It {why}"
    return replace(wait, why=why)


def _who_has_its_nodes(evidence: Evidence, pod: Document) -> list[str]:
    """The other jobs with pods on the nodes that a pod selects."""
    selector = section(pod, "spec", "nodeSelector").items()
    nodes = {
        node["metadata"]["name"]
        for node in evidence.record.nodes
        if selector and selector <= section(node, "metadata", "labels").items()
    }
    own = {each["metadata"].get("uid") for each in evidence.all_pods}
    jobs = {
        job_of_pod(each)
        for each in evidence.record.pods
        if section(each, "spec").get("nodeName") in nodes
        and section(each, "status").get("phase") not in ("Succeeded", "Failed")
        and each["metadata"].get("uid") not in own
    }
    return sorted(job for job in jobs if job is not None)


def _without_live_pods(evidence: Evidence) -> State:
    """The state of a job that may run and has no pod that could."""
    pods, wanted = evidence.pods, wanted_pods(evidence)
    refusal = _why_not_created(evidence) if wanted != 0 else ""
    if pods.terminating:
        holders = _holders(pods.terminating)
        return State("coming", f"waits for the end of {counted(len(pods.terminating), 'pod')}{holders}")
    if pods.failed:
        last = max(pods.failed, key=lambda pod: (str(pod["metadata"].get("creationTimestamp")), label(pod)))
        why = f"has no running pod: {counted(len(pods.failed), 'pod')} failed, the last with {end_of_pod(last)}"
        return State("coming", f"{why}{f'; another pod is not created{refusal}' if refusal else ''}")
    if pods.succeeded:
        return State("running", f"has no running pod: {counted(len(pods.succeeded), 'pod')} succeeded")
    if refusal:
        return State("waiting", f"has no pods{refusal}")
    if evidence.workloads:
        return State("waiting", "is admitted; its pods are not made yet")
    return State("waiting", "asks for no pods: it has 0 replicas" if wanted == 0 else "has no pods yet")


def _why_not_created(evidence: Evidence) -> str:
    """Why pods are missing, after a colon; empty where nothing says so."""
    refusal = evidence.refusal()
    if refusal is None:
        return ""
    job = leader_deadlock(evidence)
    deadlock = "" if job is None else f": Job {job} has several pods of index 0, so JobSet refuses its others"
    return f"{deadlock}: {refusal}"
