"""The rule that pods get the time to end that a checkpoint takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.findings import Finding
from components.model.rule import Family, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from components.model.plan import Plan

_PODS_END: Final = 'Kubernetes documentation "Pod Lifecycle", termination of pods, read 2026-11'


@rule(
    "grace-holds-the-checkpoint",
    summary="pods get the time that their program takes to write a checkpoint",
    why="Kubernetes ends the program with SIGKILL while it writes, and the checkpoint is lost.",
    source=_PODS_END,
    family=Family.TOPOLOGY,
)
def _grace_holds_the_checkpoint(plan: Plan) -> Iterator[Finding]:
    for work in plan.tpu_runs:
        grace, needed = work.pod.grace_seconds, work.checkpoint_seconds
        if grace is not None and needed is not None and grace < needed:
            yield Finding(
                place=work.place.at("grace_seconds"),
                says=f"{grace} s are not enough for a checkpoint, which takes {needed} s.",
                remedy=f"Set {needed} or more, or remove the key.",
            )


GRACE_RULES: Final = (_grace_holds_the_checkpoint,)
