"""What is forbidden: every rule there is, and the check that applies them.

A rule is a pure function over a plan, stated once: the program runs it before the first resource, and whatever else
can make a plan of what it sees can run it too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.rule import breaches
from components.model.rules.admission import ADMISSION_RULES
from components.model.rules.batch import BATCH_RULES
from components.model.rules.capacity import CAPACITY_RULES
from components.model.rules.cluster import CLUSTER_RULES
from components.model.rules.cohort import COHORT_RULES
from components.model.rules.command import COMMAND_RULES
from components.model.rules.compute_class import COMPUTE_CLASS_RULES
from components.model.rules.failure import FAILURE_RULES
from components.model.rules.grace import GRACE_RULES
from components.model.rules.head import HEAD_RULES
from components.model.rules.head_quota import HEAD_QUOTA_RULES
from components.model.rules.identity import IDENTITY_RULES
from components.model.rules.image import IMAGE_RULES
from components.model.rules.limit import LIMIT_RULES
from components.model.rules.memory import MEMORY_RULES
from components.model.rules.name import NAME_RULES
from components.model.rules.pods import POD_RULES
from components.model.rules.pool import POOL_RULES
from components.model.rules.priority import PRIORITY_RULES
from components.model.rules.queue import QUEUE_RULES
from components.model.rules.quota import QUOTA_RULES
from components.model.rules.replicated import REPLICATED_RULES
from components.model.rules.run import RUN_RULES
from components.model.rules.storage import STORAGE_RULES
from components.model.rules.topology import TOPOLOGY_RULES
from components.model.rules.workload import WORKLOAD_RULES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from components.model.findings import Finding
    from components.model.plan import Plan
    from components.model.rule import PlanRule

GROUPS: Final[Mapping[str, tuple[PlanRule, ...]]] = {
    "Clusters and networks": CLUSTER_RULES,
    "Machines and topologies": TOPOLOGY_RULES,
    "Node pools": POOL_RULES,
    "Capacity": CAPACITY_RULES,
    "ComputeClasses": COMPUTE_CLASS_RULES,
    "Quota of the project": LIMIT_RULES,
    "Storage": STORAGE_RULES,
    "Names": NAME_RULES,
    "Queues": QUEUE_RULES,
    "Quota of queues": QUOTA_RULES,
    "Cohorts": COHORT_RULES,
    "Admissions that do not hold": ADMISSION_RULES,
    "Priorities": PRIORITY_RULES,
    "Workloads in queues": WORKLOAD_RULES,
    "Runs": RUN_RULES,
    "Replicated jobs": REPLICATED_RULES,
    "Failures": (*FAILURE_RULES, *GRACE_RULES),
    "Pathways and Ray": (*HEAD_RULES, *HEAD_QUOTA_RULES),
    "Pods": (*POD_RULES, *MEMORY_RULES),
    "Identities and secrets": IDENTITY_RULES,
    "Images": IMAGE_RULES,
    "Batch jobs": BATCH_RULES,
    "Commands and variables": COMMAND_RULES,
}
"""Every rule over a plan, by what it is about."""
ALL_RULES: Final[tuple[PlanRule, ...]] = tuple(rule for group in GROUPS.values() for rule in group)


def check(plan: Plan) -> list[Finding]:
    """Every breach of every rule."""
    return [finding for rule in ALL_RULES for finding in breaches(rule, plan)]
