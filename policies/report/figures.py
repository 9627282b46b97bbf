"""Every figure of both sides, reckoned once; with who else wants what a new queue borrows.

Those are queues of its cohort that borrow the flavor too, and those that own it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from components.model.rules.cohort import roots
from policies.report import costs, ledger

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from components.model.plan import Plan
    from components.model.plan.queues import QueueFlavorPlan, QueuePlan
    from policies.report.costs import Cost, Prices
    from policies.report.ledger import Change
    from policies.report.sides import Sides


_NEVER: Final = "Never"


class Competition(Struct, frozen=True, kw_only=True):
    """The borrowing of a new queue from one flavor."""

    queue: str
    flavor: str
    rivals: tuple[str, ...]
    """Queues that may borrow the same chips."""
    owners: tuple[str, ...]
    """Queues that take their own quota back when they have work."""


def competitions(sides: Sides) -> Iterator[Competition]:
    """One for each flavor that a new queue may borrow, where there were queues before."""
    if sides.before is None or sides.after is None or not sides.before.plan.queues:
        return
    known, plan = {queue.name for queue in sides.before.plan.queues}, sides.after.plan
    for queue in plan.queues:
        for share in queue.flavors if queue.name not in known else ():
            if borrows(queue, share):
                yield Competition(
                    queue=queue.name,
                    flavor=share.name,
                    rivals=_others(plan, queue, share, borrows),
                    owners=_others(plan, queue, share, _reclaims),
                )


def borrows(queue: QueuePlan, share: QueueFlavorPlan) -> bool:
    """Whether the queue may have chips of the flavor that another owns."""
    return queue.cohort is not None and share.borrow != 0


def _reclaims(queue: QueuePlan, share: QueueFlavorPlan) -> bool:
    return share.chips > 0 and queue.reclaim_within_cohort != _NEVER


def _others(
    plan: Plan, queue: QueuePlan, share: QueueFlavorPlan, wants: Callable[[QueuePlan, QueueFlavorPlan], bool]
) -> tuple[str, ...]:
    """Queues under the same root as one, for which something holds of the same flavor."""
    above = roots(plan)
    root = None if queue.cohort is None else above.get(queue.cohort, queue.cohort)
    return tuple(
        each.name
        for each in plan.queues
        if each.name != queue.name
        and each.cohort is not None
        and above.get(each.cohort, each.cohort) == root
        and any(mine.name == share.name and wants(each, mine) for mine in each.flavors)
    )


class Figures(Struct, frozen=True, kw_only=True):
    """Chips, quota and cost, before and after."""

    sides: Sides
    chips: tuple[Change, ...]
    quota: tuple[Change, ...]
    storage: tuple[Change, ...]
    quota_back: Change | None
    """When Kueue takes quota back from workloads that do not start; None where that stays as it is."""
    competitions: tuple[Competition, ...]
    """Who competes for what new queues borrow."""
    unread: tuple[str, ...]
    """The resources that chips and quota leave out, each with the side and the value that cannot be read."""
    before: Cost | None
    after: Cost | None
    always: tuple[Change, Change]
    """By the hour and by the month, of what is always there."""
    at_most: tuple[Change, Change]
    prices: Prices

    @property
    def is_unknown(self) -> bool:
        """Whether neither side is known."""
        return self.sides.before is None and self.sides.after is None


def figures_of(sides: Sides, prices: Prices) -> Figures:
    """The figures of both sides."""
    before, after = costs.cost_of(sides.before, prices), costs.cost_of(sides.after, prices)
    named = (("before", sides.before), ("after", sides.after))
    return Figures(
        sides=sides,
        chips=tuple(ledger.chips(sides)),
        quota=tuple(ledger.quota(sides)),
        storage=tuple(ledger.storage(sides)),
        quota_back=ledger.quota_back(sides),
        competitions=tuple(competitions(sides)),
        unread=tuple(f"{when}, {each}" for when, side in named for each in ledger.unread(side)),
        before=before,
        after=after,
        always=costs.hours_and_months(before, after, prices),
        at_most=costs.at_most(before, after, prices),
        prices=prices,
    )
