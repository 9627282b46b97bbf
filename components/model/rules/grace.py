"""Rules about the time that pods get to end: for a checkpoint, and within what GKE waits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import failures
from components.model.findings import Finding, Severity, listing
from components.model.plan.workloads import JobSetPlan, TpuJobPlan
from components.model.rule import Family, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from components.model.plan import Plan

_PODS_END: Final = 'Kubernetes documentation "Pod Lifecycle", termination of pods, read 2026-11'
_DISRUPTION: Final = 'GKE documentation "Manage disruption to GKE nodes that don\'t live migrate", read 2026-11'
_SPOT: Final = 'GKE documentation "Spot VMs", read 2026-11'


def _checkpointing(plan: Plan) -> Iterator[JobSetPlan | TpuJobPlan]:
    """The workloads that state how long a checkpoint takes, if they like."""
    yield from (work for work in plan.tpu_runs if isinstance(work, (JobSetPlan, TpuJobPlan)))


@rule(
    "grace-holds-the-checkpoint",
    summary="pods get the time that their program takes to write a checkpoint",
    why="Kubernetes ends the program with SIGKILL while it writes, and the checkpoint is lost.",
    source=_PODS_END,
    family=Family.TOPOLOGY,
)
def _grace_holds_the_checkpoint(plan: Plan) -> Iterator[Finding]:
    for work in _checkpointing(plan):
        grace, needed = work.pod.grace_seconds, work.checkpoint_seconds
        if grace is not None and needed is not None and grace < needed:
            yield Finding(
                place=work.place.at("grace_seconds"),
                says=f"{grace} s are not enough for a checkpoint, which takes {needed} s.",
                remedy=f"Set {needed} or more, or remove the key.",
            )


@rule(
    "grace-is-within-notice",
    summary=f"pods ask for at most {failures.NODE_GRACE_SECONDS} s to end, which is as long as GKE waits",
    why="Before maintenance or an upgrade of the node, GKE ends pods that take longer.",
    source=_DISRUPTION,
    family=Family.TOPOLOGY,
    severity=Severity.WARNING,
)
def _grace_is_within_notice(plan: Plan) -> Iterator[Finding]:
    for work in plan.programs:
        grace = work.pod.grace_seconds
        if grace is not None and grace > failures.NODE_GRACE_SECONDS:
            yield Finding(
                place=work.place.at("grace_seconds"),
                says=f"{grace} s, but GKE waits {failures.NODE_GRACE_SECONDS} s at most before it ends a node.",
                remedy=f"Set {failures.NODE_GRACE_SECONDS} or less, and write checkpoints more often.",
            )


@rule(
    "spot-leaves-time-for-the-checkpoint",
    summary=f"a checkpoint on spot slices takes at most {failures.SPOT_GRACE_SECONDS} s",
    why="When Google takes a spot node back, its pods get no more, whatever they ask for; the checkpoint is lost.",
    source=_SPOT,
    family=Family.TOPOLOGY,
    severity=Severity.WARNING,
)
def _spot_leaves_time_for_the_checkpoint(plan: Plan) -> Iterator[Finding]:
    spot = {flavor.name for flavor in plan.flavors if flavor.capacity == "spot"}
    for work in _checkpointing(plan):
        flavors, needed = [name for name in work.flavors if name in spot], work.checkpoint_seconds
        if flavors and needed is not None and needed > failures.SPOT_GRACE_SECONDS:
            yield Finding(
                place=work.place.at("maintenance", "checkpoint_seconds"),
                says=f"{needed} s, but pods on {listing(flavors)} get {failures.SPOT_GRACE_SECONDS} s when Google "
                "takes the slice back.",
                remedy="Write checkpoints regularly too, and count on the last of those.",
            )


GRACE_RULES: Final = (_grace_holds_the_checkpoint, _grace_is_within_notice, _spot_leaves_time_for_the_checkpoint)
