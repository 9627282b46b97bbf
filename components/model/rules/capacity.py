"""Rules about capacity types: on-demand, spot, reserved, flex-start; `queued.py` has those about queued nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import gke, kinds, tpu
from components.model.findings import Finding, Severity, listing
from components.model.rule import Family, rule
from components.model.rules.flex_start_gpus import FLEX_START_GPU_RULES
from components.model.rules.queued import QUEUED_RULES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from components.model.places import Place
    from components.model.plan import Plan

_TOOLKIT: Final = "GoogleCloudPlatform/cluster-toolkit @10470803, modules/compute/gke-node-pool"
_AUTOSCALER: Final = "GoogleCloudPlatform/cluster-autoscaler @7d250507"


@rule(
    "slices-have-a-zone",
    summary="multi-host slices are in one zone, single-host slices in a zone or in several",
    why="The hosts of a slice are wired to each other; the API refuses a second zone.",
    source=_TOOLKIT,
    family=Family.TOPOLOGY,
)
def _slices_have_a_zone(plan: Plan) -> Iterator[Finding]:
    for pool in plan.slice_pools:
        if not pool.zones:
            yield Finding(
                place=pool.place,
                says="neither zone nor zones is stated.",
                remedy=f"Add a zone of {plan.cluster.region}.",
            )
        elif pool.has_list_of_zones and pool.is_multi_host and pool.nodes:
            yield Finding(
                place=pool.place.at("zones"),
                says=f"a {pool.topology} slice of {pool.machine_type} has several hosts, which are in one zone.",
                remedy=f"Write zone: {pool.zones[0]}; another entry can have slices in another zone.",
                is_about_key=True,
            )


@rule(
    "zone-is-stated-once",
    summary="an entry has either zone or zones",
    why="One of them would be ignored.",
    source="components/model/config/nodes.py",
    family=Family.TOPOLOGY,
)
def _zone_is_stated_once(plan: Plan) -> Iterator[Finding]:
    for pool in plan.slice_pools:
        if pool.has_both_zones:
            yield Finding(
                place=pool.place.at("zone"),
                says="zone is stated beside zones.",
                remedy="Remove one of them.",
                is_about_key=True,
            )


@rule(
    "reservation-is-named",
    summary="a reservation is named where capacity is reserved, and nowhere else",
    why="The API refuses reserved capacity without the name of its reservation, and flex-start or spot with one.",
    source=_TOOLKIT,
    family=Family.TOPOLOGY,
)
def _reservation_is_named(plan: Plan) -> Iterator[Finding]:
    for pool in plan.slice_pools:
        yield from _misnamed(pool.capacity, pool.place, has_reservation=pool.reservation is not None)
    for flavor in plan.flavors:
        yield from _misnamed(flavor.capacity, flavor.place, has_reservation=flavor.reservation is not None)


def _misnamed(capacity: str, place: Place, *, has_reservation: bool) -> Iterator[Finding]:
    if capacity == "reservation" and not has_reservation:
        yield Finding(
            place=place.at("capacity"),
            says="the capacity is reserved, but no reservation is named.",
            remedy="Add reservation with its name.",
        )
    elif capacity != "reservation" and has_reservation:
        yield Finding(
            place=place.at("reservation"),
            says=f"{capacity} capacity takes no reservation.",
            remedy="Remove it, or set capacity: reservation.",
            is_about_key=True,
        )


@rule(
    "block-has-a-project",
    summary="a block of a reservation is named with the reservation's project",
    why="The API takes blocks by the whole path of the reservation only.",
    source=_TOOLKIT,
    family=Family.TOPOLOGY,
)
def _block_has_a_project(plan: Plan) -> Iterator[Finding]:
    for pool in plan.slice_pools:
        reservation = pool.reservation
        if reservation is not None and "/reservationBlocks/" in reservation.path and reservation.project is None:
            yield Finding(
                place=reservation.place.at("block"),
                says="a block is named, but not the project of its reservation.",
                remedy=f"Add project: {plan.project}, or the one that shares the reservation.",
            )


@rule(
    "autoscaled-has-a-choice",
    summary="autoscaling is stated for on-demand and spot slices alone",
    why="Flex-start slices always come and go, and reserved ones are paid for whether they exist or not.",
    source='GKE documentation "About cluster autoscaling" and "Consume reserved resources", read 2026-11',
    family=Family.TOPOLOGY,
    also_warns=True,
)
def _autoscaled_has_a_choice(plan: Plan) -> Iterator[Finding]:
    for pool in plan.slice_pools:
        if pool.states_autoscaled and pool.capacity in ("flex-start", "reservation"):
            always = pool.capacity == "flex-start"
            yield Finding(
                place=pool.place.at("autoscaled"),
                says="flex-start slices always come and go with the work."
                if always
                else "the reservation is paid for whether its slices exist or not.",
                remedy="Remove the key.",
                is_about_key=True,
                severity=Severity.WARNING if always else Severity.ERROR,
            )


@rule(
    "flex-start-generation",
    summary="flex-start slices are of a generation that supports flex-start",
    why="The autoscaler never brings such nodes up, and work waits for ever.",
    source=_AUTOSCALER,
    family=Family.TOPOLOGY,
    kinds=(kinds.NODE_POOL,),
)
def _flex_start_generation(plan: Plan) -> Iterator[Finding]:
    for part in (*plan.slice_pools, *plan.flavors):
        if part.capacity != "flex-start" or not tpu.is_tpu_machine(part.machine_type):
            continue
        generation = tpu.generation_of(part.machine_type)
        if not generation.has_flex_start:
            yield Finding(
                place=part.place.at("capacity"),
                says=f"{generation.marketing} has no flex-start.",
                remedy=f"Choose another capacity, or one of {listing(tpu.named(lambda each: each.has_flex_start))}.",
            )


@rule(
    "run-time-in-bounds",
    summary="the longest run time is one that GKE accepts",
    why="The API refuses others.",
    source=_AUTOSCALER,
    family=Family.TOPOLOGY,
    kinds=(kinds.NODE_POOL,),
)
def _run_time_in_bounds(plan: Plan) -> Iterator[Finding]:
    for pool in plan.slice_pools:
        low, high = gke.FLEX_START_RUN_SECONDS if pool.capacity == "flex-start" else gke.RUN_SECONDS
        if pool.max_run_seconds is not None and not low <= pool.max_run_seconds <= high:
            yield Finding(
                place=pool.place.at("max_run_seconds"),
                says=f"nodes of {pool.capacity} capacity cannot be asked to live {pool.max_run_seconds} seconds.",
                remedy=f"Set {low} to {high}.",
            )


@rule(
    "blue-green-needs-room",
    summary="multi-host slices are not upgraded by a second set of nodes",
    why="Hosts of a slice are placed once, as one; the API refuses a second set beside them.",
    source=_TOOLKIT,
    family=Family.TOPOLOGY,
    kinds=(kinds.NODE_POOL,),
)
def _blue_green_needs_room(plan: Plan) -> Iterator[Finding]:
    for pool in plan.slice_pools:
        if pool.upgrade is not None and pool.upgrade.strategy == "BLUE_GREEN" and pool.placement is not None:
            yield Finding(
                place=pool.upgrade.place.at("strategy"),
                says="the hosts of a slice are placed together once, so BLUE_GREEN is refused.",
                remedy=f"Set SURGE, or remove {pool.place.word('upgrade')}.",
            )


@rule(
    "maintenance-interval-is-reserved",
    summary="periodic host maintenance is that of a reservation",
    why="The interval has to match the reservation's; without one it is refused or has no effect.",
    source="AI-Hypercomputer/xpk @367c8382, src/xpk/core/nodepool.py",
    family=Family.TOPOLOGY,
    severity=Severity.WARNING,
    kinds=(kinds.NODE_POOL,),
)
def _maintenance_interval_is_reserved(plan: Plan) -> Iterator[Finding]:
    for pool in plan.slice_pools:
        if pool.host_maintenance == "PERIODIC" and pool.capacity != "reservation":
            yield Finding(
                place=pool.place.at("host_maintenance"),
                says=f"PERIODIC belongs to reservations; this capacity is {pool.capacity}.",
                remedy="Remove the key.",
            )


@rule(
    "flavor-is-one-capacity",
    summary="a flavor's labels match pools of one capacity",
    why="Work that is meant for one kind of capacity would land on another, and quotas would count both.",
    source="GKE documentation of node labels, read 2026-11",
    family=Family.QUOTA,
    kinds=(kinds.RESOURCE_FLAVOR,),
    needs=(kinds.NODE_POOL,),
)
def _flavor_is_one_capacity(plan: Plan) -> Iterator[Finding]:
    pools = {pool.name: pool for pool in plan.slice_pools}
    for flavor in plan.flavors:
        others = [name for name in flavor.pools if pools[name].capacity != flavor.capacity]
        if others and flavor.machine_type:
            yield Finding(
                place=flavor.place.at("name"),
                says=f"the nodes of {listing(others)}, whose capacity is {pools[others[0]].capacity}, carry the "
                f"labels of {flavor.name} too.",
                remedy="No label tells on-demand nodes from reserved ones: use only one of both for a shape.",
            )


CAPACITY_RULES: Final = (
    _slices_have_a_zone,
    _zone_is_stated_once,
    _reservation_is_named,
    _block_has_a_project,
    _autoscaled_has_a_choice,
    _flex_start_generation,
    _run_time_in_bounds,
    *QUEUED_RULES,
    *FLEX_START_GPU_RULES,
    _blue_green_needs_room,
    _maintenance_interval_is_reserved,
    _flavor_is_one_capacity,
)
