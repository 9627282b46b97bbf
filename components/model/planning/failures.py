"""The plan of what happens when a part of a run fails."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

from msgspec import structs

from components.model import config
from components.model.facts import failures
from components.model.plan.failures import FailureRulePlan, PodFailurePlan, SuccessPlan

if TYPE_CHECKING:
    from collections.abc import Sequence

    from components.model.places import Place
    from components.model.plan.pods import PodPlan

_Item = TypeVar("_Item")
_SURVIVES: Final = "maintenance"
"""Name of the failure rule that `maintenance` makes."""


def failure_policy(workload: config.JobSet) -> config.FailurePolicy:
    """The policy as the workload states it, by one key or by two."""
    if workload.failure_policy is not None:
        return workload.failure_policy
    return config.FailurePolicy(
        max_restarts=workload.max_restarts,
        restart_strategy=workload.restart_strategy,
    )


def failure_rules(
    workload: config.JobSet, rules: Sequence[config.FailureRule], workload_at: Place
) -> tuple[FailureRulePlan, ...]:
    """The rules of a JobSet in their order, that of `maintenance` first."""
    place = workload_at.at("failure_policy", "rules")
    survives = FailureRulePlan(
        place=workload_at.at("maintenance"),
        name=_SURVIVES,
        action=failures.RESTART_AND_IGNORE,
        conditions=(failures.DISRUPTION,),
    )
    stated = tuple(
        FailureRulePlan(
            place=place.at(index),
            name=failures.rule_name(index) if rule.name is None else rule.name,
            action=rule.action,
            exit_codes=_codes(rule.on_exit_codes),
            conditions=listed(rule.on_pod_conditions),
            reasons=listed(rule.on_reasons),
            messages=listed(rule.on_messages),
            replicated_jobs=listed(rule.replicated_jobs),
        )
        for index, rule in enumerate(rules)
    )
    return stated if workload.maintenance is None else (survives, *stated)


def pod_failure_rules(
    rules: Sequence[config.PodFailureRule], workload_at: Place, survival: config.Survival | None = None
) -> tuple[PodFailurePlan, ...]:
    """The rules of a Job in their order, that of `maintenance` first."""
    place = workload_at.at("pod_failure_policy")
    survives = PodFailurePlan(
        place=workload_at.at("maintenance"), action=failures.IGNORE, conditions=(failures.DISRUPTION,)
    )
    stated = tuple(
        PodFailurePlan(
            place=place.at(index),
            action=rule.action,
            exit_codes=_codes(rule.on_exit_codes if rule.except_exit_codes is None else rule.except_exit_codes),
            is_other_code=rule.except_exit_codes is not None,
            conditions=listed(rule.on_pod_conditions),
        )
        for index, rule in enumerate(rules)
    )
    return stated if survival is None else (survives, *stated)


def with_grace(pod: PodPlan, survival: config.Survival | None) -> PodPlan:
    """The pods with the time that a checkpoint takes, unless another one is stated."""
    if survival is None or pod.grace_seconds is not None or survival.checkpoint_seconds <= failures.GRACE_SECONDS:
        return pod
    return structs.replace(pod, grace_seconds=survival.checkpoint_seconds)


def success_policy(policy: config.SuccessPolicy | None, place: Place) -> SuccessPlan | None:
    """When the JobSet has succeeded; None where all of its Jobs decide."""
    if policy is None:
        return None
    return SuccessPlan(place=place, operator=policy.operator, replicated_jobs=listed(policy.replicated_jobs))


def listed(stated: tuple[_Item, ...] | None) -> tuple[_Item, ...]:
    """The items of a list that may be left out."""
    return () if stated is None else stated


def _codes(stated: tuple[int, ...] | None) -> tuple[int, ...]:
    return tuple(sorted(listed(stated)))
