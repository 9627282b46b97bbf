"""Wrong values in policies for failures."""

from __future__ import annotations

from tests.stacks import Stack, a_platform


def _rule(**keys: object) -> Stack:
    return a_platform().set("workloads", 0, failure_policy={"rules": [{"action": "FailJobSet", **keys}]})


def _job(**rule: object) -> Stack:
    run = {"name": "train", "kind": "batch-job", "image": "registry.example/train:1.0", "pods": 1}
    return a_platform().set(workloads=[{**run, "pod_failure_policy": [{"action": "Ignore", **rule}]}])


WRONG_FAILURES: dict[str, Stack] = {
    "a number of restarts beside a policy": a_platform().set("workloads", 0, max_restarts=3, failure_policy={}),
    "a strategy beside a policy": a_platform().set("workloads", 0, restart_strategy="Recreate", failure_policy={}),
    "a strategy behind a gate": a_platform().set("workloads", 0, restart_strategy="InPlaceRestart"),
    "an action behind a gate": _rule(action="RestartJob"),
    "an action of Jobs": _rule(action="FailJob"),
    "the exit code of success": _rule(on_exit_codes=[0]),
    "an exit code that no program has": _rule(on_exit_codes=[256]),
    "a condition that is not there": _rule(on_pod_conditions=["Disruption"]),
    "an exit code and a reason": _rule(on_exit_codes=[42], on_reasons=["DeadlineExceeded"]),
    "a name with a hyphen": _rule(name="host-failure"),
    "a pattern with a look-ahead": _rule(on_messages=["exit code (?!3)"]),
    "an operator that is not there": a_platform().set("workloads", 0, success_policy={"operator": "Some"}),
    "a rule of a Job without a condition": _job(),
    "a rule of a Job with two conditions": _job(on_exit_codes=[1], on_pod_conditions=["DisruptionTarget"]),
}
