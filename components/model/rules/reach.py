"""How much of a flavor a queue can have at most: its quota, and what the other queues of its cohort lend it.

Cohorts have no quota of their own here, so all that a queue can borrow is quota of another under the same root.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from components.model.plan import Plan
    from components.model.plan.queues import QueueFlavorPlan, QueuePlan, ResourcesPlan


class Reach:
    """The reach of every queue of a plan; whatever a rule asks takes no longer in a larger plan."""

    def __init__(self, plan: Plan) -> None:
        """Adds up what the queues of each tree of cohorts lend."""
        self._roots = roots(plan)
        self._chips: dict[tuple[str, str], int] = {}
        self._amounts: dict[tuple[str, str, str], int] = {}
        for queue in plan.queues:
            root = self._root(queue)
            if root is None:
                continue
            for share in queue.flavors:
                key = (root, share.name)
                self._chips[key] = self._chips.get(key, 0) + lent(share)
            for share in queue.resources:
                for resource, amount in share.quotas.items():
                    at = (root, share.name, resource)
                    self._amounts[at] = self._amounts.get(at, 0) + amount.milli

    def _root(self, queue: QueuePlan) -> str | None:
        return None if queue.cohort is None else self._roots.get(queue.cohort, queue.cohort)

    def borrowable(self, queue: QueuePlan, share: QueueFlavorPlan) -> int:
        """Chips that others lend, at most and within the queue's own limit."""
        root = self._root(queue)
        if root is None:
            return 0
        of_others = self._chips[root, share.name] - lent(share)
        return of_others if share.borrow is None else min(share.borrow, of_others)

    def lent_by_others(self, queue: QueuePlan, share: QueueFlavorPlan) -> int:
        """Chips that others lend, whatever the queue's own limit."""
        root = self._root(queue)
        return 0 if root is None else self._chips[root, share.name] - lent(share)

    def chips(self, queue: QueuePlan, share: QueueFlavorPlan) -> int:
        """Chips that the queue can have."""
        return share.chips + self.borrowable(queue, share)

    def milli(self, queue: QueuePlan, share: ResourcesPlan, resource: str) -> int:
        """Thousandths of a resource that the queue can have; 0 of one that the share does not cover."""
        root, own = self._root(queue), share.quotas.get(resource)
        if own is None:
            return 0
        return own.milli if root is None else self._amounts[root, share.name, resource]


def lent(share: QueueFlavorPlan) -> int:
    """Chips of a share that others may have."""
    return share.chips if share.lend is None else min(share.lend, share.chips)


def roots(plan: Plan) -> Mapping[str, str]:
    """The root above each declared cohort, itself for a root; none for cohorts whose parents go in a circle."""
    found: dict[str, str] = {}
    for cohort in plan.cohorts_from_the_root:
        found[cohort.name] = cohort.name if cohort.parent is None else found[cohort.parent]
    return found
