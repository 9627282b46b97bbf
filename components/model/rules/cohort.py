"""Rules about cohorts: what their queues lend and borrow, and how much of a flavor a queue can get in one.

Cohorts have no quota of their own here, so all that a queue can borrow is quota of another under the same root.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import kinds
from components.model.findings import Finding, Severity, about_key, unlisted
from components.model.rule import Family, rule

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from components.model.places import Place
    from components.model.plan import Plan
    from components.model.plan.queues import FlavorPlan, QueueFlavorPlan, QueuePlan, ResourcesPlan

FAMILY: Final = Family.QUOTA

_KUEUE: Final = 'Kueue documentation "Cohort", read 2026-11'
_WITH: Final = {"borrow": "borrow from", "lend": "lend to"}
_FAIR: Final = 'Kueue documentation "Fair Sharing", read 2026-11'


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


def _cohorts_named(plan: Plan) -> Iterator[tuple[str, Place]]:
    for queue in plan.queues:
        if queue.cohort is not None:
            yield queue.cohort, queue.place.at("cohort")
    for cohort in plan.cohorts:
        if cohort.parent is not None:
            yield cohort.parent, cohort.place.at("parent")


@rule(
    summary="cohorts are declared",
    why="Kueue makes a cohort of any name, so queues of one that is misspelt lend each other nothing.",
    source=_KUEUE,
)
def _cohort_exists(plan: Plan) -> Iterator[Finding]:
    known = [cohort.name for cohort in plan.cohorts]
    names = set(known)
    for name, place in _cohorts_named(plan):
        if name not in names:
            yield unlisted(place, "cohort", name, known, "Cohorts")


@rule(
    summary="no cohort is above itself",
    why="Kueue admits nothing in a circle of cohorts.",
    source=_KUEUE,
    kinds=(kinds.COHORT,),
)
def _cohorts_are_trees(plan: Plan) -> Iterator[Finding]:
    rooted, parents = roots(plan), {cohort.name: cohort.parent for cohort in plan.cohorts}
    for cohort in plan.cohorts:
        above = _above(cohort.name, parents) if cohort.name not in rooted else ()
        if cohort.name in above:
            yield Finding(
                place=cohort.place.at("parent"),
                says=f"{cohort.name} is above itself: {' in '.join((cohort.name, *above))}.",
                remedy="Leave out the parent of one of them, which is then the root.",
            )


def _above(name: str, parents: dict[str, str | None]) -> tuple[str, ...]:
    """The cohorts above one, up to the first that comes again."""
    above: dict[str, None] = {}
    parent = parents.get(name)
    while parent is not None and parent not in above:
        above[parent] = None
        parent = parents.get(parent)
    return tuple(above)


def _limits(share: QueueFlavorPlan) -> Iterator[tuple[str, int]]:
    for key, limit in (("borrow", share.borrow), ("lend", share.lend)):
        if limit is not None:
            yield key, limit


@rule(
    summary="queues that may borrow or lend are in a cohort",
    why="The API server refuses such limits elsewhere.",
    source=_KUEUE,
    kinds=(kinds.CLUSTER_QUEUE,),
)
def _limits_need_a_cohort(plan: Plan) -> Iterator[Finding]:
    for queue in plan.queues:
        for share in queue.flavors if queue.cohort is None else ():
            for key, _limit in _limits(share):
                yield about_key(
                    place=share.place.at(key),
                    says=f"{queue.name} is in no cohort, so there is nobody to {_WITH[key]}.",
                    remedy="Name its cohort, or remove the key.",
                )


@rule(
    summary="a queue lends no more than it has",
    why="The API server refuses a lending limit above the quota.",
    source=_KUEUE,
    kinds=(kinds.CLUSTER_QUEUE,),
)
def _lend_within_quota(plan: Plan) -> Iterator[Finding]:
    for queue in plan.queues:
        for share in queue.flavors:
            is_stated = share.chips or not share.is_derived
            if share.lend is not None and is_stated and share.lend > share.chips:
                yield Finding(
                    place=share.place.at("lend"),
                    says=f"{share.lend} chips are more than the {share.chips} that {queue.name} has of {share.name}.",
                    remedy=f"Set {share.chips} or less, or remove the key: then it lends all that is idle.",
                )


@rule(
    summary="what is borrowed or lent is a whole number of slices",
    why="Chips beyond the last whole slice can never be used.",
    source="the chip ledger, components/model/plan/",
    kinds=(kinds.CLUSTER_QUEUE,),
    needs=(kinds.RESOURCE_FLAVOR,),
)
def _limits_are_whole_slices(plan: Plan) -> Iterator[Finding]:
    flavors = {flavor.name: flavor for flavor in plan.flavors if flavor.chips_per_slice}
    for queue in plan.queues:
        for share in queue.flavors:
            flavor = flavors.get(share.name)
            for key, limit in _limits(share) if flavor is not None else ():
                if flavor is not None and limit % flavor.chips_per_slice:
                    yield Finding(
                        place=share.place.at(key),
                        says=f"{limit} chips are not a whole number of {flavor.topology} slices of "
                        f"{flavor.chips_per_slice} chips.",
                        remedy=f"Set {_around(limit, flavor)}.",
                    )


def _around(limit: int, flavor: FlavorPlan) -> str:
    below = limit - limit % flavor.chips_per_slice
    return f"{below} or {below + flavor.chips_per_slice}"


@rule(
    summary="the other queues of a cohort lend as much as a queue may borrow",
    why="The limit promises chips that the queue can never have.",
    source="the chip ledger, components/model/plan/",
    severity=Severity.WARNING,
    kinds=(kinds.CLUSTER_QUEUE,),
    needs=(kinds.RESOURCE_FLAVOR,),
)
def _borrow_can_be_met(plan: Plan) -> Iterator[Finding]:
    if not plan.has_whole_ledger:
        return
    reach = Reach(plan)
    for queue in plan.queues:
        for share in queue.flavors if queue.cohort is not None else ():
            lent = reach.lent_by_others(queue, share)
            if share.borrow is not None and share.borrow > lent:
                yield Finding(
                    place=share.place.at("borrow"),
                    says=f"{share.borrow} chips of {share.name} may be borrowed, but the other queues of "
                    f"{queue.cohort} lend {lent}.",
                    remedy=f"Set {lent}, or remove the key: then it borrows whatever is lent.",
                )


@rule(
    summary="weights are stated where fair sharing is on, of what is in a cohort",
    why="Elsewhere Kueue ignores a weight.",
    source=_FAIR,
    also_warns=True,
    kinds=(kinds.CLUSTER_QUEUE, kinds.COHORT),
)
def _fair_sharing_is_on(plan: Plan) -> Iterator[Finding]:
    weighted = [(each.name, each.place, each.cohort) for each in plan.queues if each.fair_share_weight is not None]
    weighted += [(each.name, each.place, each.parent) for each in plan.cohorts if each.fair_share_weight is not None]
    for name, place, above in weighted:
        if not plan.controllers.fair_sharing:
            says, remedy = "fair sharing is off.", "Set fair_sharing: true under controllers.kueue, or remove the key."
        elif above is None:
            says, remedy = f"{name} is in no cohort.", "Say which cohort it is in, or remove the key."
        else:
            continue
        yield about_key(
            place=place.at("fair_share_weight"),
            says=f"it has no effect: {says}",
            remedy=remedy,
            severity=Severity.ERROR if not plan.controllers.fair_sharing else Severity.WARNING,
        )


@rule(
    summary="a queue evicts in a cohort only where it is in one, and to borrow only if it also takes back",
    why="Kueue refuses to evict for borrowing without taking back, and leaves the rest aside.",
    source='Kueue documentation "Preemption", read 2026-11',
    also_warns=True,
    kinds=(kinds.CLUSTER_QUEUE,),
)
def _cohort_eviction_works(plan: Plan) -> Iterator[Finding]:
    for queue in plan.queues:
        for key, policy in (
            ("reclaim_within_cohort", queue.reclaim_within_cohort),
            ("borrow_within_cohort", queue.borrow_within_cohort),
        ):
            is_refused = key == "borrow_within_cohort" and queue.reclaim_within_cohort == "Never"
            idle = _idle_eviction(queue, key, is_fair=plan.controllers.fair_sharing)
            if policy == "Never" or not (is_refused or idle):
                continue
            reclaim = queue.place.display_name("reclaim_within_cohort")
            refused = (f"is refused while {reclaim} is Never.", f"Set {reclaim}: Any.")
            says, remedy = refused if idle is None else idle
            yield Finding(
                place=queue.place.at("preemption", key),
                says=f"{policy} {says}",
                remedy=remedy,
                severity=Severity.WARNING if queue.cohort is None and not is_refused else Severity.ERROR,
            )


def _idle_eviction(queue: QueuePlan, key: str, *, is_fair: bool) -> tuple[str, str] | None:
    """Why a queue never evicts in its cohort by a key, and what to do; None where it may."""
    if queue.cohort is None:
        return f"evicts nothing: {queue.name} is in no cohort.", "Name its cohort, or remove the key."
    if key == "borrow_within_cohort" and is_fair:
        return "has no effect: shares decide where fair sharing is on.", "Remove the key."
    return None
