"""The shape of policies for failures: what each wrong value is told, in full."""

from __future__ import annotations

import json

import pytest
from pydantic import ValidationError

from components.model.config import Platform
from components.model.stack_file.shapes import shape_findings
from tests.stacks import Stack, a_platform

_RULE = "workloads[0].failure_policy.rules[0]"
_NAME = "Letters, digits and any of _ , : with a letter first and a letter, digit or _ last."
_GATED = "JobSet has it behind a feature gate, which its chart has no value for."
_ACTIONS = "Supported: FailJobSet, RestartJobSet and RestartJobSetAndIgnoreMaxRestarts."


def _rule(**keys: object) -> Stack:
    return a_platform().set("workloads", 0, failure_policy={"rules": [{"action": "FailJobSet", **keys}]})


def _job(**rule: object) -> Stack:
    run = {"name": "train", "kind": "batch-job", "image": "registry.example/train:1.0", "pods": 1}
    return a_platform().set(workloads=[{**run, "pod_failure_policy": [{"action": "Ignore", **rule}]}])


WRONG: dict[str, tuple[Stack, tuple[str, str, str]]] = {
    "a number of restarts beside a policy": (
        a_platform().set("workloads", 0, max_restarts=3, failure_policy={}),
        ("workloads[0]", "it has max_restarts and failure_policy.", "Keep one of them."),
    ),
    "a strategy beside a policy": (
        a_platform().set("workloads", 0, restart_strategy="Recreate", failure_policy={}),
        ("workloads[0]", "it has restart_strategy and failure_policy.", "Keep one of them."),
    ),
    "a strategy behind a gate": (
        a_platform().set("workloads", 0, restart_strategy="InPlaceRestart"),
        (
            "workloads[0].restart_strategy",
            "InPlaceRestart is not supported here.",
            f"{_GATED} Supported: Recreate and BlockingRecreate.",
        ),
    ),
    "an action behind a gate": (
        _rule(action="RestartJob"),
        (
            f"{_RULE}.action",
            "RestartJob is not supported here.",
            f"{_GATED} {_ACTIONS}",
        ),
    ),
    "an action of Jobs": (
        _rule(action="FailJob"),
        (f"{_RULE}.action", "FailJob is not supported here.", f"Did you mean FailJobSet? {_ACTIONS}"),
    ),
    "the exit code of success": (
        _rule(on_exit_codes=[0]),
        (f"{_RULE}.on_exit_codes[0]", "0 is out of range.", "Write 1 or more."),
    ),
    "an exit code that no program has": (
        _rule(on_exit_codes=[256]),
        (f"{_RULE}.on_exit_codes[0]", "256 is out of range.", "Write 255 or less."),
    ),
    "a condition that is not there": (
        _rule(on_pod_conditions=["Disruption"]),
        (
            f"{_RULE}.on_pod_conditions[0]",
            "Disruption is not supported here.",
            "Did you mean DisruptionTarget? Supported: DisruptionTarget.",
        ),
    ),
    "an exit code and a reason": (
        _rule(on_exit_codes=[42], on_reasons=["DeadlineExceeded"]),
        (_RULE, "it has on_exit_codes and on_reasons.", "Keep one of them."),
    ),
    "a name with a hyphen": (
        _rule(name="host-failure"),
        (f"{_RULE}.name", '"host-failure" is not a name that JobSet takes for a rule.', _NAME),
    ),
    "a pattern with a look-ahead": (
        _rule(on_messages=["exit code (?!3)"]),
        (
            f"{_RULE}.on_messages[0]",
            '"exit code (?!3)" is not a regular expression that JobSet takes.',
            "Go's syntax (RE2), which has no look-around and no back-reference.",
        ),
    ),
    "an operator that is not there": (
        a_platform().set("workloads", 0, success_policy={"operator": "Some"}),
        ("workloads[0].success_policy.operator", "Some is not supported here.", "Supported: All and Any."),
    ),
    "a rule of a Job without a condition": (
        _job(),
        (
            "workloads[0].pod_failure_policy[0]",
            "it has none of on_exit_codes, except_exit_codes and on_pod_conditions.",
            "Add one of them.",
        ),
    ),
    "a rule of a Job with two conditions": (
        _job(on_exit_codes=[1], on_pod_conditions=["DisruptionTarget"]),
        ("workloads[0].pod_failure_policy[0]", "it has on_exit_codes and on_pod_conditions.", "Keep one of them."),
    ),
}


@pytest.mark.parametrize(("stack", "expected"), WRONG.values(), ids=WRONG)
def test_wrong_shape_is_told_exactly_this(stack: Stack, expected: tuple[str, str, str]) -> None:
    with pytest.raises(ValidationError) as refused:
        Platform.model_validate_json(json.dumps(stack.platform))
    found = shape_findings(refused.value, Platform)
    assert [(str(each.place), each.says, each.remedy) for each in found] == [expected]
