"""Which flavors count the same chips, and the rule that queues promise each chip once.

Flavors share chips where their labels select the same pools, all or some of them. Kueue counts each flavor by itself,
so a rule that looked at one flavor at a time would accept the same chips twice.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from msgspec import Struct

from components.model.facts import kinds
from components.model.findings import Finding, counted, listing
from components.model.rule import Family, rule

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from components.model.plan import Plan
    from components.model.plan.queues import FlavorPlan, QueueFlavorPlan

    Pools = frozenset[str]
    """Names of pools."""


class SharedChips(Struct, frozen=True, kw_only=True):
    """The chips of some pools, and every flavor that has chips of no other pool."""

    chips: int
    flavors: tuple[FlavorPlan, ...]
    """In the order of the plan."""


class Sharing:
    """The flavors of a plan by the pools that serve them; of several flavors of one name the first counts."""

    def __init__(self, plan: Plan) -> None:
        """Looks through the plan once."""
        self._flavors: defaultdict[Pools, list[FlavorPlan]] = defaultdict(list)
        for flavor in reversed({each.name: each for each in reversed(plan.flavors)}.values()):
            if flavor.pools:
                self._flavors[frozenset(flavor.pools)].append(flavor)
        self._around: defaultdict[str, list[Pools]] = defaultdict(list)
        for pools in self._flavors:
            for name in pools:
                self._around[name].append(pools)
        self._chips: defaultdict[str, int] = defaultdict(int)
        for pool in plan.slice_pools:
            self._chips[pool.name] += pool.chips
        self._rank = {flavor.name: index for index, flavor in enumerate(plan.flavors)}

    def beside(self, flavor: FlavorPlan) -> tuple[FlavorPlan, ...]:
        """The other flavors that count chips of the flavor's pools."""
        around = dict.fromkeys(pools for name in flavor.pools for pools in self._around[name])
        return self._in_order(each for pools in around for each in self._flavors[pools] if each.name != flavor.name)

    def bounds(self) -> list[SharedChips]:
        """Every bound for the sum of some flavors' quotas: the smallest pools first.

        Each set of pools that serves a flavor is one, and all pools together of flavors that share some.
        """
        found = dict.fromkeys((*self._flavors, *self._joined()))
        return [self._within(pools) for pools in sorted(found, key=len)]

    def joined(self) -> list[SharedChips]:
        """The pools whose chips some quotas count together, each pool once."""
        return [self._within(pools) for pools in self._joined()]

    def chips_of(self, flavors: Iterable[FlavorPlan]) -> int:
        """The chips of all pools that serve one of the flavors, each pool once."""
        return sum(self._chips[name] for name in dict.fromkeys(name for each in flavors for name in each.pools))

    def _within(self, pools: Pools) -> SharedChips:
        around = dict.fromkeys(each for name in pools for each in self._around[name])  # each is compared once
        flavors = self._in_order(flavor for each in around if each <= pools for flavor in self._flavors[each])
        return SharedChips(chips=sum(self._chips[name] for name in pools), flavors=flavors)

    def _joined(self) -> list[Pools]:
        """The unions of sets of pools that have one in common."""
        found: dict[str, frozenset[str]] = {}
        for pools in self._flavors:
            touched = {found[name] for name in pools if name in found}
            if len(touched) == 1 and pools <= next(iter(touched)):
                continue
            union = pools.union(*touched)
            found.update(dict.fromkeys(union, union))
        return list(dict.fromkeys(found.values()))

    def _in_order(self, flavors: Iterable[FlavorPlan]) -> tuple[FlavorPlan, ...]:
        return tuple(sorted(flavors, key=lambda each: self._rank[each.name]))


def in_slices(count: int, flavor: FlavorPlan) -> str:
    """A number of slices in chips: `16 (2 slices)`."""
    return f"{count * flavor.chips_per_slice} ({counted(count, 'slice')})"


@rule(
    "quota-within-pools",
    summary="queues promise no more chips than the pools hold",
    why="Kueue would admit work that then waits for nodes while it blocks the quota of others.",
    source="the chip ledger, components/model/plan/",
    family=Family.QUOTA,
    kinds=(kinds.CLUSTER_QUEUE, kinds.COHORT),
    needs=(kinds.RESOURCE_FLAVOR, kinds.NODE_POOL),
)
def quota_within_pools(plan: Plan) -> Iterator[Finding]:
    """The stated quotas beyond a bound of their flavors; in wider bounds each counts with the chips left for it."""
    stated = _stated(plan)
    found: dict[int, int] = {}  # the chips that remain for a quota with a finding, by its rank
    for bound in Sharing(plan).bounds() if plan.has_whole_ledger else ():
        flavors = {each.name: each for each in bound.flavors if stated[each.name] and not plan.makes_nodes_of(each)}
        before = 0
        for rank, share in sorted((each for name in flavors for each in stated[name]), key=lambda each: each[0]):
            chips = found.get(rank, share.chips)
            if chips and before + chips > bound.chips and rank not in found:
                found[rank] = max(bound.chips - before, 0)
                yield Finding(
                    place=share.place.at("chips"),
                    says=f"{share.chips} chips are promised, but {_room_of(list(flavors), bound.chips, before)}",
                    remedy=_room(flavors[share.name], bound.chips - before),
                )
            before += chips


def _stated(plan: Plan) -> defaultdict[str, list[tuple[int, QueueFlavorPlan]]]:
    """The stated quotas of each flavor, with their rank among all of the file."""
    found: defaultdict[str, list[tuple[int, QueueFlavorPlan]]] = defaultdict(list)
    for rank, share in enumerate(share for queue in plan.queues for share in queue.flavors):
        if not share.is_derived:
            found[share.name].append((rank, share))
    return found


def _room_of(flavors: list[str], chips: int, before: int) -> str:
    """How many chips the nodes of the flavors have, and how many of them other quotas hold."""
    if len(flavors) == 1:
        return f"{flavors[0]} has {chips}." + (f" Queues before this one hold {before}." if before else "")
    others = f" Quotas before this one hold {before}." if before else ""
    return f"{listing(flavors)} share nodes that have {chips} chips.{others}"


def _room(flavor: FlavorPlan, chips: int) -> str:
    slices = max(chips, 0) // flavor.chips_per_slice
    return f"Set {in_slices(slices, flavor)}, or declare more slices." if slices else "Declare more slices."
