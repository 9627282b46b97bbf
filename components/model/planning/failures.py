"""The plan of what happens when a part of a run fails."""

from __future__ import annotations

from typing import TYPE_CHECKING

from components.model import config
from components.model.facts import failures
from components.model.plan.failures import FailureRulePlan, PodFailurePlan, SuccessPlan

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from components.model.places import Place


def failure_policy(workload: config.JobSet) -> config.FailurePolicy:
    """The policy as the workload states it, by one key or by two."""
    stated = workload.failure_policy
    return stated or config.FailurePolicy(
        max_restarts=0 if workload.max_restarts is None else workload.max_restarts,
        restart_strategy=workload.restart_strategy,
    )


def failure_rules(rules: Sequence[config.FailureRule], place: Place) -> tuple[FailureRulePlan, ...]:
    """The rules of a JobSet, in their order; the place is that of the list."""
    return tuple(
        FailureRulePlan(
            place=place.at(index),
            name=failures.rule_name(index) if rule.name is None else rule.name,
            action=rule.action,
            exit_codes=_codes(rule.on_exit_codes),
            conditions=rule.on_pod_conditions or (),
            reasons=rule.on_reasons or (),
            messages=rule.on_messages or (),
            replicated_jobs=rule.replicated_jobs or (),
        )
        for index, rule in enumerate(rules)
    )


def pod_failure_rules(rules: Sequence[config.PodFailureRule], place: Place) -> tuple[PodFailurePlan, ...]:
    """The rules of a Job, in their order; the place is that of the list."""
    return tuple(
        PodFailurePlan(
            place=place.at(index),
            action=rule.action,
            exit_codes=_codes(rule.on_exit_codes or rule.except_exit_codes),
            is_other_code=rule.except_exit_codes is not None,
            conditions=rule.on_pod_conditions or (),
        )
        for index, rule in enumerate(rules)
    )


def success_policy(policy: config.SuccessPolicy | None, place: Place) -> SuccessPlan | None:
    """When the JobSet has succeeded; None where all of its Jobs decide."""
    if policy is None:
        return None
    return SuccessPlan(place=place, operator=policy.operator, replicated_jobs=policy.replicated_jobs or ())


def _codes(stated: Iterable[int] | None) -> tuple[int, ...]:
    return tuple(sorted(set(stated or ())))
