"""What is forbidden: every rule there is, and the check that applies them.

A rule is a pure function over a plan, stated once: the program runs it before the first resource, and whatever else
can make a plan of what it sees can run it too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.batch_rules import BATCH_RULES
from components.model.capacity_rules import CAPACITY_RULES
from components.model.cluster_rules import CLUSTER_RULES
from components.model.cohort_rules import COHORT_RULES
from components.model.limit_rules import LIMIT_RULES
from components.model.name_rules import NAME_RULES
from components.model.pool_rules import POOL_RULES
from components.model.priority_rules import PRIORITY_RULES
from components.model.queue_rules import QUEUE_RULES
from components.model.quota_rules import QUOTA_RULES
from components.model.run_rules import RUN_RULES
from components.model.storage_rules import STORAGE_RULES
from components.model.topology_rules import TOPOLOGY_RULES
from components.model.workload_rules import WORKLOAD_RULES

if TYPE_CHECKING:
    from components.model.findings import Finding, Rule
    from components.model.plan import Plan

ALL_RULES: Final[tuple[Rule, ...]] = (
    *CLUSTER_RULES,
    *TOPOLOGY_RULES,
    *POOL_RULES,
    *CAPACITY_RULES,
    *LIMIT_RULES,
    *STORAGE_RULES,
    *NAME_RULES,
    *QUEUE_RULES,
    *QUOTA_RULES,
    *COHORT_RULES,
    *PRIORITY_RULES,
    *WORKLOAD_RULES,
    *RUN_RULES,
    *BATCH_RULES,
)


def check(plan: Plan) -> list[Finding]:
    """Every breach of every rule."""
    return [finding for rule in ALL_RULES for finding in rule.findings(plan)]
