"""Time to end: broken stacks by the rules that find them, and sound ones."""

from __future__ import annotations

from tests.stacks import Stack, a_platform, with_capacity


def _survives(stack: Stack, seconds: int, **keys: object) -> Stack:
    return stack.set("workloads", 0, maintenance={"checkpoint_seconds": seconds}, **keys)


BROKEN: dict[str, dict[str, Stack]] = {
    "grace-holds-the-checkpoint": {
        "less time to end than a checkpoint takes": _survives(a_platform(), 90, grace_seconds=60),
    },
    "grace-is-given": {
        "a checkpoint that takes longer than spot slices leave": _survives(with_capacity("spot"), 60),
    },
    "failure-rule-names-differ": {
        "the name of the rule for maintenance, taken": _survives(
            a_platform(), 60, failure_policy={"rules": [{"name": "maintenance", "action": "FailJobSet"}]}
        ),
    },
}
SOUND: dict[str, Stack] = {
    "a run that survives maintenance": _survives(a_platform(), 120, failure_policy={"max_restarts": 3}),
    "a run that states its time to end": _survives(a_platform(), 120, grace_seconds=180),
    "a quick checkpoint on spot slices": _survives(with_capacity("spot"), 15),
    "exit codes of signals on a run that survives": _survives(
        a_platform(), 60, failure_policy={"rules": [{"action": "FailJobSet", "on_exit_codes": [137]}]}
    ),
}
