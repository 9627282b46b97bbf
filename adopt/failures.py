"""The keys of a stack file about failures, as JobSets and Jobs have their policies.

A JobSet of the stack reads in the message of a failed Job which exit code or condition failed it, so such a rule comes
back as the codes or conditions of that message.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from adopt.listings import Item, entries, section
from components.model.facts import failures

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_CODES: Final = re.compile(r"failed with exit code \((\d+(?:\|\d+)*)\) matching FailJob rule")
_CONDITIONS: Final = re.compile(r"has condition \((\w+(?:\|\w+)*)\) matching FailJob rule")
_SURVIVES: Final = {
    "name": "maintenance",
    "action": failures.RESTART_AND_IGNORE,
    "on_pod_conditions": [failures.DISRUPTION],
}
"""The rule of a JobSet that the key `maintenance` makes."""
_PODS_SURVIVE: Final = {"action": failures.IGNORE, "on_pod_conditions": [failures.DISRUPTION]}
"""The rule of a Job that the key makes."""


def of_jobset(item: Item, keys: Mapping[str, Any]) -> tuple[dict[str, Any], bool]:
    """The keys about failures and success of a JobSet whose pods have these keys, and whether it survives maintenance.

    Then `maintenance` states the time that pods have to end.
    """
    policy = section(item, "spec", "failurePolicy")
    rules = [_rule(each) for each in entries(policy, "rules")]
    survives = bool(rules) and rules[0] == _SURVIVES
    rules = [_named(index, rule) for index, rule in enumerate(rules[survives:])]
    written: dict[str, Any] = {"max_restarts": policy.get("maxRestarts", 0)}
    if policy.get("restartStrategy", "Recreate") != "Recreate":
        written["restart_strategy"] = policy["restartStrategy"]
    if rules:
        written = {"failure_policy": {**written, "rules": rules}}
    return {
        **written,
        **_success(section(item, "spec", "successPolicy")),
        **_maintenance(keys, survives=survives),
    }, survives


def of_job(job: Item, keys: Mapping[str, Any], *, hosts: int) -> tuple[dict[str, Any], bool]:
    """The keys about failures of a Job whose pods have these keys, and whether it survives maintenance.

    `hosts` is 0 for a batch job, which has no such key.
    """
    rules = [_pod_rule(each) for each in entries(job, "podFailurePolicy", "rules")]
    survives = bool(hosts) and "grace_seconds" in keys and rules[:1] == [_PODS_SURVIVE]
    written = {"pod_failure_policy": rules[survives:]} if rules[survives:] else {}
    limit = job.get("backoffLimit", failures.BACKOFF_LIMIT)
    if hosts > 1 or limit != failures.BACKOFF_LIMIT:
        written["backoff_limit"] = limit
    return {**written, **_maintenance(keys, survives=survives)}, survives


def depends_on(replicated: Item) -> dict[str, Any]:
    """What a replicated job waits for."""
    waits = [{"name": each.get("name"), "status": each.get("status")} for each in entries(replicated, "dependsOn")]
    return {"depends_on": waits} if waits else {}


def _maintenance(keys: Mapping[str, Any], *, survives: bool) -> dict[str, Any]:
    """Pods have as long to end as a checkpoint takes, and never less than Kubernetes gives."""
    return (
        {"maintenance": {"checkpoint_seconds": keys.get("grace_seconds", failures.GRACE_SECONDS)}} if survives else {}
    )


def _success(policy: Item) -> dict[str, Any]:
    """None where all Jobs decide, as the webhook writes it too."""
    jobs, operator = policy.get("targetReplicatedJobs"), policy.get("operator", "All")
    if not jobs and operator == "All":
        return {}
    return {"success_policy": {"operator": operator, **({"replicated_jobs": jobs} if jobs else {})}}


def _rule(rule: Item) -> dict[str, Any]:
    """A rule with its name."""
    reasons, messages = rule.get("onJobFailureReasons"), rule.get("onJobFailureMessagePatterns")
    written: dict[str, Any] = {"name": rule.get("name"), "action": rule.get("action")}
    if reasons == [failures.POD_FAILURE_POLICY] and messages and len(messages) == 1:
        about = _about_pods(str(messages[0]))
    else:
        about = {}
    if about:
        written |= about
    else:
        written |= {"on_reasons": reasons} if reasons else {}
        written |= {"on_messages": messages} if messages else {}
    if rule.get("targetReplicatedJobs"):
        written["replicated_jobs"] = rule["targetReplicatedJobs"]
    return written


def _about_pods(message: str) -> dict[str, Any]:
    """The exit codes or conditions that a message of a Job names; empty for other patterns."""
    if codes := _CODES.fullmatch(message):
        return {"on_exit_codes": [int(code) for code in codes[1].split("|")]}
    if conditions := _CONDITIONS.fullmatch(message):
        return {"on_pod_conditions": conditions[1].split("|")}
    return {}


def _named(index: int, rule: Mapping[str, Any]) -> dict[str, Any]:
    """The rule without a name that its place gives it."""
    usual = (None, failures.rule_name(index))
    return {key: value for key, value in rule.items() if key != "name" or value not in usual}


def _pod_rule(rule: Item) -> dict[str, Any]:
    codes = section(rule, "onExitCodes")
    if codes:
        key = "except_exit_codes" if codes.get("operator") == "NotIn" else "on_exit_codes"
        return {"action": rule.get("action"), key: codes.get("values")}
    conditions: Sequence[object] = [each.get("type") for each in entries(rule, "onPodConditions")]
    return {"action": rule.get("action"), "on_pod_conditions": conditions}
