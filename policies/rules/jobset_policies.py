"""Rules about the policies of JobSets: when their jobs start, restart, fail and succeed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from components.model.facts import kinds
from components.model.facts.apis.served import JOBSET_RELEASES
from components.model.facts.failures import GATED, REASONS, RULE_NAME, RULE_NAME_LENGTH
from components.model.findings import Finding, did_you_mean, listing
from components.model.rule import Family
from policies.objects import stated_fields
from policies.objects.judging import object_rule
from policies.objects.pods import pod_groups

if TYPE_CHECKING:
    from collections.abc import Iterator

    from policies.objects.values import Part
    from policies.objects.world import Object

_WEBHOOK: Final = "JobSet 0.12.0, pkg/webhooks/jobset_webhook.go"
_TYPES: Final = f"CustomResourceDefinition of {JOBSET_RELEASES}"


def _one_of(jobset: Object, part: Part, key: str, *, is_required: bool = True) -> Iterator[Finding]:
    """A finding where the value of a field is none of its enumeration, or is behind a gate that is shut."""
    fields = stated_fields.within(part, jobset, stated_fields.fields_of(jobset))
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
        yield from _one_of(jobset, policy, "restartStrategy", is_required=False)


@object_rule(
    "failure-rules-exist",
    summary="rules of a failure policy have existing actions, reasons and jobs, and unique names",
    why="The webhook refuses the JobSet.",
    source=_WEBHOOK,
    family=Family.TOPOLOGY,
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
    """What is wrong with the name of a failure rule; JobSet names those that have none."""
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
    "success-policy-exists",
    summary="a success policy has an existing operator and existing jobs",
    why="The webhook refuses the JobSet.",
    source=_WEBHOOK,
    family=Family.TOPOLOGY,
    kinds=(kinds.JOBSET,),
)
def _success_policy_exists(jobset: Object) -> Iterator[Finding]:
    policy = jobset.part("spec", "successPolicy")
    if policy is not None:
        yield from _one_of(jobset, policy, "operator")
        yield from _known_jobs(policy, "targetReplicatedJobs", jobset)


@object_rule(
    "start-order-is-possible",
    summary="replicated jobs start in one possible order: each waits only for jobs before it",
    why="The webhook refuses other orders; a job that waits for itself never starts.",
    source=_TYPES,
    family=Family.TOPOLOGY,
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
            yield Finding(place=job.place.at("dependsOn"), says=says, remedy="Remove the key.", is_about_key=True)
        elif before:
            yield from (finding for each in job.parts("dependsOn") for finding in _awaits(jobset, each, before))
        before.append(job.string("name"))


def _awaits(jobset: Object, each: Part, before: list[str]) -> Iterator[Finding]:
    """What is wrong with one job that another waits for."""
    yield from _one_of(jobset, each, "status")
    name = each.string("name")
    if name not in before:
        yield Finding(
            place=each.place.at("name"),
            says=f"no replicated job before this one is named {name}." if name else "it names no replicated job.",
            remedy=f"{did_you_mean(name, before)}Replicated jobs before it: {listing(before)}.",
        )


@object_rule(
    "replicated-jobs-differ",
    summary="the replicated jobs of a JobSet have unique names",
    why="The list is keyed by name, and the API server refuses a key twice.",
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
    completions = 0 if group.completions is None else group.completions
    for key, count, word in (("jobIndex", group.replicas, "Jobs"), ("podIndex", completions, "completions")):
        index = stated.count(key)
        if not 0 <= index < count:
            yield Finding(
                place=stated.place.at(key),
                says=f"{index}, but {name} has {count} {word}.",
                remedy=f"Set 0 to {count - 1}." if count else f"State completions of {name}.",
            )


JOBSET_POLICY_RULES: Final = (
    _restart_strategy_exists,
    _failure_rules_exist,
    _success_policy_exists,
    _start_order_is_possible,
    _replicated_jobs_differ,
    _coordinator_exists,
)
