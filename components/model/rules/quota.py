"""Rules about quotas of queues: which slices serve a flavor, and how many chips queues promise together.

Flavors share chips where their labels select the same pools, all or some of them. Kueue counts each flavor by itself,
so a rule that looked at one flavor at a time would accept the same chips twice.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from components.model.facts import gke, kinds
from components.model.findings import Finding, Severity, counted, listing
from components.model.rule import Family, rule

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from components.model.plan import Plan
    from components.model.plan.nodes import SlicePoolPlan
    from components.model.plan.queues import FlavorPlan, QueueFlavorPlan, QueuePlan

    Pools = frozenset[str]
    "Names of pools."

FAMILY: Final = Family.QUOTA

_KUEUE: Final = 'Kueue documentation "ClusterQueue", read 2026-11'


def _shares(plan: Plan) -> dict[str, list[tuple[QueuePlan, QueueFlavorPlan]]]:
    """Who holds quota of each flavor, in the order of the file; last those of flavors that are not declared."""
    shares: dict[str, list[tuple[QueuePlan, QueueFlavorPlan]]] = {flavor.name: [] for flavor in plan.flavors}
    for queue in plan.queues:
        for share in queue.flavors:
            shares.setdefault(share.name, []).append((queue, share))
    return shares


@rule(
    summary="some pool has the slices that a flavor counts",
    why="Kueue would admit work that no node can ever take.",
    source=_KUEUE,
    kinds=(kinds.RESOURCE_FLAVOR,),
    needs=(kinds.NODE_POOL,),
)
def _flavor_is_served(plan: Plan) -> Iterator[Finding]:
    for flavor in plan.flavors if plan.has_whole_ledger else ():
        if not flavor.labels or flavor.pools or plan.makes_nodes_of(flavor):
            continue
        held = {
            f"{_kind_of(pool)} of a ComputeClass" if pool.compute_class else _kind_of(pool)
            for pool in plan.slice_pools
            if pool.nodes
        }
        yield Finding(
            place=flavor.place.at("name"),
            says=f"no pool has {_wanted(flavor)}, which {flavor.name} counts.",
            remedy=f"Declare them {flavor.place.display_name('under tpu_slices')}. "
            f"Declared there: {listing(sorted(held))}.",
        )


def _wanted(flavor: FlavorPlan) -> str:
    """The machines that a flavor selects; where no machine type follows from its labels, the labels."""
    if flavor.machine_type:
        return _kind_of(flavor)
    return f"nodes with {listing([f'{key}: {value}' for key, value in flavor.labels.items()])}"


def _kind_of(part: FlavorPlan | SlicePoolPlan) -> str:
    """Slices as people tell them from others."""
    way = "" if part.capacity == "on-demand" else f"{part.capacity} "
    return f"{way}{part.topology} slices of {part.machine_type}"


@rule(
    summary="a flavor's labels match pools of one machine type",
    why="One host of 8 chips and two of 4 carry the same labels; work shaped for one cannot run on the other.",
    source='GKE documentation "About TPUs in GKE", read 2026-11',
    kinds=(kinds.RESOURCE_FLAVOR,),
    needs=(kinds.NODE_POOL,),
)
def _flavor_is_one_machine(plan: Plan) -> Iterator[Finding]:
    pools = {pool.name: pool for pool in plan.slice_pools}
    for flavor in plan.flavors:
        others = [name for name in flavor.pools if pools[name].machine_type != flavor.machine_type]
        if others and flavor.machine_type:
            yield Finding(
                place=flavor.place.at("machine_type"),
                says=f"the nodes of {listing(others)}, which are {pools[others[0]].machine_type}, carry the labels of "
                f"{flavor.name} too.",
                remedy=f"Keep {flavor.topology} slices of one machine type in the cluster.",
            )


@rule(
    summary="a quota is derived from the pools only where no other quota counts their chips",
    why="Two queues would each be promised all chips.",
    source="the chip ledger, components/model/plan/",
)
def _quota_derived_once(plan: Plan) -> Iterator[Finding]:
    shares, sharing = _shares(plan), Sharing(plan)
    for flavor in plan.flavors:
        beside = [other for other in sharing.beside(flavor) if shares[other.name]]
        for queue, share in shares[flavor.name]:
            if not share.is_derived:
                continue
            others = [other.name for other, _ in shares[flavor.name] if other is not queue]
            if others or beside:
                yield Finding(
                    place=share.place.at("name"),
                    says=f"{_also_counting(flavor, others, beside)}, so this quota cannot be taken from the pools.",
                    remedy=f"State chips for each; together they may hold {sharing.chips_of((flavor, *beside))}.",
                )


def _also_counting(flavor: FlavorPlan, queues: list[str], flavors: list[FlavorPlan]) -> str:
    """The other queues that hold the flavor; else the other flavors that share its nodes."""
    if queues:
        return f"{listing(queues)} also holds {flavor.name}"
    return f"{flavor.name} shares nodes with {listing([each.name for each in flavors])}"


@rule(
    summary="where nodes come when they are selected, quotas are stated",
    why="There are no pools to take the quota from, and without one nothing is ever admitted.",
    source="the chip ledger, components/model/plan/",
)
def _quota_is_stated(plan: Plan) -> Iterator[Finding]:
    flavors = {flavor.name: flavor for flavor in plan.flavors}
    for queue in plan.queues:
        for share in queue.flavors:
            flavor = flavors.get(share.name)
            if share.is_derived and flavor is not None and not flavor.pools and plan.makes_nodes_of(flavor):
                yield Finding(
                    place=share.place.at("name"),
                    says=f"no pool holds {flavor.topology} slices: their nodes are made when work selects them.",
                    remedy=f"State chips, such as {in_slices(1, flavor)}.",
                )


@rule(
    summary="a quota is a whole number of slices, and at least one where nothing can be borrowed",
    why="Chips beyond the last whole slice can never be used.",
    source="the chip ledger, components/model/plan/",
    kinds=(kinds.CLUSTER_QUEUE, kinds.COHORT),
    needs=(kinds.RESOURCE_FLAVOR,),
)
def _quota_is_whole_slices(plan: Plan) -> Iterator[Finding]:
    flavors = {flavor.name: flavor for flavor in plan.flavors}
    for queue in plan.queues:
        for share in queue.flavors:
            flavor = flavors.get(share.name)
            if share.is_derived or flavor is None or not flavor.chips_per_slice:
                continue
            whole, rest = divmod(share.chips, flavor.chips_per_slice)
            if not rest and (whole or (queue.cohort is not None and share.borrow != 0)):
                continue
            held = flavor.chips // flavor.chips_per_slice
            most = held if plan.has_whole_ledger and held and not plan.makes_nodes_of(flavor) else whole + 1
            choices = [in_slices(count, flavor) for count in sorted({min(whole, most), min(whole + 1, most)}) if count]
            yield Finding(
                place=share.place.at("chips"),
                says=f"{share.chips} chips are not a whole number of {flavor.topology} slices of "
                f"{flavor.chips_per_slice} chips, at least one.",
                remedy=f"Set {listing(choices, 'or')}.",
            )


@rule(
    summary="where nodes are made within limits, queues promise no more chips of a generation than those allow",
    why="GKE makes no node beyond the limits, and what Kueue admits waits for it for ever.",
    source='GKE documentation "Node auto-provisioning", read 2026-11',
    kinds=(kinds.CLUSTER_QUEUE, kinds.COHORT),
    needs=(kinds.RESOURCE_FLAVOR, kinds.CLUSTER),
)
def _quota_within_limits(plan: Plan) -> Iterator[Finding]:
    made = plan.cluster.auto_provisioning
    if made is None or plan.cluster.mode == "autopilot" or not plan.has_whole_ledger:
        return
    accelerator_of = {flavor.name: flavor.labels.get(gke.LABEL_TPU_ACCELERATOR, "") for flavor in plan.flavors}
    held: Counter[str] = Counter()
    for pool in plan.slice_pools:
        held[pool.labels[gke.LABEL_TPU_ACCELERATOR]] += pool.chips
    promised: Counter[str] = Counter()
    for share in (share for queue in plan.queues for share in queue.flavors):
        accelerator = accelerator_of.get(share.name, "")
        promised[accelerator] += share.chips
        most = max(made.limits.get(accelerator, 0), held[accelerator])
        if accelerator in made.accelerators and promised[accelerator] > most and not share.is_derived:
            room = share.chips + most - promised[accelerator]
            fewer = f"Set {room} or less, or raise" if room > 0 else "Raise"
            yield Finding(
                place=share.place.at("chips"),
                says=f"with these, queues promise {promised[accelerator]} chips of {accelerator}, and there can be "
                f"{most}.",
                remedy=f"{fewer} the limit of auto-provisioning to {promised[accelerator]}.",
            )


@rule(
    summary="every chip is in some queue's quota",
    why="Chips outside of every quota are paid for and never used by queued work.",
    source="the chip ledger, components/model/plan/",
    severity=Severity.WARNING,
    kinds=(kinds.RESOURCE_FLAVOR,),
    needs=(kinds.NODE_POOL, kinds.CLUSTER_QUEUE),
)
def _chips_are_counted(plan: Plan) -> Iterator[Finding]:
    shares = _shares(plan)
    is_known = plan.controllers.kueue is not None and plan.has_whole_ledger and len(shares) == len(plan.flavors)
    for bound in Sharing(plan).joined() if is_known else ():
        held = [(flavor, *each) for flavor in bound.flavors for each in shares[flavor.name]]
        is_whole = all(share.chips and share.chips % flavor.chips_per_slice == 0 for flavor, _, share in held)
        promised = sum(share.chips for _, _, share in held)
        if is_whole and promised < bound.chips:
            holders = list(dict.fromkeys(queue.name for _, queue, _ in held))
            widest = max(bound.flavors, key=lambda each: len(each.pools))
            yield Finding(
                place=widest.place.at("name"),
                says=f"{bound.chips - promised} of the {bound.chips} chips of "
                f"{listing([each.name for each in bound.flavors])} are in no quota.",
                remedy=f"Raise the quota of {listing(holders, 'or')}." if holders else "Give a queue this flavor.",
            )


@rule(
    summary="every pool of slices serves a flavor, where flavors are declared at all",
    why="Queued work never selects its nodes, and they are paid for.",
    source="the chip ledger, components/model/plan/",
    severity=Severity.WARNING,
    kinds=(kinds.NODE_POOL,),
    needs=(kinds.RESOURCE_FLAVOR, kinds.CLUSTER_QUEUE),
)
def _slices_have_a_flavor(plan: Plan) -> Iterator[Finding]:
    is_known = plan.has_whole_ledger and all(flavor.pools for flavor in plan.flavors)
    counted = {name for flavor in plan.flavors for name in flavor.pools}
    for pool in plan.slice_pools if is_known and plan.flavors else ():
        if pool.name not in counted and pool.compute_class is None:
            yield Finding(
                place=pool.place.at("name"),
                says=f"no flavor counts {pool.topology} slices of {pool.machine_type}.",
                remedy="Declare a flavor of this machine type and topology.",
            )


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
    summary="queues promise no more chips than the pools hold",
    why="Kueue would admit work that then waits for nodes while it blocks the quota of others.",
    source="the chip ledger, components/model/plan/",
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
