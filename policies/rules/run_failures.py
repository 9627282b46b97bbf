"""Rules about policies for failures: rules of JobSets that never match, and rules that the API server refuses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import failures, kinds
from components.model.findings import Finding, counted, did_you_mean, listing
from components.model.rule import Family
from components.model.rules.failure import behind, failure_rules_can_match, is_within, never_of_pods
from policies.objects.judging import object_rule, read_in_object
from policies.objects.pods import RUNS, pod_groups

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from policies.objects.pods import PodGroup
    from policies.objects.values import Part
    from policies.objects.world import Object

_VALIDATION: Final = "Kubernetes, pkg/apis/batch/validation"
_REASONS: Final = "onJobFailureReasons"
_MESSAGES: Final = "onJobFailureMessagePatterns"
_TARGETS: Final = "targetReplicatedJobs"
_WITH_JOBS: Final = (*RUNS, kinds.CRON_JOB)


@read_in_object(failure_rules_can_match, kinds=(kinds.JOBSET,))
def _failure_rules_can_match(jobset: Object) -> Iterator[Finding]:
    restarts = jobset.count("spec", "failurePolicy", "maxRestarts")
    rules = jobset.parts("spec", "failurePolicy", "rules")
    for index, each in enumerate(rules):
        first = next((at for at, other in enumerate(rules[:index]) if _is_covered(each, other)), None)
        if first is None:
            yield from _without_effect(jobset, each, restarts)
        else:
            yield behind(each.place.at("action"), rules[first].text("name") or failures.rule_name(first))


def _is_covered(each: Part, other: Part) -> bool:
    is_any = not (other.texts(_REASONS) or other.texts(_MESSAGES))
    return is_any and is_within(each.texts(_TARGETS), other.texts(_TARGETS))


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
        yield never_of_pods(each.place.at(_REASONS), remedy)


def _fails_of_pods(group: PodGroup) -> bool:
    rules = () if group.job is None else group.job.parts("podFailurePolicy", "rules")
    return any(each.text("action") == failures.FAIL_JOB for each in rules)


@object_rule(
    "pod-failure-rules-are-possible",
    summary="each rule of a podFailurePolicy is about exit codes or about conditions, and names codes in order",
    why="The API server refuses the Job.",
    source=_VALIDATION,
    family=Family.TOPOLOGY,
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
        yield Finding(
            place=codes.place.at("containerName"),
            says=f"no container is named {name}.",
            remedy=f"{did_you_mean(name, containers)}Containers: {listing(containers)}.",
        )
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


RUN_FAILURE_RULES: Final = (_failure_rules_can_match, _pod_failure_rules_are_possible)
