"""Who else wants what a new queue borrows: queues of its cohort that borrow the flavor too, and those that own it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from components.model.rules.cohort import roots

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from components.model.plan import Plan
    from components.model.plan.queues import QueueFlavorPlan, QueuePlan
    from policies.report.sides import Sides

_NEVER: Final = "Never"


class Competition(Struct, frozen=True, kw_only=True):
    """What a new queue borrows of one flavor."""

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
