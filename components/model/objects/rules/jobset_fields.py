"""Rules about fields of JobSets and Jobs that their webhooks, or the controllers behind them, refuse or ignore."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from components.model import gke, names
from components.model.findings import Finding, Severity, did_you_mean, listing
from components.model.objects import kinds
from components.model.objects.judging import Family, object_rule
from components.model.objects.pods import RUNS, pod_groups

if TYPE_CHECKING:
    from collections.abc import Iterator

    from components.model.findings import Place
    from components.model.objects.pods import PodGroup
    from components.model.objects.values import Part
    from components.model.objects.world import Object

_WEBHOOK: Final = "JobSet 0.12.0, pkg/webhooks/jobset_webhook.go"
_TYPES: Final = "JobSet 0.12.0, api/jobset/v1alpha2/jobset_types.go"
_STRATEGIES: Final = ("Recreate", "BlockingRecreate")
_GATED_STRATEGY: Final = "InPlaceRestart"
_INDEXED: Final = "Indexed"
_ENDS: Final = ("OnFailure", "Never")
_OPERATORS: Final = ("All", "Any")
_ORDERS: Final = ("AnyOrder", "InOrder")
_STATES: Final = ("Ready", "Complete")
_ACTIONS: Final = ("FailJobSet", "RestartJobSet", "RestartJobSetAndIgnoreMaxRestarts")
_GATED_ACTIONS: Final = ("RestartJob", "RestartJobAndIgnoreMaxRestarts")
_REASONS: Final = (
    "BackoffLimitExceeded",
    "DeadlineExceeded",
    "FailedIndexes",
    "MaxFailedIndexesExceeded",
    "PodFailurePolicy",
)
_RULE_NAME = re.compile(r"[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?")
_RULE_NAME_LENGTH: Final = 128
_DNS_1035 = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")


def _one_of(
    part: Part, key: str, known: tuple[str, ...], gated: tuple[str, ...] = (), *, is_required: bool = True
) -> Iterator[Finding]:
    """A finding where the value of a field is none of its enumeration, or is behind a gate that is shut."""
    found = part.text(key)
    if found in known or (found is None and not is_required):
        return
    if found is None:
        says = "it is not stated."
    elif found in gated:
        says = f"{found} needs a feature gate of JobSet that is off."
    else:
        says = f"{found} is no value that JobSet has."
    hint = "" if found is None else did_you_mean(found, known)
    yield Finding(place=part.place.at(key), says=says, remedy=f"{hint}Values: {listing(known)}.")


def _job_names(jobset: Object) -> list[str]:
    return [each.string("name") for each in jobset.parts("spec", "replicatedJobs")]


def _known_jobs(part: Part, key: str, jobset: Object) -> Iterator[Finding]:
    """A finding for each name in a list that no replicated job has."""
    known = _job_names(jobset)
    for index, name in enumerate(part.texts(key)):
        if name not in known:
            yield Finding(
                place=part.place.at(key, index),
                says=f"no replicated job is named {name}.",
                remedy=f"{did_you_mean(name, known)}Replicated jobs: {listing(known)}.",
            )


@object_rule(
    "restart-strategy-exists",
    summary="a JobSet's restart strategy is one that JobSet has",
    why="The webhook refuses others.",
    source=_WEBHOOK,
    family=Family.TOPOLOGY,
    kinds=(kinds.JOBSET,),
)
def _restart_strategy_exists(jobset: Object) -> Iterator[Finding]:
    policy = jobset.part("spec", "failurePolicy")
    if policy is not None:
        yield from _one_of(policy, "restartStrategy", _STRATEGIES, (_GATED_STRATEGY,), is_required=False)


@object_rule(
    "failure-rules-exist",
    summary="rules of a failure policy have actions, reasons and jobs that there are, and names of their own",
    why="The webhook refuses the JobSet.",
    source=_WEBHOOK,
    family=Family.TOPOLOGY,
    kinds=(kinds.JOBSET,),
)
def _failure_rules_exist(jobset: Object) -> Iterator[Finding]:
    taken: set[str] = set()
    for each in jobset.parts("spec", "failurePolicy", "rules"):
        yield from _one_of(each, "action", _ACTIONS, _GATED_ACTIONS)
        yield from _known_jobs(each, "targetReplicatedJobs", jobset)
        for index, reason in enumerate(each.texts("onJobFailureReasons")):
            if reason not in _REASONS:
                yield Finding(
                    place=each.place.at("onJobFailureReasons", index),
                    says=f"{reason} is no reason for which a Job fails.",
                    remedy=f"{did_you_mean(reason, _REASONS)}Reasons: {listing(_REASONS)}.",
                )
        yield from _rule_name(each, taken)


def _rule_name(each: Part, taken: set[str]) -> Iterator[Finding]:
    """What is wrong with the name of a failure rule; JobSet names those that have none."""
    name = each.text("name")
    if name is None:
        return
    if name in taken:
        yield Finding(place=each.place.at("name"), says=f"another rule is named {name}.", remedy="Choose another name.")
    elif _RULE_NAME.fullmatch(name) is None or len(name) > _RULE_NAME_LENGTH:
        yield Finding(
            place=each.place.at("name"),
            says=f"{name} is no name of a rule.",
            remedy=f"Use letters, digits and any of _ , : with a letter first, {_RULE_NAME_LENGTH} at most.",
        )
    taken.add(name)


@object_rule(
    "success-policy-exists",
    summary="a success policy has an operator and jobs that there are",
    why="The webhook refuses the JobSet.",
    source=_WEBHOOK,
    family=Family.TOPOLOGY,
    kinds=(kinds.JOBSET,),
)
def _success_policy_exists(jobset: Object) -> Iterator[Finding]:
    policy = jobset.part("spec", "successPolicy")
    if policy is not None:
        yield from _one_of(policy, "operator", _OPERATORS)
        yield from _known_jobs(policy, "targetReplicatedJobs", jobset)


@object_rule(
    "start-order-is-possible",
    summary="replicated jobs start in one order that there is: each waits for jobs before it",
    why="The webhook refuses another; what waits for itself never starts.",
    source=_TYPES,
    family=Family.TOPOLOGY,
    kinds=(kinds.JOBSET,),
)
def _start_order_is_possible(jobset: Object) -> Iterator[Finding]:
    policy = jobset.part("spec", "startupPolicy")
    if policy is not None:
        yield from _one_of(policy, "startupPolicyOrder", _ORDERS)
    before: list[str] = []
    is_ordered = policy is not None and policy.text("startupPolicyOrder") == "InOrder"
    for job in jobset.parts("spec", "replicatedJobs"):
        if job.has("dependsOn") and (is_ordered or not before):
            says = "startupPolicyOrder is InOrder, and JobSet takes one of them." if before else "nothing is before it."
            yield Finding(place=job.place.at("dependsOn"), says=says, remedy="Remove the key.", is_about_key=True)
        elif before:
            yield from (finding for each in job.parts("dependsOn") for finding in _awaits(each, before))
        before.append(job.string("name"))


def _awaits(each: Part, before: list[str]) -> Iterator[Finding]:
    """What is wrong with one job that is waited for."""
    yield from _one_of(each, "status", _STATES)
    name = each.string("name")
    if name not in before:
        yield Finding(
            place=each.place.at("name"),
            says=f"no replicated job before this one is named {name}." if name else "it names no replicated job.",
            remedy=f"{did_you_mean(name, before)}Replicated jobs before it: {listing(before)}.",
        )


@object_rule(
    "replicated-jobs-differ",
    summary="the replicated jobs of a JobSet have names of their own",
    why="The list is keyed by them, and the API server refuses a key twice.",
    source=_TYPES,
    family=Family.TOPOLOGY,
    kinds=(kinds.JOBSET,),
)
def _replicated_jobs_differ(jobset: Object) -> Iterator[Finding]:
    taken: set[str] = set()
    for job in jobset.parts("spec", "replicatedJobs"):
        name = job.string("name")
        if name in taken:
            yield Finding(
                place=job.place.at("name"),
                says=f"another replicated job is named {name}.",
                remedy="Choose another name.",
            )
        taken.add(name)


@object_rule(
    "coordinator-exists",
    summary="a JobSet's coordinator is one of its pods",
    why="The webhook refuses the JobSet.",
    source=_WEBHOOK,
    family=Family.TOPOLOGY,
    kinds=(kinds.JOBSET,),
)
def _coordinator_exists(jobset: Object) -> Iterator[Finding]:
    stated = jobset.part("spec", "coordinator")
    if stated is None:
        return
    name, known = stated.string("replicatedJob"), {group.name: group for group in pod_groups(jobset)}
    group = known.get(name)
    if group is None:
        yield Finding(
            place=stated.place.at("replicatedJob"),
            says=f"no replicated job is named {name}." if name else "it names no replicated job.",
            remedy=f"{did_you_mean(name, known)}Replicated jobs: {listing(list(known))}.",
        )
        return
    for key, count, word in (("jobIndex", group.replicas, "Jobs"), ("podIndex", group.completions or 0, "completions")):
        index = stated.whole(key) or 0
        if not 0 <= index < count:
            yield Finding(
                place=stated.place.at(key),
                says=f"{index}, and {name} has {count} {word}.",
                remedy=f"Set 0 to {count - 1}." if count else f"State completions of {name}.",
            )


@object_rule(
    "workload-pod-names",
    summary="a workload's name leaves room for those of its pods",
    why="JobSet, and the API server for a Job, refuse a name whose longest pod name is no DNS label.",
    source=_WEBHOOK,
    family=Family.TOPOLOGY,
    kinds=RUNS,
)
def _workload_pod_names(owner: Object) -> Iterator[Finding]:
    for group in pod_groups(owner):
        if not owner.name or not group.name:
            continue
        pod, place = _longest_pod(group), owner.place.at("metadata", "name")
        excess = len(pod) - gke.KUBERNETES_LABEL_LENGTH
        if excess > 0:
            yield Finding(
                place=place,
                says=f"its longest pod name, {pod}, has {len(pod)} characters; it may have "
                f"{gke.KUBERNETES_LABEL_LENGTH} at most.",
                remedy=f"Shorten the name by {excess}.",
            )
        elif owner.kind is kinds.JOBSET and _DNS_1035.fullmatch(pod) is None:
            is_own = _DNS_1035.fullmatch(owner.name) is None
            yield Finding(
                place=place if is_own else group.part.place.at("name"),
                says=f"its pods' names, such as {pod}, are no DNS labels: small letters, digits and hyphens, a letter "
                "first.",
                remedy=f"Such as {_as_label(owner.name if is_own else group.name)}.",
            )


def _longest_pod(group: PodGroup) -> str:
    """The longest name that must be a hostname: a pod's, or the Job's where its pods have no index.

    The last index of no pods is -1, as JobSet has it.
    """
    completions = group.completions
    mode = None if group.job is None else group.job.text("completionMode")
    if group.owner.kind is kinds.JOB:
        return names.longest_job_pod(group.owner.name, completions or 0) if mode == _INDEXED else group.owner.name
    if completions is None or mode not in (None, _INDEXED):
        return names.jobset_job(group.owner.name, group.replicas - 1, group.name)
    return names.longest_pod(group.owner.name, group.replicas, completions, group.name)


def _as_label(name: str) -> str:
    """A name like it that a DNS label may begin with and hold."""
    spelt = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
    return spelt if spelt[:1].isalpha() else f"run-{spelt}".rstrip("-")


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
    elif _DNS_1035.fullmatch(subdomain) is None:
        yield Finding(
            place=place,
            says=f"{subdomain} is no DNS label: small letters, digits and hyphens, a letter first.",
            remedy=f"Such as {_as_label(subdomain)}.",
        )


@object_rule(
    "pods-of-jobs-end",
    summary="pods of Jobs are restarted on failure or never",
    why="The API server refuses a Job whose pods always restart, which is what pods do by default.",
    source='Kubernetes documentation "Jobs", read 2026-11',
    family=Family.TOPOLOGY,
    kinds=RUNS,
)
def _pods_of_jobs_end(owner: Object) -> Iterator[Finding]:
    by_default = "Always" if owner.kind is kinds.JOB else "OnFailure"
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
    summary="manifests leave it to Kueue to suspend runs",
    why="Kueue sets the field of what is queued, so a stated one differs at each update; unqueued, it never starts.",
    source='Kueue documentation "Run A Kubernetes Job", read 2026-11',
    family=Family.QUOTA,
    kinds=RUNS,
    severity=Severity.WARNING,
)
def _kueue_suspends(owner: Object) -> Iterator[Finding]:
    suspend = owner.flag("spec", "suspend")
    is_queued = owner.text("metadata", "labels", gke.LABEL_QUEUE_NAME) is not None
    if suspend is None or not (suspend or is_queued):
        return
    if is_queued:
        says, remedy = "Kueue sets it: whoever writes it too fights Kueue over it.", "Remove the key."
    else:
        says, remedy = "no queue is named, so nothing will ever let it start.", "Remove the key, or name a queue."
    yield Finding(place=_suspended(owner), says=says, remedy=remedy, is_about_key=True)


def _suspended(owner: Object) -> Place:
    return owner.place.at("spec", "suspend")


@object_rule(
    "declared-runs-stay",
    summary="runs that a program declares are not deleted when they end",
    why="The next update finds them missing, and runs them again.",
    source='Kubernetes documentation "Automatic Cleanup for Finished Jobs", read 2026-11',
    family=Family.GUARDRAILS,
    kinds=RUNS,
    severity=Severity.WARNING,
)
def _declared_runs_stay(owner: Object) -> Iterator[Finding]:
    seconds = owner.whole("spec", "ttlSecondsAfterFinished")
    if seconds is not None:
        yield Finding(
            place=owner.place.at("spec", "ttlSecondsAfterFinished"),
            says=f"{seconds} seconds after its end it is gone, and whoever declares it makes it again.",
            remedy="Remove the key where a program or a repository declares the run.",
            is_about_key=True,
        )


JOBSET_FIELD_RULES: Final = (
    _restart_strategy_exists,
    _failure_rules_exist,
    _success_policy_exists,
    _start_order_is_possible,
    _replicated_jobs_differ,
    _coordinator_exists,
    _workload_pod_names,
    _jobset_subdomain_is_a_label,
    _pods_of_jobs_end,
    _kueue_suspends,
    _declared_runs_stay,
)
