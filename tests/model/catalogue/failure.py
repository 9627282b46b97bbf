"""Failures: broken stacks by the rules that find them, and sound ones."""

from __future__ import annotations

from tests.model.catalogue.compute_class import V5E, with_class
from tests.stacks import Stack, a_platform, reserved, with_capacity

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
    run = {
        "name": "train",
        "kind": "tpu-job",
        "backoff_limit": 0,
        "queue": "research",
        "priority": "normal",
        "flavor": "v5e-2x4",
    }
    image = "registry.example/train:1.0"
    return a_platform().set(workloads=[{**run, "image": image, "pool": "v5e1", "script": "sleep 60", **keys}])


def _silent(stack: Stack) -> Stack:
    """The same with a JobSet that states nothing about failures."""
    return stack.drop("workloads", 0, "failure_policy")


_OTHER = {"capacity": "flex-start"}


def _on_any() -> Stack:
    """The small platform whose JobSet runs on spot or on flex-start slices."""
    shape = {"machine_type": "ct5lp-hightpu-4t", "topology": "2x4"}
    stack = with_capacity("spot").add("tpu_slices", name="flex", slices=2, zone="us-west4-a", **shape, **_OTHER)
    stack = stack.add("flavors", name="flex", **shape, **_OTHER).add("queues", 0, "flavors", name="flex")
    return _silent(stack.drop("workloads", 0, "flavor").set("workloads", 0, flavors=["v5e-2x4", "flex"]))


BROKEN: dict[str, dict[str, Stack]] = {
    "lost-host-is-foreseen": {
        "a JobSet that a lost host ends": _silent(a_platform()),
        "a JobSet that a lost host of reserved slices ends": _silent(reserved()),
        "a JobSet that a lost host of spot slices ends": _silent(with_capacity("spot")),
        "a JobSet that a lost host of spot or flex-start slices ends": _on_any(),
        "a failure policy that says nothing of restarts": with_capacity("spot").set(
            "workloads", 0, failure_policy={"rules": [_BUG]}
        ),
        "a JobSet that a lost host of a class with flex-start slices ends": _silent(
            with_class({**V5E, "capacity": "flex-start"})
        ),
        "a JobSet that a lost host of a class of declared spot slices ends": _silent(
            with_class({"node_pools": ["v5e"]}).set("tpu_slices", 0, capacity="spot")
        ),
        "a Job of a slice that a lost host ends": _job(backoff_limit=None),
    },
    "policies-name-replicated-jobs": {
        "a failure rule for an unknown replicated job": _policy({**_BUG, "replicated_jobs": ["slice", "slcie"]}),
        "a success policy of an unknown replicated job": a_platform().set(
            "workloads", 0, success_policy={"operator": "Any", "replicated_jobs": ["head"]}
        ),
    },
    "failure-rule-names-differ": {
        "two failure rules of one name": _policy({**_BUG, "name": "bug"}, {**_MAINTENANCE, "name": "bug"}),
        "a failure rule with a name that is too long": _policy({**_BUG, "name": 130 * "a"}),
    },
    "failure-rules-can-match": {
        "a failure rule behind one that matches everything": _policy({**_ANY, "name": "again"}, _BUG),
        "a failure rule that restarts without a restart": _policy(_ANY, max_restarts=0),
        "a failure rule for a reason that no Job has": _policy(
            {"action": "FailJobSet", "on_reasons": ["PodFailurePolicy"]}
        ),
    },
    "exit-codes-are-the-programs": {
        "an exit code that a signal gives too": _policy({"action": "FailJobSet", "on_exit_codes": [1, 137]}),
    },
    "pod-failures-need-never": {
        "a rule for failed pods whose containers start again": _job(
            pod_failure_policy=[_NODE], restart_policy="OnFailure"
        ),
    },
    "pod-failure-rules-are-few": {
        "too many rules for failed pods": _job(
            pod_failure_policy=[{"action": "FailJob", "on_exit_codes": [code]} for code in range(1, 22)]
        ),
        "too many failure rules about pods": _policy(
            *({"action": "FailJobSet", "on_exit_codes": [code]} for code in range(1, 22))
        ),
    },
}
_SIGNALS = {"action": "FailJobSet", "on_exit_codes": [137, 143]}
SOUND: dict[str, Stack] = {
    "a run on spot slices that never restarts, as it states": with_capacity("spot"),
    "a run on spot slices that restarts": _silent(with_capacity("spot")).set("workloads", 0, max_restarts=1),
    "a run on spot slices that survives disruptions": with_capacity("spot").set(
        "workloads", 0, failure_policy={"rules": [_MAINTENANCE]}
    ),
    "a run on spot slices that survives all but its own mistakes": with_capacity("spot").set(
        "workloads",
        0,
        failure_policy={"rules": [_BUG, {"action": "RestartJobSetAndIgnoreMaxRestarts"}]},
    ),
    "a run on spot slices that a disruption ends, as it states": with_capacity("spot").set(
        "workloads",
        0,
        failure_policy={"rules": [{"action": "FailJobSet", "on_pod_conditions": ["DisruptionTarget"]}]},
    ),
    "a Job of a slice that survives disruptions": _job(backoff_limit=None, pod_failure_policy=[_NODE]),
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
