"""Rules about machine types and topologies, and the regions and zones that have them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import compute, gke, kinds, tpu, zones
from components.model.findings import Finding, Severity, counted, did_you_mean, listing
from components.model.places import Place
from components.model.plan.nodes import MadePriorityPlan, SlicePoolPlan
from components.model.rule import Family, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from components.model.plan import Plan
    from components.model.plan.queues import FlavorPlan

FAMILY: Final = Family.TOPOLOGY

_SYSTEM_POOL: Final = "machine_type: e2-standard-4, nodes: 1, zones"
_GKE_TPUS: Final = 'GKE documentation "About TPUs in GKE", read 2026-11'


def _shaped(plan: Plan) -> Iterator[SlicePoolPlan | FlavorPlan]:
    """Every part that names a machine type and a topology; labels of a flavor alone may name no machine type."""
    yield from plan.slice_pools
    yield from (flavor for flavor in plan.flavors if flavor.machine_type)


@rule(
    summary="slices are made of a TPU machine type that exists",
    why="Hosts and chips of a slice follow from the machine type; the API refuses one that it does not know.",
    source="components/model/facts/tpu_catalogue.py",
    kinds=(kinds.NODE_POOL,),
)
def _machine_exists(plan: Plan) -> Iterator[Finding]:
    for part in _shaped(plan):
        if tpu.is_tpu_machine(part.machine_type):
            continue
        known = [machine.name for machine in tpu.machines()]
        is_ordinary = compute.is_ordinary_machine(part.machine_type)
        hint = "Ordinary nodes belong under node_pools. " if is_ordinary else did_you_mean(part.machine_type, known)
        yield Finding(
            place=part.place.at("machine_type"),
            says=f"{part.machine_type} is not a TPU machine type.",
            remedy=f"{hint}TPU machine types: {listing(known)}.",
        )


@rule(
    summary="the machine type makes slices of the topology",
    why="The API refuses every other shape: a slice is wired as one of a few tori.",
    source=_GKE_TPUS,
    kinds=(kinds.NODE_POOL,),
)
def _topology_exists(plan: Plan) -> Iterator[Finding]:
    for part in _shaped(plan):
        if not tpu.is_tpu_machine(part.machine_type):
            continue
        try:
            tpu.shape(part.machine_type, part.topology)
        except tpu.ImpossibleTopologyError as error:
            why = f"makes no {part.topology} slices: {error.reason}" if part.topology else "makes no single-host slices"
            yield Finding(
                place=part.place.at("topology"),
                says=f"{part.machine_type} {why}.",
                remedy=_possible(part.machine_type, part.topology),
            )


@rule(
    summary="slices are not larger than the documentation of their generation says",
    why="A pod has more chips, but nobody says that a slice of more can be had.",
    source='Cloud TPU documentation "TPU v5p", read 2026-11, against GoogleCloudPlatform/cluster-toolkit @10470803',
    severity=Severity.WARNING,
    kinds=(kinds.NODE_POOL,),
)
def _slice_size_is_documented(plan: Plan) -> Iterator[Finding]:
    for part in _shaped(plan):
        if not tpu.is_tpu_machine(part.machine_type):
            continue
        shape, generation = _shape(part.machine_type, part.topology), tpu.generation_of(part.machine_type)
        largest = generation.documented_chips
        if shape is not None and largest is not None and shape.chips > largest:
            yield Finding(
                place=part.place.at("topology"),
                says=f"{shape.topology} is {shape.chips} chips; a {generation.marketing} slice is documented to have "
                f"{largest} at most.",
                remedy=f"Choose a slice of {largest} chips or fewer, or several slices.",
            )


def _possible(machine_type: str, topology: str) -> str:
    """Other machines of the generation that make the topology, and what the machine makes instead."""
    others = [
        f"{shape.machine.name} ({counted(shape.hosts, 'host')})"
        for machine in tpu.generation_of(machine_type).machines
        if (shape := _shape(machine.name, topology)) is not None
    ]
    elsewhere = f"{topology} is made of {listing(others, 'or')}. " if others else ""
    made = tpu.topologies(machine_type)
    return f"{elsewhere}{machine_type} makes {listing(made)}.{_nearest(machine_type, topology, made)}"


def _nearest(machine_type: str, topology: str, made: tuple[str, ...]) -> str:
    try:
        near = tpu.nearest_topologies(machine_type, topology)
    except ValueError:
        return ""
    named = listing([f"{shape.topology} ({shape.chips} chips)" for shape in near])
    return f" Nearest: {named}." if len(made) > len(near) else ""


def _shape(machine_type: str, topology: str) -> tpu.Shape | None:
    try:
        return tpu.shape(machine_type, topology)
    except tpu.ImpossibleTopologyError:
        return None


@rule(
    summary="there is at least one node without accelerators",
    why="Kueue, JobSet and the system's pods do not tolerate the taint of TPU nodes and would stay Pending.",
    source=_GKE_TPUS,
    kinds=(kinds.NODE_POOL,),
    needs=(kinds.CLUSTER,),
)
def _ordinary_pool_exists(plan: Plan) -> Iterator[Finding]:
    if plan.cluster.mode == "autopilot" or plan.cluster.is_existing:
        return
    if any(pool.nodes and pool.gpu is None for pool in plan.node_pools):
        return
    zones = [zone for pool in plan.slice_pools for zone in pool.zones]
    zone = zones[0] if zones else f"{plan.cluster.region}-a"
    yield Finding(
        place=plan.place.at("node_pools"),
        says="there is no ordinary node, so Kueue, JobSet and the system's own pods would have nowhere to run.",
        remedy=f"Such as {{name: system, {plan.cluster.place.display_name(_SYSTEM_POOL)}: [{zone}]}}.",
    )


@rule(
    summary="pools of TPU machines are declared under tpu_slices",
    why="Only tpu_slices states the shape and the placement of TPU hosts.",
    source="components/model/facts/compute.py",
)
def _tpus_are_declared_as_slices(plan: Plan) -> Iterator[Finding]:
    for pool in plan.node_pools:
        if tpu.is_tpu_machine(pool.machine_type):
            yield Finding(
                place=pool.place.at("machine_type"),
                says=f"{pool.machine_type} is a TPU machine type.",
                remedy="Declare its slices under tpu_slices, with their topology.",
            )


@rule(
    summary="ordinary pools are of ordinary machines",
    why="A misspelt type fails late, in the cloud.",
    source="components/model/facts/compute.py",
    severity=Severity.WARNING,
    kinds=(kinds.NODE_POOL,),
)
def _ordinary_machine(plan: Plan) -> Iterator[Finding]:
    for pool in plan.node_pools:
        if not tpu.is_tpu_machine(pool.machine_type) and not compute.is_ordinary_machine(pool.machine_type):
            meant = did_you_mean(pool.machine_type, compute.ordinary_machines())
            yield Finding(
                place=pool.place.at("machine_type"),
                says=f"{pool.machine_type} is not a machine type known here.",
                remedy=f"{meant}If Google offers it, ignore this warning.",
            )


@rule(
    summary="pools are in zones of the cluster's region",
    why="A cluster has nodes in its own region only; the API refuses others.",
    source="GKE API, NodePool.locations",
    kinds=(kinds.NODE_POOL,),
    needs=(kinds.CLUSTER,),
)
def _zone_in_region(plan: Plan) -> Iterator[Finding]:
    region = plan.cluster.region
    for zone, place in _zones(plan):
        if gke.region_of(zone) != region:
            yield Finding(
                place=place,
                says=f"{zone} is not in {region}, the region of the cluster.",
                remedy=f"Name a zone of {region} ({region}-a, {region}-b and so on), or move the cluster.",
            )


def _zones(plan: Plan) -> Iterator[tuple[str, Place]]:
    """Every zone that nodes may be in, and where it is stated."""
    for pool in plan.slice_pools:
        yield from _of_slices(pool)
    for pool in plan.node_pools:
        yield from ((zone, pool.place.at("zones", index)) for index, zone in enumerate(pool.zones))
    for each in plan.compute_classes:
        for priority in each.priorities:
            if isinstance(priority, MadePriorityPlan):
                yield from ((zone, priority.place.at("zones", at)) for at, zone in enumerate(priority.zones))
    made = plan.cluster.auto_provisioning
    if made is not None:
        yield from ((zone, made.place.at("zones", index)) for index, zone in enumerate(made.zones))


def _of_slices(pool: SlicePoolPlan) -> Iterator[tuple[str, Place]]:
    """The zones of a pool of slices, each where it is stated."""
    for index, zone in enumerate(pool.zones):
        yield zone, pool.place.at("zones", index) if pool.has_list_of_zones else pool.place.at("zone")


@rule(
    summary="a pool names each of its zones once",
    why="The API refuses a list with a zone twice, and nodes and chips would be counted twice.",
    source="GKE API, NodePool.locations",
)
def _zones_differ(plan: Plan) -> Iterator[Finding]:
    taken: dict[tuple[Place, str], Place] = {}
    for zone, place in dict.fromkeys(_zones(plan)):
        first = taken.setdefault((Place(place.keys[:-1]), zone), place)
        if first != place:
            yield Finding(place=place, says=f"{zone} appears twice.", remedy="Name each zone once.")


@rule(
    summary="zones and regions exist in Google Cloud",
    why="The API refuses a zone or region that does not exist. The list here may be out of date.",
    source="components/model/facts/zones.py",
    severity=Severity.WARNING,
)
def _location_exists(plan: Plan) -> Iterator[Finding]:
    cluster = plan.cluster
    at = cluster.place.at("existing", "location") if cluster.is_existing else cluster.place.at("location")
    of_region = [(zone, place) for zone, place in _zones(plan) if gke.region_of(zone) == cluster.region]
    for location, place in dict.fromkeys([(cluster.location, at), *of_region]):
        beside = zones.of_region(gke.region_of(location))
        is_unknown = location not in beside if beside and gke.is_zone(location) else not beside and place is at
        if is_unknown:
            known = beside or zones.REGIONS
            yield Finding(
                place=place,
                says=f"{location} is not in the list of Google's regions and zones.",
                remedy=f"{did_you_mean(location, known)}{_beside(beside)}If Google offers it, ignore this warning.",
            )


def _beside(zones_known: tuple[str, ...]) -> str:
    return f"Known: {listing(zones_known)}. " if zones_known else ""


@rule(
    summary="slices are in a zone that Google lists for their generation",
    why="Elsewhere the API answers that the machine type does not exist in the zone. The list may be behind.",
    source='Cloud TPU documentation "TPU regions and zones", read 2026-11',
    severity=Severity.WARNING,
    kinds=(kinds.NODE_POOL,),
)
def _zone_offers_machine(plan: Plan) -> Iterator[Finding]:
    for pool in plan.slice_pools:
        if not tpu.is_tpu_machine(pool.machine_type):
            continue
        generation = tpu.generation_of(pool.machine_type)
        is_flex_start = pool.capacity == "flex-start" and generation.has_flex_start
        listed = generation.flex_start_zones if is_flex_start else generation.zones
        for zone, place in _of_slices(pool):
            if gke.region_of(zone) == plan.cluster.region and listed and zone not in listed:
                way = " with flex-start" if is_flex_start else ""
                yield Finding(
                    place=place,
                    says=f"{generation.marketing}{way} is not listed for {zone}.",
                    remedy=f"Listed: {listing(listed)}.",
                )
