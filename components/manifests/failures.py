"""Policies of Jobs and JobSets about failures: what fails the run, what restarts it, and when it has succeeded.

A JobSet sees only why a Job failed. So a rule about exit codes or conditions of pods becomes two: one of the Job, which
fails it with a message that names them, and one of the JobSet, which matches that message.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NotRequired, TypedDict

from components.model.facts import failures

if TYPE_CHECKING:
    from collections.abc import Sequence

    from components.model.plan.failures import FailureRulePlan, PodFailurePlan, SuccessPlan
    from components.model.plan.workloads import JobSetPlan


class ExitCodes(TypedDict):
    """Exit codes of a container."""

    operator: str
    values: list[int]


class PodCondition(TypedDict):
    """A condition of a pod."""

    type: str
    status: str


class PodFailureRule(TypedDict):
    """What a Job does with a failed pod."""

    action: str
    onExitCodes: NotRequired[ExitCodes]
    onPodConditions: NotRequired[list[PodCondition]]


class PodFailurePolicy(TypedDict):
    """What a Job does with failed pods; the first rule that matches decides."""

    rules: list[PodFailureRule]


class FailureRule(TypedDict):
    """What a JobSet does with a failed Job."""

    name: str
    action: str
    onJobFailureReasons: NotRequired[list[str]]
    onJobFailureMessagePatterns: NotRequired[list[str]]
    targetReplicatedJobs: NotRequired[list[str]]


class FailurePolicy(TypedDict):
    """How often all Jobs start again when one fails, and after which failures."""

    maxRestarts: int
    restartStrategy: NotRequired[str]
    rules: NotRequired[list[FailureRule]]


class SuccessPolicy(TypedDict):
    """Which Jobs decide that the JobSet has succeeded."""

    operator: str
    targetReplicatedJobs: NotRequired[list[str]]


def pod_failure_policy(rules: Sequence[PodFailurePlan]) -> PodFailurePolicy:
    """The policy of a Job."""
    return {
        "rules": [
            _pod_rule(rule.action, rule.exit_codes, rule.conditions, is_other_code=rule.is_other_code) for rule in rules
        ]
    }


def pod_failure_policy_for(rules: Sequence[FailureRulePlan], replicated_job: str) -> PodFailurePolicy | None:
    """The policy that the Jobs of a replicated job need for the rules of their JobSet; None where they need none."""
    found = [rule for rule in rules if rule.is_about_pods and rule.concerns(replicated_job)]
    if not found:
        return None
    return {"rules": [_pod_rule(failures.FAIL_JOB, rule.exit_codes, rule.conditions) for rule in found]}


def _pod_rule(
    action: str, codes: Sequence[int], conditions: Sequence[str], *, is_other_code: bool = False
) -> PodFailureRule:
    if codes:
        return {"action": action, "onExitCodes": {"operator": "NotIn" if is_other_code else "In", "values": [*codes]}}
    return {"action": action, "onPodConditions": [{"type": each, "status": "True"} for each in conditions]}


def failure_policy(workload: JobSetPlan) -> FailurePolicy:
    """The policy of a JobSet."""
    policy: FailurePolicy = {"maxRestarts": 0 if workload.max_restarts is None else workload.max_restarts}
    if workload.restart_strategy is not None:
        policy["restartStrategy"] = workload.restart_strategy
    if workload.failure_rules:
        policy["rules"] = [_rule(rule) for rule in workload.failure_rules]
    return policy


def _rule(rule: FailureRulePlan) -> FailureRule:
    written: FailureRule = {"name": rule.name, "action": rule.action}
    reasons, messages = list(rule.reasons), list(rule.messages)
    if rule.is_about_pods:
        reasons = [failures.POD_FAILURE_POLICY]
        messages = [
            failures.message_of_exit_codes(rule.exit_codes)
            if rule.exit_codes
            else failures.message_of_conditions(rule.conditions)
        ]
    if reasons:
        written["onJobFailureReasons"] = reasons
    if messages:
        written["onJobFailureMessagePatterns"] = messages
    if rule.replicated_jobs:
        written["targetReplicatedJobs"] = list(rule.replicated_jobs)
    return written


def success_policy(success: SuccessPlan) -> SuccessPolicy:
    """The policy of a JobSet."""
    policy: SuccessPolicy = {"operator": success.operator}
    if success.replicated_jobs:
        policy["targetReplicatedJobs"] = list(success.replicated_jobs)
    return policy
