"""Node pools as the chip ledger has them, from their resources: their hosts, capacity type, place and number."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Final, TypedDict

from components.model.facts import gke, kinds, tpu
from components.model.facts.node_labels import pool_labels
from components.model.plan.nodes import (
    AutoscalingPlan,
    FlexStartPlan,
    GpuPlan,
    OrdinaryPoolPlan,
    PlacementPlan,
    ReservationPlan,
    SlicePoolPlan,
    UpgradePlan,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from components.model.places import Key, Place
    from policies.objects.values import Part
    from policies.objects.world import Object


_SPECIFIC: Final = "SPECIFIC_RESERVATION"
_TPU_FAMILIES: Final = ("ct", "tpu")
"""Beginnings of the names of TPU machine types, known or not."""


def is_tpu_pool(pool: Object) -> bool:
    """Whether the pool is of TPU hosts, by the name of its machine type."""
    machine_type = pool.string("nodeConfig", "machineType")
    return machine_type.startswith(_TPU_FAMILIES)


def shape_of(pool: Object) -> tpu.Shape | None:
    """The slice that the pool is made of; None where machine type or topology does not exist.

    A pool that states no topology is of single hosts.
    """
    machine_type, topology = pool.string("nodeConfig", "machineType"), topology_of(pool)
    try:
        return tpu.shape(machine_type, topology)
    except (tpu.UnknownMachineError, tpu.ImpossibleTopologyError):
        return None


def multi_host(pool: Object) -> tpu.Shape | None:
    """The slice that the pool is made of, where it has several hosts."""
    shape = shape_of(pool)
    return shape if shape is not None and shape.kind is tpu.HostKind.MULTI else None


def single_host(pool: Object) -> tpu.Shape | None:
    """The slice that each node of the pool is, where it is one."""
    shape = shape_of(pool)
    return shape if shape is not None and shape.kind is tpu.HostKind.SINGLE else None


def generation_of(pool: Object) -> tpu.Generation | None:
    """The TPU generation of its machines; None for others, and for machine types that do not exist."""
    machine_type = pool.string("nodeConfig", "machineType")
    return tpu.generation_of(machine_type) if tpu.is_tpu_machine(machine_type) else None


def topology_of(pool: Object) -> str:
    """The topology that is stated, else the one of a single host; empty where there is neither."""
    stated = pool.text("placementPolicy", "tpuTopology")
    machine_type = pool.string("nodeConfig", "machineType")
    if stated is not None or not tpu.is_tpu_machine(machine_type):
        return "" if stated is None else stated
    alone = tpu.machine(machine_type).single_host_topology
    return "" if alone is None else alone


def is_flex_start(pool: Object) -> bool:
    """Whether its machines are provisioned when pods wait for them."""
    return pool.flag("nodeConfig", "flexStart") is True


def capacity_of(pool: Object) -> str:
    """Its capacity type, in the words of the stack file."""
    if is_flex_start(pool):
        return "flex-start"
    if pool.flag("nodeConfig", "spot") or pool.flag("nodeConfig", "preemptible"):
        return "spot"
    is_reserved = pool.text("nodeConfig", "reservationAffinity", "consumeReservationType") == _SPECIFIC
    return "reservation" if is_reserved else "on-demand"


def zones_of(pool: Object, cluster: Object | None) -> tuple[str, ...]:
    """The zones of its nodes: its own, else those of the cluster; none where the region decides."""
    stated = pool.texts("nodeLocations")
    if stated:
        return stated
    of_cluster = () if cluster is None else cluster.texts("nodeLocations")
    default = "" if cluster is None else cluster.string("location")
    location = pool.string("location", default=default)
    home = (location,) if gke.is_zone(location) else ()
    return tuple(dict.fromkeys((*home, *of_cluster)))


def region_of(pool: Object, cluster: Object | None) -> str | None:
    """The region of its nodes; None where nothing tells it."""
    of_cluster = None if cluster is None else cluster.text("location")
    where = next(iter(zones_of(pool, cluster)), pool.text("location") or of_cluster)
    return None if where is None else gke.region_of(where)


def most_nodes(pool: Object, zones: int) -> int:
    """Nodes over all zones, at most."""
    if pool.part("autoscaling") is not None:
        total = pool.whole("autoscaling", "totalMaxNodeCount")
        return (pool.count("autoscaling", "maxNodeCount")) * zones if total is None else total
    counted = pool.whole("nodeCount")
    return (pool.count("initialNodeCount") if counted is None else counted) * zones


_GOOGLE: Final = "google.com"
_NAMES: Final[Mapping[str, tuple[Key, ...]]] = {
    "machine_type": ("nodeConfig", "machineType"),
    "topology": ("placementPolicy", "tpuTopology"),
    "zones": ("nodeLocations",),
    "zone": ("location",),
    "capacity": ("nodeConfig",),
    "reservation": ("nodeConfig", "reservationAffinity"),
    "queued": ("queuedProvisioning", "enabled"),
    "max_run_seconds": ("nodeConfig", "maxRunDuration"),
    "host_maintenance": ("nodeConfig", "hostMaintenancePolicy", "maintenanceInterval"),
    "labels": ("nodeConfig", "labels"),
    "gpu": ("nodeConfig", "guestAccelerators", 0),
    "nodes": ("nodeCount",),
    "upgrade": ("upgradeSettings",),
}
"""The names of keys of the stack file in a node pool."""
_PHRASES: Final = {"capacity: flex-start": "nodeConfig.flexStart: true"}


def slice_pool(pool: Object, cluster: Object | None) -> SlicePoolPlan:
    """The pool of TPU hosts."""
    shape, zones, capacity = shape_of(pool), zones_of(pool, cluster), capacity_of(pool)
    place, each_zone = pool.place.with_key_names(**_NAMES).with_phrases(_PHRASES), max(len(zones), 1)
    nodes = most_nodes(pool, each_zone)
    hosts = 0 if shape is None else shape.hosts
    slices = nodes // hosts if hosts else 0
    reservation = _reservation(pool, place) if capacity == "reservation" else None
    autoscaling = pool.part("autoscaling")
    of_gke = _labels_of_gke(pool, shape, capacity, reservation)
    return SlicePoolPlan(
        place=place,
        name=pool.name,
        machine_type=pool.string("nodeConfig", "machineType"),
        topology=topology_of(pool),
        zones=zones,
        has_list_of_zones=bool(pool.texts("nodeLocations")),
        has_both_zones=False,
        is_multi_host=hosts > 1,
        slices=slices,
        nodes=nodes,
        chips=0 if shape is None else slices * shape.chips,
        nodes_per_zone=None if autoscaling is not None else nodes // each_zone,
        autoscaling=None if autoscaling is None else _autoscaling(autoscaling),
        capacity=capacity,
        states_autoscaled=autoscaling is not None,
        is_queued=bool(pool.flag("queuedProvisioning", "enabled")),
        reservation=reservation,
        takes_reservations=None,
        max_run_seconds=_seconds(pool),
        host_maintenance=pool.text("nodeConfig", "hostMaintenancePolicy", "maintenanceInterval"),
        labels={**pool.labels("nodeConfig", "labels"), **of_gke} if of_gke else {},
        compute_class=_class_of(pool),
        **_upkeep(pool, of_gke),
    )


class _Upkeep(TypedDict):
    """The fields that have nothing to do with chips."""

    placement: PlacementPlan | None
    added_labels: Mapping[str, str]
    billing_labels: Mapping[str, str]
    disk_type: str
    auto_repair: bool
    upgrade: UpgradePlan | None
    is_protected: bool


def _upkeep(pool: Object, of_gke: Mapping[str, str]) -> _Upkeep:
    return {
        "placement": _placement(pool),
        "added_labels": _added_labels(pool, of_gke),
        "billing_labels": pool.labels("nodeConfig", "resourceLabels"),
        "disk_type": pool.string("nodeConfig", "diskType"),
        "auto_repair": pool.flag("management", "autoRepair") is not False,
        "upgrade": _upgrade(pool),
        "is_protected": pool.is_protected,
    }


def _labels_of_gke(
    pool: Object, shape: tpu.Shape | None, capacity: str, reservation: ReservationPlan | None
) -> dict[str, str]:
    """The labels of its nodes that GKE sets and somebody may select them by; none where the shape does not exist."""
    if shape is None:
        return {}
    of_shape = pool_labels(shape, capacity, None if reservation is None else reservation.name)
    return {**of_shape, gke.LABEL_NODE_POOL: pool.name}


def _added_labels(pool: Object, of_gke: Mapping[str, str]) -> dict[str, str]:
    """The labels that the pool states, without those of Google that users may state.

    Some are asked of users (compute classes, queued nodes, drivers), and who repeats what GKE says does no harm.
    """
    stated = pool.labels("nodeConfig", "labels")
    return {
        key: value
        for key, value in stated.items()
        if (of_gke[key] != value if key in of_gke else not key.partition("/")[0].endswith(_GOOGLE))
    }


def _autoscaling(stated: Part) -> AutoscalingPlan:
    return AutoscalingPlan(
        minimum=stated.whole("minNodeCount") or stated.count("totalMinNodeCount"),
        maximum=stated.whole("maxNodeCount") or stated.count("totalMaxNodeCount"),
        location_policy=stated.text("locationPolicy"),
    )


def _seconds(pool: Object) -> int | None:
    """The longest life of a node; None where it is not stated as seconds, which another rule reports."""
    stated = (pool.string("nodeConfig", "maxRunDuration")).removesuffix("s")
    return int(stated) if stated.isascii() and stated.isdigit() and len(stated) < 12 else None  # noqa: PLR2004  years


def _placement(pool: Object) -> PlacementPlan | None:
    stated = pool.part("placementPolicy")
    if stated is None:
        return None
    return PlacementPlan(
        type=stated.string("type"), topology=stated.string("tpuTopology"), policy=stated.text("policyName")
    )


def _reservation(pool: Object, place: Place) -> ReservationPlan | None:
    values = pool.texts("nodeConfig", "reservationAffinity", "values")
    if not values:
        return None
    name = values[0].partition("/reservationBlocks/")[0].rpartition("/")[2]
    project = values[0].split("/")[1] if values[0].startswith("projects/") and values[0].count("/") > 1 else None
    return ReservationPlan(place=place.at("reservation"), name=name, project=project, path=values[0])


def _upgrade(pool: Object) -> UpgradePlan | None:
    stated = pool.part("upgradeSettings")
    if stated is None:
        return None
    names: dict[str, tuple[Key, ...]] = {
        "max_surge": ("maxSurge",),
        "max_unavailable": ("maxUnavailable",),
        "batch_nodes": ("blueGreenSettings", "standardRolloutPolicy", "batchNodeCount"),
        "soak_seconds": ("blueGreenSettings", "nodePoolSoakDuration"),
    }
    soak = (stated.string("blueGreenSettings", "nodePoolSoakDuration")).removesuffix("s")
    return UpgradePlan(
        place=stated.place.with_key_names(**names),
        strategy=stated.string("strategy", default="SURGE"),
        max_surge=stated.whole("maxSurge"),
        max_unavailable=stated.whole("maxUnavailable"),
        batch_nodes=stated.whole("blueGreenSettings", "standardRolloutPolicy", "batchNodeCount"),
        soak_seconds=int(soak) if soak.isascii() and soak.isdigit() and len(soak) < 12 else None,  # noqa: PLR2004  years
    )


def ordinary_pool(pool: Object, cluster: Object | None) -> OrdinaryPoolPlan:
    """The pool without TPUs."""
    zones = zones_of(pool, cluster)
    autoscaling = pool.part("autoscaling")
    place = pool.place.with_key_names(**_NAMES).with_phrases(_PHRASES)
    return OrdinaryPoolPlan(
        place=place,
        name=pool.name,
        machine_type=pool.string("nodeConfig", "machineType", default="e2-medium"),
        nodes_per_zone=None if autoscaling is not None else most_nodes(pool, 1),
        autoscaling=None if autoscaling is None else _autoscaling(autoscaling),
        nodes=most_nodes(pool, max(len(zones), 1)),
        zones=zones,
        is_spot=capacity_of(pool) == "spot",
        gpu=_gpu(pool),
        added_labels=_added_labels(pool, {}),
        billing_labels=pool.labels("nodeConfig", "resourceLabels"),
        upgrade=_upgrade(pool),
        flex_start=_flex_start(pool, place),
        compute_class=_class_of(pool),
    )


def _class_of(pool: Object) -> str | None:
    """The ComputeClass that the pool belongs to, by the label of its nodes and by their taint."""
    name = pool.labels("nodeConfig", "labels").get(gke.LABEL_COMPUTE_CLASS)
    taints = pool.parts("nodeConfig", "taints") if name is not None else ()
    is_kept = any((each.text("key"), each.text("value")) == (gke.LABEL_COMPUTE_CLASS, name) for each in taints)
    return name if is_kept else None


def _flex_start(pool: Object, place: Place) -> FlexStartPlan | None:
    if capacity_of(pool) != "flex-start":
        return None
    return FlexStartPlan(
        place=place,
        is_queued=bool(pool.flag("queuedProvisioning", "enabled")),
        max_run_seconds=_seconds(pool),
    )


def pools_within(cluster: Object, registered: Iterable[Object]) -> tuple[OrdinaryPoolPlan, ...]:
    """The pools without TPUs that the cluster itself makes: those written in it, else the one that it begins with."""
    written = cluster.parts("nodePools")
    if cluster.flag("enableAutopilot") or (not written and cluster.flag("removeDefaultNodePool")):
        return ()
    taken = {each.name for each in registered}
    found = [_written(cluster, part) for part in written] if written else [_first_pool(cluster)]
    return tuple(ordinary_pool(each, cluster) for each in found if each.name not in taken and not is_tpu_pool(each))


def _written(cluster: Object, part: Part) -> Object:
    """A pool that is written in its cluster."""
    return dataclasses.replace(
        cluster,
        value=part.value,
        start=part.start,
        steps=part.steps,
        kind=kinds.NODE_POOL,
        name=part.string("name"),
    )


def _first_pool(cluster: Object) -> Object:
    """The pool that a cluster is made with; the cluster itself states its machines and their number."""
    keys = ("nodeConfig", "initialNodeCount", "nodeLocations")
    value = {key: cluster.value[key] for key in keys if key in cluster.value}
    return dataclasses.replace(cluster, value=value, kind=kinds.NODE_POOL, name="default-pool")


def _gpu(pool: Object) -> GpuPlan | None:
    stated = pool.parts("nodeConfig", "guestAccelerators")
    if not stated:
        return None
    return GpuPlan(
        place=stated[0].place,
        type=stated[0].string("type"),
        count=stated[0].count("count"),
        driver=stated[0].string("gpuDriverInstallationConfig", "gpuDriverVersion"),
    )
