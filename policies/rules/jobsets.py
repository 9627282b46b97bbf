"""Rules about fields, policies and failures of JobSets and Jobs that webhooks or controllers refuse or ignore."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from components.model import names
from components.model.facts import failures, gke, kinds, ray
from components.model.facts.apis.served import JOBSET_RELEASES
from components.model.facts.failures import GATED, REASONS, RULE_NAME, RULE_NAME_LENGTH
from components.model.findings import Finding, Severity, about_key, counted, did_you_mean, listing, unlisted
from components.model.rule import Family
from components.model.rules.failure import (
    failure_rules_can_match,
    is_among,
    unreachable_rule,
    unused_pod_failure_reason,
)
from components.model.rules.run import unfit_pod_name, workload_pod_names
from policies.objects.fields import fields_of, fields_within
from policies.objects.judging import object_rule, read_in_object
from policies.objects.pods import RUNS, PodGroup, pod_groups

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from policies.objects.values import Part
    from policies.objects.world import Object

FAMILY: Final = Family.TOPOLOGY

_WEBHOOK: Final = "JobSet 0.12.0, pkg/webhooks/jobset_webhook.go"
_INDEXED: Final = "Indexed"
_ENDS: Final = ("OnFailure", "Never")
_TYPES: Final = f"CustomResourceDefinition of {JOBSET_RELEASES}"
_VALIDATION: Final = "Kubernetes, pkg/apis/batch/validation"
_REASONS: Final = "onJobFailureReasons"
_MESSAGES: Final = "onJobFailureMessagePatterns"
_TARGETS: Final = "targetReplicatedJobs"
_WITH_JOBS: Final = (*RUNS, kinds.CRON_JOB)


@read_in_object(workload_pod_names, kinds=RUNS)
def _workload_pod_names(owner: Object) -> Iterator[Finding]:
    for group in pod_groups(owner):
        if owner.name and group.name:
            place = owner.place.at("metadata", "name")
            wrong = (group.name, group.part.place.at("name")) if names.is_label(owner.name) else (owner.name, place)
            yield from unfit_pod_name(_longest_pod(group), place, wrong if owner.kind is kinds.JOBSET else None)


@object_rule(
    summary="the name of a RayJob leaves room for the names of its cluster and Services",
    why="KubeRay refuses the RayJob, which then never gets a cluster.",
    source="KubeRay 1.6.2, ray-operator/controllers/ray/utils/validation.go",
    kinds=(kinds.RAY_JOB,),
)
def _ray_job_name(owner: Object) -> Iterator[Finding]:
    excess = len(owner.name) - ray.JOB_NAME_LENGTH
    place = owner.place.at("metadata", "name")
    if excess > 0:
        yield Finding(
            place=place,
            says=f"{owner.name} has {len(owner.name)} characters; a RayJob's name may have {ray.JOB_NAME_LENGTH} at "
            "most.",
            remedy=f"Shorten the name by {excess}.",
        )
    elif owner.name and not names.is_label(owner.name):
        yield Finding(
            place=place,
            says=f"{owner.name} is not a name that Services may have: lower-case letters, digits and hyphens, a letter "
            "first.",
            remedy=f"Such as {names.as_label(owner.name)}.",
        )


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
    summary="the subdomain of a JobSet's network is a DNS label",
    why="JobSet makes a Service of that name; the webhook refuses others.",
    source=_WEBHOOK,
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
    summary="pods of Jobs are restarted on failure or never",
    why="The API server refuses a Job whose pods always restart, which is what pods do by default.",
    source='Kubernetes documentation "Jobs", read 2026-11',
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
    summary="manifests leave suspend to Kueue",
    why="Kueue sets it on queued workloads, so a stated value differs at each update of a program that declares it.",
    source='Kueue documentation "Run A Kubernetes Job", read 2026-11',
    family=Family.QUOTA,
    kinds=RUNS,
    severity=Severity.ADVICE,
)
def _kueue_suspends(owner: Object) -> Iterator[Finding]:
    if owner.flag("spec", "suspend") is not None and _is_queued(owner):
        yield about_key(
            place=owner.place.at("spec", "suspend"),
            says="Kueue sets it, and a second writer undoes Kueue's changes.",
        )


@object_rule(
    summary="workloads that are created suspended name a queue",
    why="Kueue resumes the workloads of its queues; nothing starts the others until somebody resumes them by hand.",
    source='Kubernetes documentation "Jobs", suspending a Job, read 2026-11',
    family=Family.QUOTA,
    kinds=RUNS,
    severity=Severity.WARNING,
)
def _suspended_run_is_queued(owner: Object) -> Iterator[Finding]:
    if owner.flag("spec", "suspend") and not _is_queued(owner):
        yield about_key(
            place=owner.place.at("spec", "suspend"),
            says="no queue is named, so nothing ever starts it.",
            remedy="Remove the key, or name a queue.",
        )


def _is_queued(owner: Object) -> bool:
    return owner.text("metadata", "labels", gke.LABEL_QUEUE_NAME) is not None


@object_rule(
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
        yield about_key(
            place=owner.place.at("spec", "ttlSecondsAfterFinished"),
            says=f"{seconds} seconds after its end the cluster deletes it, and the next update runs it again.",
            remedy="Remove the key if a program or a repository declares the workload.",
        )


def _one_of(jobset: Object, part: Part, key: str, *, is_required: bool = True) -> Iterator[Finding]:
    """A finding where the value of a field is none of its enumeration, or is behind a gate that is shut."""
    fields = fields_within(part, jobset, fields_of(jobset))
    if key not in fields:
        return
    known = [value for value in fields[key].values if value not in GATED]
    found = part.text(key)
    if found in known or (found is None and not is_required):
        return
    if found is None:
        says = "it is not stated."
    elif found in fields[key].values:
        says = f"{found} needs a feature gate of JobSet that is off."
    else:
        says = f"{found} is not a value of JobSet."
    hint = "" if found is None else did_you_mean(found, known)
    yield Finding(place=part.place.at(key), says=says, remedy=f"{hint}Values: {listing(known)}.")


def _known_jobs(part: Part, key: str, jobset: Object) -> Iterator[Finding]:
    """A finding for each name in a list that no replicated job has."""
    known = [each.string("name") for each in jobset.parts("spec", "replicatedJobs")]
    for index, name in enumerate(part.texts(key)):
        if name not in known:
            yield unlisted(part.place.at(key, index), "replicated job", name, known, "Replicated jobs")


@object_rule(
    summary="a JobSet's restart strategy is one that JobSet has",
    why="The webhook refuses others.",
    source=_WEBHOOK,
    kinds=(kinds.JOBSET,),
)
def _restart_strategy_exists(jobset: Object) -> Iterator[Finding]:
    policy = jobset.part("spec", "failurePolicy")
    if policy is not None:
        yield from _one_of(jobset, policy, "restartStrategy", is_required=False)


@object_rule(
    summary="rules of a failure policy have existing actions, reasons and jobs, and unique names",
    why="The webhook refuses the JobSet.",
    source=_WEBHOOK,
    kinds=(kinds.JOBSET,),
)
def _failure_rules_exist(jobset: Object) -> Iterator[Finding]:
    taken: set[str] = set()
    for each in jobset.parts("spec", "failurePolicy", "rules"):
        yield from _one_of(jobset, each, "action")
        yield from _known_jobs(each, "targetReplicatedJobs", jobset)
        for index, reason in enumerate(each.texts("onJobFailureReasons")):
            if reason not in REASONS:
                yield Finding(
                    place=each.place.at("onJobFailureReasons", index),
                    says=f"{reason} is not a reason for which a Job fails.",
                    remedy=f"{did_you_mean(reason, REASONS)}Reasons: {listing(REASONS)}.",
                )
        yield from _rule_name(each, taken)


def _rule_name(each: Part, taken: set[str]) -> Iterator[Finding]:
    """Findings about the name of a failure rule; JobSet names rules without one."""
    name = each.text("name")
    if name is None:
        return
    if name in taken:
        yield Finding(place=each.place.at("name"), says=f"another rule is named {name}.", remedy="Choose another name.")
    elif re.fullmatch(RULE_NAME, name) is None or len(name) > RULE_NAME_LENGTH:
        yield Finding(
            place=each.place.at("name"),
            says=f"{name} is not a valid rule name.",
            remedy=f"Use letters, digits and any of _ , : with a letter first, {RULE_NAME_LENGTH} at most.",
        )
    taken.add(name)


@object_rule(
    summary="a success policy has an existing operator and existing jobs",
    why="The webhook refuses the JobSet.",
    source=_WEBHOOK,
    kinds=(kinds.JOBSET,),
)
def _success_policy_exists(jobset: Object) -> Iterator[Finding]:
    policy = jobset.part("spec", "successPolicy")
    if policy is not None:
        yield from _one_of(jobset, policy, "operator")
        yield from _known_jobs(policy, "targetReplicatedJobs", jobset)


@object_rule(
    summary="replicated jobs start in one possible order: each waits only for jobs before it",
    why="The webhook refuses other orders; a job that waits for itself never starts.",
    source=_TYPES,
    kinds=(kinds.JOBSET,),
)
def _start_order_is_possible(jobset: Object) -> Iterator[Finding]:
    policy = jobset.part("spec", "startupPolicy")
    if policy is not None:
        yield from _one_of(jobset, policy, "startupPolicyOrder")
    before: list[str] = []
    is_ordered = policy is not None and policy.text("startupPolicyOrder") == "InOrder"
    for job in jobset.parts("spec", "replicatedJobs"):
        if job.has("dependsOn") and (is_ordered or not before):
            says = "startupPolicyOrder is InOrder; JobSet takes only one." if before else "no job is before it."
            yield about_key(place=job.place.at("dependsOn"), says=says)
        elif before:
            yield from (finding for each in job.parts("dependsOn") for finding in _awaits(jobset, each, before))
        before.append(job.string("name"))


def _awaits(jobset: Object, each: Part, before: list[str]) -> Iterator[Finding]:
    """Findings about one job that another waits for."""
    yield from _one_of(jobset, each, "status")
    name = each.string("name")
    if name not in before:
        yield Finding(
            place=each.place.at("name"),
            says=f"no replicated job before this one is named {name}." if name else "it names no replicated job.",
            remedy=f"{did_you_mean(name, before)}Replicated jobs before it: {listing(before)}.",
        )


@object_rule(
    summary="the replicated jobs of a JobSet have unique names",
    why="The list is keyed by name, and the API server refuses a key twice.",
    source=_TYPES,
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
    summary="a JobSet's coordinator is one of its pods",
    why="The webhook refuses the JobSet.",
    source=_WEBHOOK,
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
    completions = 0 if group.completions is None else group.completions
    for key, count, word in (("jobIndex", group.replicas, "Jobs"), ("podIndex", completions, "completions")):
        index = stated.count(key)
        if not 0 <= index < count:
            yield Finding(
                place=stated.place.at(key),
                says=f"{index}, but {name} has {count} {word}.",
                remedy=f"Set 0 to {count - 1}." if count else f"State completions of {name}.",
            )


@read_in_object(failure_rules_can_match, kinds=(kinds.JOBSET,))
def _failure_rules_can_match(jobset: Object) -> Iterator[Finding]:
    restarts = jobset.count("spec", "failurePolicy", "maxRestarts")
    rules = jobset.parts("spec", "failurePolicy", "rules")
    for index, each in enumerate(rules):
        first = next((at for at, other in enumerate(rules[:index]) if _is_covered(each, other)), None)
        if first is None:
            yield from _without_effect(jobset, each, restarts)
        else:
            yield unreachable_rule(each.place.at("action"), rules[first].text("name") or failures.rule_name(first))


def _is_covered(each: Part, other: Part) -> bool:
    is_any = not (other.texts(_REASONS) or other.texts(_MESSAGES))
    return is_any and is_among(each.texts(_TARGETS), other.texts(_TARGETS))


def _without_effect(jobset: Object, each: Part, restarts: int) -> Iterator[Finding]:
    if each.text("action") == "RestartJobSet" and not restarts:
        yield Finding(
            place=each.place.at("action"),
            says="maxRestarts is 0, so this fails the JobSet.",
            remedy=f"Set maxRestarts, or use FailJobSet or {failures.RESTART_AND_IGNORE}.",
        )
    for index, pattern in enumerate(each.texts(_MESSAGES)):
        if not failures.is_re2(pattern):
            yield Finding(
                place=each.place.at(_MESSAGES, index),
                says=f"{pattern} is not a regular expression that JobSet takes; it logs this and matches nothing.",
                remedy="Use Go's syntax (RE2), which has no look-around and no back-reference.",
            )
    targets = each.texts(_TARGETS)
    groups = [group for group in pod_groups(jobset) if not targets or group.name in targets]
    if set(each.texts(_REASONS)) == {failures.POD_FAILURE_POLICY} and not any(map(_fails_of_pods, groups)):
        remedy = f"Add a podFailurePolicy with the action {failures.FAIL_JOB} to the Jobs, or remove the rule."
        yield unused_pod_failure_reason(each.place.at(_REASONS), remedy)


def _fails_of_pods(group: PodGroup) -> bool:
    rules = () if group.job is None else group.job.parts("podFailurePolicy", "rules")
    return any(each.text("action") == failures.FAIL_JOB for each in rules)


@object_rule(
    summary="each rule of a podFailurePolicy is about exit codes or about conditions, and names codes in order",
    why="The API server refuses the Job.",
    source=_VALIDATION,
    kinds=_WITH_JOBS,
)
def _pod_failure_rules_are_possible(owner: Object) -> Iterator[Finding]:
    for group in pod_groups(owner):
        job = group.job
        if job is None:
            continue
        rules = job.parts("podFailurePolicy", "rules")
        if len(rules) > failures.POD_RULES:
            yield Finding(
                place=rules[failures.POD_RULES].place,
                says=f"{counted(len(rules), 'rule')}; a podFailurePolicy may have {failures.POD_RULES}.",
                remedy="Join rules with the same action.",
            )
        for each in rules:
            yield from _impossible(each, group, has_limit=job.has("backoffLimitPerIndex"))


def _impossible(each: Part, group: PodGroup, *, has_limit: bool) -> Iterator[Finding]:
    codes, conditions = each.part("onExitCodes"), each.parts("onPodConditions")
    if (codes is None) != bool(conditions):
        says = (
            "it has none of onExitCodes and onPodConditions." if codes is None else "it has both kinds of conditions."
        )
        yield Finding(place=each.place, says=says, remedy="State onExitCodes or onPodConditions, not both.")
    if each.text("action") == "FailIndex" and not has_limit:
        yield Finding(
            place=each.place.at("action"),
            says="FailIndex requires a backoffLimitPerIndex, which the Job does not have.",
            remedy=f"Set backoffLimitPerIndex, or use {failures.FAIL_JOB}.",
        )
    if codes is not None:
        yield from _wrong_codes(codes, [container.string("name") for container in group.all_containers])


def _wrong_codes(codes: Part, containers: Sequence[str]) -> Iterator[Finding]:
    name = codes.text("containerName")
    if name is not None and name not in containers:
        yield unlisted(codes.place.at("containerName"), "container", name, containers, "Containers")
    values = list(_whole_numbers(codes))
    if 0 in values and codes.text("operator") == "In":
        yield Finding(
            place=codes.place.at("values"), says="0 is not the exit code of a failure.", remedy="Remove the 0."
        )
    elif values != sorted(set(values)):
        ordered = ", ".join(map(str, sorted(set(values))))
        yield Finding(
            place=codes.place.at("values"),
            says="the codes are not in ascending order, each once.",
            remedy=f"Write [{ordered}].",
        )


def _whole_numbers(codes: Part) -> Iterator[int]:
    stated = codes.raw("values")
    for index in range(len(stated) if isinstance(stated, list) else 0):
        value = codes.whole("values", index)
        if value is not None:
            yield value
