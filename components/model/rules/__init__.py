"""The rules: every rule there is, and the check that applies them.

A rule is a pure function over a plan, stated once: the program runs it before the first resource, and whatever else
can make a plan of what it sees can run it too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.rule import PlanRule, breaches, rules_in
from components.model.rules import (
    admission,
    batch,
    capacity,
    cluster,
    cohort,
    command,
    compute_class,
    failure,
    hyperdisk,
    identity,
    image,
    maintenance,
    manifest,
    name,
    network,
    pods,
    pool,
    priority,
    project_quota,
    queue,
    quota,
    replicated,
    run,
    storage,
    topology,
    workload,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from components.model.findings import Finding
    from components.model.plan import Plan

GROUPS: Final[Mapping[str, tuple[PlanRule, ...]]] = {
    "Clusters and networks": rules_in(network, cluster, maintenance),
    "Machines and topologies": rules_in(topology),
    "Node pools": rules_in(pool),
    "Capacity": rules_in(capacity),
    "ComputeClasses": rules_in(compute_class),
    "Quota of the project": rules_in(project_quota),
    "Storage": rules_in(storage, hyperdisk),
    "Names": rules_in(name),
    "Queues": rules_in(queue),
    "Quota of queues": rules_in(quota),
    "Cohorts": rules_in(cohort),
    "Admissions that do not hold": rules_in(admission),
    "Priorities": rules_in(priority),
    "Workloads in queues": rules_in(workload),
    "Runs": rules_in(run),
    "Replicated jobs": rules_in(replicated),
    "Failures": rules_in(failure),
    "Manifests": rules_in(manifest),
    "Pods": rules_in(pods),
    "Identities and secrets": rules_in(identity),
    "Images": rules_in(image),
    "Batch jobs": rules_in(batch),
    "Commands and variables": rules_in(command),
}
"""Every rule over a plan, by what it is about."""
ALL_RULES: Final = tuple(rule for group in GROUPS.values() for rule in group)


def check(plan: Plan) -> list[Finding]:
    """Every breach of every rule."""
    return [finding for rule in ALL_RULES for finding in breaches(rule, plan)]
