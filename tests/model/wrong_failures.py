"""Wrong values in policies for failures, each with its place."""

from __future__ import annotations

from tests.stacks import Stack, a_platform


def _rule(**keys: object) -> Stack:
    return a_platform().set("workloads", 0, failure_policy={"rules": [{"action": "FailJobSet", **keys}]})


def _job(**rule: object) -> Stack:
    run = {"name": "train", "kind": "batch-job", "image": "registry.example/train:1.0", "pods": 1}
    return a_platform().set(workloads=[{**run, "pod_failure_policy": [{"action": "Ignore", **rule}]}])


WRONG_FAILURES: dict[str, tuple[Stack, str]] = {
    "a number of restarts beside a policy": (
        a_platform().set("workloads", 0, max_restarts=3, failure_policy={}),
        "workloads[0]",
    ),
    "a strategy beside a policy": (
        a_platform().set("workloads", 0, restart_strategy="Recreate", failure_policy={}),
        "workloads[0]",
    ),
    "a strategy behind a gate": (
        a_platform().set("workloads", 0, restart_strategy="InPlaceRestart"),
        "workloads[0].restart_strategy",
    ),
    "an action behind a gate": (_rule(action="RestartJob"), "workloads[0].failure_policy.rules[0].action"),
    "an action of Jobs": (_rule(action="FailJob"), "workloads[0].failure_policy.rules[0].action"),
    "the exit code of success": (_rule(on_exit_codes=[0]), "workloads[0].failure_policy.rules[0].on_exit_codes[0]"),
    "an exit code that no program has": (
        _rule(on_exit_codes=[256]),
        "workloads[0].failure_policy.rules[0].on_exit_codes[0]",
    ),
    "a condition that is not there": (
        _rule(on_pod_conditions=["Disruption"]),
        "workloads[0].failure_policy.rules[0].on_pod_conditions[0]",
    ),
    "an exit code and a reason": (
        _rule(on_exit_codes=[42], on_reasons=["DeadlineExceeded"]),
        "workloads[0].failure_policy.rules[0]",
    ),
    "a name with a hyphen": (_rule(name="host-failure"), "workloads[0].failure_policy.rules[0].name"),
    "a pattern with a look-ahead": (
        _rule(on_messages=["exit code (?!3)"]),
        "workloads[0].failure_policy.rules[0].on_messages[0]",
    ),
    "an operator that is not there": (
        a_platform().set("workloads", 0, success_policy={"operator": "Some"}),
        "workloads[0].success_policy.operator",
    ),
    "a rule of a Job without a condition": (_job(), "workloads[0].pod_failure_policy[0]"),
    "a rule of a Job with two conditions": (
        _job(on_exit_codes=[1], on_pod_conditions=["DisruptionTarget"]),
        "workloads[0].pod_failure_policy[0]",
    ),
}
