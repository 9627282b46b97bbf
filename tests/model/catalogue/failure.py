"""Failures: broken stacks with their findings, and sound ones."""

from __future__ import annotations

from tests.stacks import Stack, Told, a_platform

_BUG = {"action": "FailJobSet", "on_exit_codes": [3, 2]}
_MAINTENANCE = {
    "action": "RestartJobSetAndIgnoreMaxRestarts",
    "on_pod_conditions": ["DisruptionTarget"],
}
_ANY = {"action": "RestartJobSet"}
_NODE = {"action": "Ignore", "on_pod_conditions": ["DisruptionTarget"]}


def _policy(*rules: object, **keys: object) -> Stack:
    """The small platform whose JobSet has a failure policy with these rules."""
    return a_platform().set("workloads", 0, failure_policy={"max_restarts": 3, **keys, "rules": list(rules)})


def _job(**keys: object) -> Stack:
    """The small platform with a plain Job of one slice in place of its JobSet."""
    run = {"name": "train", "kind": "tpu-job", "queue": "research", "priority": "normal", "flavor": "v5e-2x4"}
    image = "registry.example/train:1.0"
    return a_platform().set(workloads=[{**run, "image": image, "pool": "v5e1", "script": "sleep 60", **keys}])


BROKEN: dict[str, tuple[Stack, list[Told]]] = {
    "a failure rule for an unknown replicated job": (
        _policy({**_BUG, "replicated_jobs": ["slice", "slcie"]}),
        [
            Told(
                rule="policies-name-replicated-jobs",
                place="workloads[0].failure_policy.rules[0].replicated_jobs[1]",
                says="no replicated job is named slcie.",
                remedy="Did you mean slice? Replicated jobs: slice.",
            ),
        ],
    ),
    "a success policy of an unknown replicated job": (
        a_platform().set("workloads", 0, success_policy={"operator": "Any", "replicated_jobs": ["head"]}),
        [
            Told(
                rule="policies-name-replicated-jobs",
                place="workloads[0].success_policy.replicated_jobs[0]",
                says="no replicated job is named head.",
                remedy="Replicated jobs: slice.",
            ),
        ],
    ),
    "two failure rules of one name": (
        _policy({**_BUG, "name": "bug"}, {**_MAINTENANCE, "name": "bug"}),
        [
            Told(
                rule="failure-rule-names-differ",
                place="workloads[0].failure_policy.rules[1].name",
                says="another rule is named bug.",
                remedy="Choose another name.",
            ),
        ],
    ),
    "a failure rule with a name that is too long": (
        _policy({**_BUG, "name": 130 * "a"}),
        [
            Told(
                rule="failure-rule-names-differ",
                place="workloads[0].failure_policy.rules[0].name",
                says="it has 130 characters; it may have 128 at most.",
                remedy="Choose a shorter name.",
            ),
        ],
    ),
    "a failure rule behind one that matches everything": (
        _policy({**_ANY, "name": "again"}, _BUG),
        [
            Told(
                rule="failure-rules-can-match",
                place="workloads[0].failure_policy.rules[1].action",
                says="the rule again before it matches every failure, so this one never decides.",
                remedy="Move it before again.",
                severity="warning",
            ),
        ],
    ),
    "a failure rule that restarts without a restart": (
        _policy(_ANY, max_restarts=0),
        [
            Told(
                rule="failure-rules-can-match",
                place="workloads[0].failure_policy.rules[0].action",
                says="max_restarts is 0, so this fails the workload.",
                remedy="Set max_restarts, or use FailJobSet or RestartJobSetAndIgnoreMaxRestarts.",
                severity="warning",
            ),
        ],
    ),
    "a failure rule for a reason that no Job has": (
        _policy({"action": "FailJobSet", "on_reasons": ["PodFailurePolicy"]}),
        [
            Told(
                rule="failure-rules-can-match",
                place="workloads[0].failure_policy.rules[0].on_reasons",
                says="no Job of the JobSet has a podFailurePolicy that fails it, so none fails for that reason.",
                remedy="Use on_exit_codes or on_pod_conditions instead.",
                severity="warning",
            ),
        ],
    ),
    "an exit code that a signal gives too": (
        _policy({"action": "FailJobSet", "on_exit_codes": [1, 137]}),
        [
            Told(
                rule="exit-codes-are-the-programs",
                place="workloads[0].failure_policy.rules[0].on_exit_codes",
                says="137 is also the exit code of a container that Kubernetes ends with SIGKILL, such as after a "
                "preemption.",
                remedy="Remove it, or put a rule for DisruptionTarget before this one.",
                severity="warning",
            ),
        ],
    ),
    "a rule for failed pods whose containers start again": (
        _job(pod_failure_policy=[_NODE], restart_policy="OnFailure"),
        [
            Told(
                rule="pod-failures-need-never",
                place="workloads[0].restart_policy",
                says="it is OnFailure, and rules for failed pods require Never.",
                remedy="Set Never, or remove the rules.",
            ),
        ],
    ),
    "too many rules for failed pods": (
        _job(pod_failure_policy=[{"action": "FailJob", "on_exit_codes": [code]} for code in range(1, 22)]),
        [
            Told(
                rule="pod-failure-rules-are-few",
                place="workloads[0].pod_failure_policy[20]",
                says="21 rules about failed pods; a Job may have 20.",
                remedy="Join rules with the same action.",
            ),
        ],
    ),
    "too many failure rules about pods": (
        _policy(*({"action": "FailJobSet", "on_exit_codes": [code]} for code in range(1, 22))),
        [
            Told(
                rule="pod-failure-rules-are-few",
                place="workloads[0].failure_policy.rules[20]",
                says="21 rules about failed pods; a Job may have 20.",
                remedy="Join rules with the same action.",
            ),
        ],
    ),
}
_SIGNALS = {"action": "FailJobSet", "on_exit_codes": [137, 143]}
SOUND: dict[str, Stack] = {
    "a failure policy with all kinds of rules": _policy(
        {**_MAINTENANCE, "name": "maintenance"},
        {**_BUG, "replicated_jobs": ["slice"]},
        {"action": "FailJobSet", "on_reasons": ["DeadlineExceeded"], "on_messages": ["deadline|time"]},
        {"action": "FailJobSet", "on_reasons": ["PodFailurePolicy"]},
        {"action": "RestartJobSet", "replicated_jobs": ["slice"]},
        restart_strategy="BlockingRecreate",
    ),
    "a signal's exit code behind a rule for disruptions": _policy(_MAINTENANCE, _SIGNALS),
    "a success policy": a_platform().set(
        "workloads", 0, success_policy={"operator": "All", "replicated_jobs": ["slice"]}
    ),
    "rules for failed pods of a Job": _job(
        pod_failure_policy=[
            _NODE,
            {"action": "FailJob", "on_exit_codes": [3]},
            {"action": "Count", "except_exit_codes": [1, 2]},
        ],
        backoff_limit=2,
    ),
}
