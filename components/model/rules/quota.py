"""Rules about the chip ledger: what pools hold, flavors count and queues promise."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from components.model.facts import gke, kinds
from components.model.findings import Finding, Severity, counted, listing
from components.model.rule import Family, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from components.model.plan import Plan
    from components.model.plan.nodes import SlicePoolPlan
    from components.model.plan.queues import FlavorPlan, QueueFlavorPlan, QueuePlan

_KUEUE: Final = 'Kueue documentation "ClusterQueue", read 2026-11'


def _shares(plan: Plan) -> dict[str, list[tuple[QueuePlan, QueueFlavorPlan]]]:
    """Who holds quota of each flavor, in the order of the file; last those of flavors that are not declared."""
    shares: dict[str, list[tuple[QueuePlan, QueueFlavorPlan]]] = {flavor.name: [] for flavor in plan.flavors}
    for queue in plan.queues:
        for share in queue.flavors:
            shares.setdefault(share.name, []).append((queue, share))
    return shares


def _slices(count: int, flavor: FlavorPlan) -> str:
    """A number of slices in chips: `16 (2 slices)`."""
    return f"{count * flavor.chips_per_slice} ({counted(count, 'slice')})"


@rule(
    "flavor-is-served",
    summary="some pool has the slices that a flavor counts",
    why="Kueue would admit work that no node can ever take.",
    source=_KUEUE,
    family=Family.QUOTA,
    kinds=(kinds.RESOURCE_FLAVOR,),
    needs=(kinds.NODE_POOL,),
)
def _flavor_is_served(plan: Plan) -> Iterator[Finding]:
    for flavor in plan.flavors if plan.has_whole_ledger else ():
        if not flavor.labels or flavor.pools or plan.makes_nodes_of(flavor):
            continue
        declared = sorted({_kind_of(pool) for pool in plan.slice_pools if pool.nodes})
        yield Finding(
            place=flavor.place.at("name"),
            says=f"no pool has {_wanted(flavor)}, which {flavor.name} counts.",
            remedy=f"Declare them {flavor.place.word('under tpu_slices')}. Declared there: {listing(declared)}.",
        )


def _wanted(flavor: FlavorPlan) -> str:
    """What a flavor selects; where no machine type follows from its labels, the labels."""
    if flavor.machine_type:
        return _kind_of(flavor)
    return f"nodes with {listing([f'{key}: {value}' for key, value in flavor.labels.items()])}"


def _kind_of(part: FlavorPlan | SlicePoolPlan) -> str:
    """Slices as people tell them from others."""
    way = "" if part.capacity == "on-demand" else f"{part.capacity} "
    return f"{way}{part.topology} slices of {part.machine_type}"


@rule(
    "flavor-is-one-machine",
    summary="a flavor's labels match pools of one machine type",
    why="One host of 8 chips and two of 4 carry the same labels; work shaped for one cannot run on the other.",
    source='GKE documentation "About TPUs in GKE", read 2026-11',
    family=Family.QUOTA,
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
    "quota-derived-once",
    summary="a quota is derived from the pools only where one queue holds the flavor",
    why="Two queues would each be promised all chips.",
    source="the chip ledger, components/model/plan/",
    family=Family.QUOTA,
)
def _quota_derived_once(plan: Plan) -> Iterator[Finding]:
    shares = _shares(plan)
    for flavor in plan.flavors:
        holders = shares[flavor.name]
        for queue, share in holders:
            if share.is_derived and len(holders) > 1:
                others = [other.name for other, _ in holders if other is not queue]
                yield Finding(
                    place=share.place.at("name"),
                    says=f"{listing(others)} also holds {flavor.name}, so this quota cannot be taken from the pools.",
                    remedy=f"State chips for each; together they may hold {flavor.chips}.",
                )


@rule(
    "quota-is-stated",
    summary="where nodes come when they are selected, quotas are stated",
    why="There are no pools to take the quota from, and without one nothing is ever admitted.",
    source="the chip ledger, components/model/plan/",
    family=Family.QUOTA,
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
                    remedy=f"State chips, such as {_slices(1, flavor)}.",
                )


@rule(
    "quota-is-whole-slices",
    summary="a quota is a whole number of slices, and at least one where nothing can be borrowed",
    why="Chips beyond the last whole slice can never be used.",
    source="the chip ledger, components/model/plan/",
    family=Family.QUOTA,
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
            choices = [_slices(count, flavor) for count in sorted({min(whole, most), min(whole + 1, most)}) if count]
            yield Finding(
                place=share.place.at("chips"),
                says=f"{share.chips} chips are not a whole number of {flavor.topology} slices of "
                f"{flavor.chips_per_slice} chips, at least one.",
                remedy=f"Set {listing(choices, 'or')}.",
            )


@rule(
    "quota-within-pools",
    summary="queues promise no more chips than the pools hold",
    why="Kueue would admit work that then waits for nodes while it blocks the quota of others.",
    source="the chip ledger, components/model/plan/",
    family=Family.QUOTA,
    kinds=(kinds.CLUSTER_QUEUE, kinds.COHORT),
    needs=(kinds.RESOURCE_FLAVOR, kinds.NODE_POOL),
)
def _quota_within_pools(plan: Plan) -> Iterator[Finding]:
    shares = _shares(plan)
    for flavor in plan.flavors if plan.has_whole_ledger else ():
        stated = [(queue, share) for queue, share in shares[flavor.name] if not share.is_derived]
        before = 0
        for _queue, share in stated:
            promised = before + share.chips
            if flavor.pools and promised > flavor.chips and not plan.makes_nodes_of(flavor):
                others = f" Queues before this one hold {before}." if before else ""
                yield Finding(
                    place=share.place.at("chips"),
                    says=f"{share.chips} chips are promised, but {flavor.name} has {flavor.chips}.{others}",
                    remedy=_room(flavor, flavor.chips - before),
                )
            before = promised


def _room(flavor: FlavorPlan, chips: int) -> str:
    slices = max(chips, 0) // flavor.chips_per_slice
    return f"Set {_slices(slices, flavor)}, or declare more slices." if slices else "Declare more slices."


@rule(
    "quota-within-limits",
    summary="where nodes are made within limits, queues promise no more chips of a generation than those allow",
    why="GKE makes no node beyond the limits, and what Kueue admits waits for it for ever.",
    source='GKE documentation "Node auto-provisioning", read 2026-11',
    family=Family.QUOTA,
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
    "chips-are-counted",
    summary="every chip is in some queue's quota",
    why="Chips outside of every quota are paid for and never used by queued work.",
    source="the chip ledger, components/model/plan/",
    family=Family.QUOTA,
    severity=Severity.WARNING,
    kinds=(kinds.RESOURCE_FLAVOR,),
    needs=(kinds.NODE_POOL, kinds.CLUSTER_QUEUE),
)
def _chips_are_counted(plan: Plan) -> Iterator[Finding]:
    shares = _shares(plan)
    is_known = plan.controllers.kueue is not None and plan.has_whole_ledger and len(shares) == len(plan.flavors)
    for flavor in plan.flavors if is_known else ():
        quotas = [share.chips for _, share in shares[flavor.name]]
        per_slice = flavor.chips_per_slice
        is_whole = all(chips and per_slice and chips % per_slice == 0 for chips in quotas)
        promised = sum(quotas)
        if is_whole and promised < flavor.chips:
            holders = [queue.name for queue, _ in shares[flavor.name]]
            yield Finding(
                place=flavor.place.at("name"),
                says=f"{flavor.chips - promised} of the {flavor.chips} chips of {flavor.name} are in no quota.",
                remedy=f"Raise the quota of {listing(holders, 'or')}." if holders else "Give a queue this flavor.",
            )


@rule(
    "slices-have-a-flavor",
    summary="every pool of slices serves a flavor, where flavors are declared at all",
    why="Queued work never selects its nodes, and they are paid for.",
    source="the chip ledger, components/model/plan/",
    family=Family.QUOTA,
    severity=Severity.WARNING,
    kinds=(kinds.NODE_POOL,),
    needs=(kinds.RESOURCE_FLAVOR, kinds.CLUSTER_QUEUE),
)
def _slices_have_a_flavor(plan: Plan) -> Iterator[Finding]:
    is_known = plan.has_whole_ledger and all(flavor.pools for flavor in plan.flavors)
    counted = {name for flavor in plan.flavors for name in flavor.pools}
    for pool in plan.slice_pools if is_known and plan.flavors else ():
        if pool.name not in counted:
            yield Finding(
                place=pool.place.at("name"),
                says=f"no flavor counts {pool.topology} slices of {pool.machine_type}.",
                remedy="Declare a flavor of this machine type and topology.",
            )


QUOTA_RULES: Final = (
    _flavor_is_served,
    _flavor_is_one_machine,
    _quota_derived_once,
    _quota_is_stated,
    _quota_is_whole_slices,
    _quota_within_pools,
    _quota_within_limits,
    _chips_are_counted,
    _slices_have_a_flavor,
)
