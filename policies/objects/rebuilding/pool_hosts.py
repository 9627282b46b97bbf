"""The hosts of a node pool, from its resource: machine type, slices, capacity type, place and number."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import gke, tpu

if TYPE_CHECKING:
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
