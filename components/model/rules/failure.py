"""Rules about failures: the policies of a JobSet, the exit codes and the end of its pods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import failures
from components.model.findings import Finding, Severity, counted, listing, unlisted
from components.model.plan.workloads import BatchJobPlan, FailureRulePlan, JobSetPlan, TpuJobPlan
from components.model.rule import Family, rule

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from components.model.places import Place
    from components.model.plan import Plan

FAMILY: Final = Family.TOPOLOGY

WEBHOOK: Final = "JobSet 0.12.0, pkg/webhooks/jobset_webhook.go"
CONTROLLER: Final = "JobSet 0.12.0, pkg/controllers/failure_policy.go"
_JOBS: Final = "Kubernetes, pkg/apis/batch/validation"
_TAKEN: Final = frozenset({"spot", "flex-start"})
"""Capacity types whose hosts go away as a rule, not as an exception."""
_PODS_END: Final = 'Kubernetes documentation "Pod Lifecycle", termination of pods, read 2026-11'


def _jobsets(plan: Plan) -> Iterator[JobSetPlan]:
    yield from (work for work in plan.tpu_runs if isinstance(work, JobSetPlan))


@rule(
    summary="failure rules and success policies name replicated jobs that their JobSet has",
    why="The webhook refuses the JobSet.",
    source=WEBHOOK,
)
def _policies_name_replicated_jobs(plan: Plan) -> Iterator[Finding]:
    for work in _jobsets(plan):
        known = work.job_names
        named = [(each.place, each.replicated_jobs) for each in work.failure_rules]
        if work.success is not None:
            named.append((work.success.place, work.success.replicated_jobs))
        for place, stated in named:
            for index, name in enumerate(stated):
                if name not in known:
                    yield unlisted(place.at("replicated_jobs", index), "replicated job", name, known, "Replicated jobs")


@rule(
    summary="failure rules of a JobSet have different names, of 128 characters at most",
    why="The webhook refuses the JobSet.",
    source=WEBHOOK,
)
def _failure_rule_names_differ(plan: Plan) -> Iterator[Finding]:
    for work in _jobsets(plan):
        taken: set[str] = set()
        for each in work.failure_rules:
            excess = len(each.name) - failures.RULE_NAME_LENGTH
            if each.name in taken:
                says, remedy = f"another rule is named {each.name}.", "Choose another name."
            elif excess > 0:
                says = f"it has {len(each.name)} characters; it may have {failures.RULE_NAME_LENGTH} at most."
                remedy = "Choose a shorter name."
            else:
                taken.add(each.name)
                continue
            yield Finding(place=each.place.at("name"), says=says, remedy=remedy)


@rule(
    summary="every failure rule can match a failure, and a rule that restarts has restarts left",
    why="The rule has no effect, and another one decides.",
    source=CONTROLLER,
    severity=Severity.WARNING,
)
def failure_rules_can_match(plan: Plan) -> Iterator[Finding]:
    """Checks the JobSets of a stack file."""
    for work in _jobsets(plan):
        before: list[FailureRulePlan] = []
        for each in work.failure_rules:
            yield from _without_effect(work, each, before)
            before.append(each)


def _without_effect(work: JobSetPlan, each: FailureRulePlan, before: Sequence[FailureRulePlan]) -> Iterator[Finding]:
    first = next((other for other in before if _is_covered(each, other)), None)
    if first is not None:
        yield unreachable_rule(each.place.at("action"), first.name)
        return
    if each.action == "RestartJobSet" and not work.max_restarts:
        yield Finding(
            place=each.place.at("action"),
            says="max_restarts is 0, so this fails the workload.",
            remedy=f"Set max_restarts, or use FailJobSet or {failures.RESTART_AND_IGNORE}.",
        )
    own = [other for other in work.failure_rules if other.is_about_pods]
    if set(each.reasons) == {failures.POD_FAILURE_POLICY} and not own:
        yield unused_pod_failure_reason(each.place.at("on_reasons"), "Use on_exit_codes or on_pod_conditions instead.")


def _is_covered(each: FailureRulePlan, other: FailureRulePlan) -> bool:
    """Whether another rule, which is asked first, matches whatever the rule matches."""
    is_any = not (other.is_about_pods or other.reasons or other.messages)
    return is_any and is_among(each.replicated_jobs, other.replicated_jobs)


def is_among(stated: Sequence[str], others: Sequence[str]) -> bool:
    """Whether replicated jobs are among others, where none stated are all."""
    return not others or (bool(stated) and set(stated) <= set(others))


def unreachable_rule(place: Place, name: str) -> Finding:
    """The rule at the place has no effect, because the rule `name` before it matches every failure."""
    return Finding(
        place=place,
        says=f"the rule {name} before it matches every failure, so this one never decides.",
        remedy=f"Move it before {name}.",
    )


def unused_pod_failure_reason(place: Place, remedy: str) -> Finding:
    """The rule at the place waits for a reason for which no Job fails."""
    return Finding(
        place=place,
        says="no Job of the JobSet has a podFailurePolicy that fails it, so none fails for that reason.",
        remedy=remedy,
    )


@rule(
    summary="a rule that ends a run names no exit code of a signal, unless a rule for disruptions is before it",
    why="Kueue and Kubernetes end containers by signals when they preempt or drain a run, and the rule fails it then.",
    source=_PODS_END,
    severity=Severity.WARNING,
)
def _exit_codes_are_the_programs(plan: Plan) -> Iterator[Finding]:
    for work in plan.runs:
        if isinstance(work, JobSetPlan):
            ends, rules = "FailJobSet", tuple((each.place, each) for each in work.failure_rules)
        else:
            ends, rules = (
                failures.FAIL_JOB,
                tuple((each.place, each) for each in work.pod_failures if not each.is_other_code),
            )
        for place, each in rules:
            if failures.DISRUPTION in each.conditions:
                break
            if each.action == ends:
                yield from _of_signals(place.at("on_exit_codes"), each.exit_codes)


def _of_signals(place: Place, codes: Sequence[int]) -> Iterator[Finding]:
    for code in codes:
        signal = failures.SIGNALS.get(code)
        if signal is not None:
            yield Finding(
                place=place,
                says=f"{code} is also the exit code of a container that Kubernetes ends with {signal}, such as after a "
                "preemption.",
                remedy=f"Remove it, or put a rule for {failures.DISRUPTION} before this one.",
            )


@rule(
    summary="Jobs with rules for failed pods do not restart containers in their pods",
    why="The API server refuses the Job: a container that starts again is not a failed pod.",
    source=_JOBS,
)
def _pod_failures_need_never(plan: Plan) -> Iterator[Finding]:
    for work in plan.runs:
        if isinstance(work, (TpuJobPlan, BatchJobPlan)) and work.pod_failures and work.restart_policy != "Never":
            yield Finding(
                place=work.place.at("restart_policy"),
                says=f"it is {work.restart_policy}, and rules for failed pods require Never.",
                remedy="Set Never, or remove the rules.",
            )


@rule(
    summary=f"a Job has at most {failures.POD_RULES} rules for failed pods",
    why="The API server refuses the Job.",
    source=_JOBS,
)
def _pod_failure_rules_are_few(plan: Plan) -> Iterator[Finding]:
    for work in plan.runs:
        if isinstance(work, JobSetPlan):
            places = [each.place for each in work.failure_rules if each.is_about_pods]
        else:
            places = [each.place for each in work.pod_failures]
        if len(places) > failures.POD_RULES:
            yield Finding(
                place=places[failures.POD_RULES],
                says=f"{counted(len(places), 'rule')} about failed pods; a Job may have {failures.POD_RULES}.",
                remedy="Join rules with the same action.",
            )


@rule(
    summary="a workload on slices states what happens when it loses a host",
    why="Without a restart one lost host ends it for good: Google takes spot slices back, removes flex-start nodes at "
    "the end of their time, and repairs all others.",
    source=f"{CONTROLLER}; {_PODS_END}",
    also_warns=True,
)
def _lost_host_is_foreseen(plan: Plan) -> Iterator[Finding]:
    for work in plan.tpu_runs:
        if isinstance(work, JobSetPlan):
            is_stated, place = work.max_restarts is not None, work.place.at("max_restarts")
            rules = [(each.action, each.conditions) for each in work.failure_rules]
            stated = "max_restarts: 3"
            never = "max_restarts: 0"
        else:
            # Kubernetes replaces the pod of a single host.
            is_stated, place = work.backoff_limit is not None or work.hosts <= 1, work.place.at("maintenance")
            rules = [(each.action, each.conditions) for each in work.pod_failures]
            stated, never = "backoff_limit: 3", "backoff_limit: 0"
        is_ruled = any(
            failures.DISRUPTION in conditions or action == failures.RESTART_AND_IGNORE for action, conditions in rules
        )
        if is_stated or is_ruled:
            continue
        taken = sorted(_TAKEN & _capacities(work, plan))
        slices = f"its {listing(taken)} slices" if taken else "its slices"
        yield Finding(
            place=place,
            says=f"not stated, so one lost host of {slices} ends the workload for good.",
            remedy=f"Write checkpoints, and set {stated} or maintenance: {{checkpoint_seconds: 60}}; {never} leaves it "
            "so.",
            severity=Severity.ERROR if taken else Severity.WARNING,
        )


def _capacities(work: JobSetPlan | TpuJobPlan, plan: Plan) -> set[str]:
    """The capacity types of the slices that a workload may run on."""
    found = plan.class_of(work)
    if found is None:
        return {flavor.capacity for flavor in plan.flavors if flavor.name in work.flavors}
    pools = {pool for entry in found.entries for pool in entry.pools}
    declared = {pool.capacity for pool in plan.slice_pools if pool.name in pools}
    return declared | {priority.capacity for priority in found.made if priority.topology is not None}


@rule(
    summary="pods get the time that their program takes to write a checkpoint",
    why="Kubernetes ends the program with SIGKILL while it writes, and the checkpoint is lost.",
    source=_PODS_END,
)
def _grace_holds_the_checkpoint(plan: Plan) -> Iterator[Finding]:
    for work in plan.tpu_runs:
        grace, needed = work.pod.grace_seconds, work.checkpoint_seconds
        if grace is not None and needed is not None and grace < needed:
            yield Finding(
                place=work.place.at("grace_seconds"),
                says=f"{grace} s are not enough for a checkpoint, which takes {needed} s.",
                remedy=f"Set {needed} or more, or remove the key.",
            )
