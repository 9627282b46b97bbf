"""Rules about fields of JobSets and Jobs that their webhooks, or the controllers behind them, refuse or ignore."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model import names
from components.model.facts import gke, kinds
from components.model.findings import Finding, Severity, listing
from components.model.rule import Family
from components.model.rules.run import unfit_pods, workload_pod_names
from policies.objects.judging import object_rule, read_in_object
from policies.objects.pods import RUNS, pod_groups

if TYPE_CHECKING:
    from collections.abc import Iterator

    from policies.objects.pods import PodGroup
    from policies.objects.world import Object

_WEBHOOK: Final = "JobSet 0.12.0, pkg/webhooks/jobset_webhook.go"
_INDEXED: Final = "Indexed"
_ENDS: Final = ("OnFailure", "Never")


@read_in_object(workload_pod_names, kinds=RUNS)
def _workload_pod_names(owner: Object) -> Iterator[Finding]:
    for group in pod_groups(owner):
        if owner.name and group.name:
            place = owner.place.at("metadata", "name")
            wrong = (group.name, group.part.place.at("name")) if names.is_label(owner.name) else (owner.name, place)
            yield from unfit_pods(_longest_pod(group), place, wrong if owner.kind is kinds.JOBSET else None)


def _longest_pod(group: PodGroup) -> str:
    """The longest name that must be a hostname: a pod's, or the Job's where its pods have no index.

    The last index of no pods is -1, as JobSet has it.
    """
    completions = group.completions
    mode = group.completion_mode
    if group.owner.kind is kinds.JOB:
        if completions is None or mode != _INDEXED:
            return group.owner.name
        return names.longest_job_pod(group.owner.name, completions)
    if completions is None or mode not in (None, _INDEXED):
        return names.jobset_job(group.owner.name, group.replicas - 1, group.name)
    return names.longest_pod(group.owner.name, group.replicas, completions, group.name)


@object_rule(
    "jobset-subdomain-is-a-label",
    summary="the subdomain of a JobSet's network is a DNS label",
    why="JobSet makes a Service of that name; the webhook refuses others.",
    source=_WEBHOOK,
    family=Family.TOPOLOGY,
    kinds=(kinds.JOBSET,),
)
def _jobset_subdomain_is_a_label(jobset: Object) -> Iterator[Finding]:
    subdomain = jobset.text("spec", "network", "subdomain")
    if subdomain is None:
        return
    place = jobset.place.at("spec", "network", "subdomain")
    excess = len(subdomain) - gke.KUBERNETES_LABEL_LENGTH
    if excess > 0:
        yield Finding(
            place=place,
            says=f"it has {len(subdomain)} characters; it may have {gke.KUBERNETES_LABEL_LENGTH} at most.",
            remedy=f"Shorten it by {excess}.",
        )
    elif not names.is_label(subdomain):
        yield Finding(
            place=place,
            says=f"{subdomain} is not a DNS label: lower-case letters, digits and hyphens, a letter first.",
            remedy=f"Such as {names.as_label(subdomain)}.",
        )


@object_rule(
    "pods-of-jobs-end",
    summary="pods of Jobs are restarted on failure or never",
    why="The API server refuses a Job whose pods always restart, which is what pods do by default.",
    source='Kubernetes documentation "Jobs", read 2026-11',
    family=Family.TOPOLOGY,
    kinds=(*RUNS, kinds.CRON_JOB),
)
def _pods_of_jobs_end(owner: Object) -> Iterator[Finding]:
    by_default = "OnFailure" if owner.kind is kinds.JOBSET else "Always"
    for group in pod_groups(owner):
        policy = group.template.text("spec", "restartPolicy") or by_default
        if policy not in _ENDS:
            yield Finding(
                place=group.template.place.at("spec", "restartPolicy"),
                says=f"{policy}; pods of Jobs end.",
                remedy=f"Set {listing(_ENDS, 'or')}.",
            )


@object_rule(
    "kueue-suspends",
    summary="manifests leave suspend to Kueue",
    why="Kueue sets it on queued workloads, so a stated value differs at each update of a program that declares it.",
    source='Kueue documentation "Run A Kubernetes Job", read 2026-11',
    family=Family.QUOTA,
    kinds=RUNS,
    severity=Severity.ADVICE,
)
def _kueue_suspends(owner: Object) -> Iterator[Finding]:
    if owner.flag("spec", "suspend") is not None and _is_queued(owner):
        yield Finding(
            place=owner.place.at("spec", "suspend"),
            says="Kueue sets it, and a second writer undoes Kueue's changes.",
            remedy="Remove the key.",
            is_about_key=True,
        )


@object_rule(
    "suspended-run-is-queued",
    summary="workloads that are created suspended name a queue",
    why="Kueue resumes the workloads of its queues; nothing starts the others until somebody resumes them by hand.",
    source='Kubernetes documentation "Jobs", suspending a Job, read 2026-11',
    family=Family.QUOTA,
    kinds=RUNS,
    severity=Severity.WARNING,
)
def _suspended_run_is_queued(owner: Object) -> Iterator[Finding]:
    if owner.flag("spec", "suspend") and not _is_queued(owner):
        yield Finding(
            place=owner.place.at("spec", "suspend"),
            says="no queue is named, so nothing ever starts it.",
            remedy="Remove the key, or name a queue.",
            is_about_key=True,
        )


def _is_queued(owner: Object) -> bool:
    return owner.text("metadata", "labels", gke.LABEL_QUEUE_NAME) is not None


@object_rule(
    "declared-runs-stay",
    summary="workloads that a program declares are not deleted when they end",
    why="The next update finds them missing, and runs them again.",
    source='Kubernetes documentation "Automatic Cleanup for Finished Jobs", read 2026-11',
    family=Family.GUARDRAILS,
    kinds=RUNS,
    severity=Severity.ADVICE,
)
def _declared_runs_stay(owner: Object) -> Iterator[Finding]:
    seconds = owner.whole("spec", "ttlSecondsAfterFinished")
    if seconds is not None:
        yield Finding(
            place=owner.place.at("spec", "ttlSecondsAfterFinished"),
            says=f"{seconds} seconds after its end the cluster deletes it, and the next update runs it again.",
            remedy="Remove the key if a program or a repository declares the workload.",
            is_about_key=True,
        )


JOBSET_FIELD_RULES: Final = (
    _workload_pod_names,
    _jobset_subdomain_is_a_label,
    _pods_of_jobs_end,
    _kueue_suspends,
    _suspended_run_is_queued,
    _declared_runs_stay,
)
