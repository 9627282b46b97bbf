"""Secrets that pods read and that the stack does not make: whether somebody has made them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.live.check import Check
from components.live.cluster import LiveCluster, NotAskedError
from components.model.findings import Finding, Severity
from components.model.plan.workloads import SecretRead, secret_reads

if TYPE_CHECKING:
    from collections.abc import Iterator

    from components.model.plan import Plan

_RULE: Final = "secret-exists"
_SOURCE: Final = 'Kubernetes documentation "Secrets", read 2026-11'


def others(plan: Plan) -> list[SecretRead]:
    """The Secrets that pods of a plan read and that the stack does not make; each Secret once."""
    own = {(each.namespace, each.name) for each in plan.secrets}
    own |= {(redis.namespace, redis.secret) for redis in plan.redises}
    reads = (read for group in plan.pod_groups for read in secret_reads(group))
    found = {(read.namespace, read.name): read for read in reads if (read.namespace, read.name) not in own}
    return list(found.values())


def _findings(plan: Plan, cluster: LiveCluster) -> Iterator[Finding]:
    """A warning for each Secret that does not exist, or may not: somebody can make it before the pods start."""
    for read in others(plan):
        try:
            says = "" if cluster.has("v1", "Secret", read.namespace, read.name) else "does not exist"
        except NotAskedError as error:
            says = f"may not exist: the cluster does not say ({error})"
        if says:
            yield Finding(
                place=read.place,
                says=f"the Secret {read.name} in {read.namespace} {says}. Pods wait until it does.",
                remedy=f"Declare it under secrets, or make it: {read.command}",
                severity=Severity.WARNING,
                rule=_RULE,
                source=_SOURCE,
            )


CHECK: Final = Check(
    subject="the Secrets that pods read",
    is_needed=lambda change: bool(others(change.plan)),
    findings=lambda change, cluster: _findings(change.plan, cluster),
    stops=False,
)
