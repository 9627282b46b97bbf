"""Rules about zones and regions: that they exist, are those of the cluster, and offer what is wanted there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import gke, kinds, tpu, zones
from components.model.findings import Finding, Severity, did_you_mean, listing
from components.model.places import Place
from components.model.plan.compute_classes import MadePriorityPlan
from components.model.rule import Family, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from components.model.plan import Plan
    from components.model.plan.nodes import SlicePoolPlan


@rule(
    "zone-in-region",
    summary="pools are in zones of the cluster's region",
    why="A cluster has nodes in its own region only; the API refuses others.",
    source="GKE API, NodePool.locations",
    family=Family.TOPOLOGY,
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
    "zones-differ",
    summary="a pool names each of its zones once",
    why="The API refuses a list with a zone twice, and nodes and chips would be counted twice.",
    source="GKE API, NodePool.locations",
    family=Family.TOPOLOGY,
)
def _zones_differ(plan: Plan) -> Iterator[Finding]:
    taken: dict[tuple[Place, str], Place] = {}
    for zone, place in dict.fromkeys(_zones(plan)):
        first = taken.setdefault((Place(place.keys[:-1]), zone), place)
        if first != place:
            yield Finding(place=place, says=f"{zone} appears twice.", remedy="Name each zone once.")


@rule(
    "location-exists",
    summary="zones and regions exist in Google Cloud",
    why="The API refuses a zone or region that does not exist. The list here may be out of date.",
    source="components/model/facts/zones.py",
    family=Family.TOPOLOGY,
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
    "zone-offers-machine",
    summary="slices are in a zone that Google lists for their generation",
    why="Elsewhere the API answers that the machine type does not exist in the zone. The list may be behind.",
    source='Cloud TPU documentation "TPU regions and zones", read 2026-11',
    family=Family.TOPOLOGY,
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


LOCATION_RULES: Final = (_zone_in_region, _zones_differ, _location_exists, _zone_offers_machine)
