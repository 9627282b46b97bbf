"""Rules about where the hosts of slices are and what holds them together: zones and placement."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import kinds, tpu
from components.model.findings import Finding, Severity, listing
from components.model.rule import Family
from policies.objects.belonging import cluster_of
from policies.objects.judging import object_rule, world_rule
from policies.objects.rebuilding.pool_hosts import generation_of, multi_host, region_of, single_host, zones_of
from policies.objects.values import UndecidedError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from policies.objects.world import Object, World

_TOOLKIT: Final = "GoogleCloudPlatform/cluster-toolkit @10470803, modules/compute/gke-node-pool"
_XPK: Final = "AI-Hypercomputer/xpk pull requests 822 and 825"
_TPU7X: Final = "answers of the API in field reports on TPU7x node pools, 2026-07 and 2026-08"
_PLACEMENT: Final = "placementPolicy"
_POLICY_NAME: Final = (_PLACEMENT, "policyName")
_COMPACT: Final = "COMPACT"


@world_rule(
    "slice-is-in-one-zone",
    summary="a multi-host pool is in exactly one zone",
    why="The hosts of a slice are wired to each other; a second zone doubles their number, and the API refuses it.",
    source=_TOOLKIT,
    family=Family.TOPOLOGY,
    kinds=(kinds.NODE_POOL,),
)
def _slice_is_in_one_zone(pool: Object, world: World) -> Iterator[Finding]:
    shape = multi_host(pool)
    if shape is None:
        return
    cluster = cluster_of(pool, world)
    zones = zones_of(pool, cluster)
    if not zones and cluster is None:
        raise UndecidedError(pool.place.at("nodeLocations"), "is not stated, and the cluster is not here")
    if len(zones) == 1:
        return
    where = f"{len(zones)} zones are named" if zones else "no zone is named, so nodes are in several of the region"
    meant = f", such as {zones[0]}" if zones else f" of {region_of(pool, cluster)}"
    yield Finding(
        place=pool.place.at("nodeLocations"),
        says=f"{where}; the {shape.hosts} hosts of a {shape.topology} slice are in one.",
        remedy=f"Name one zone{meant}; a slice in another zone is another pool.",
    )


@object_rule(
    "single-hosts-are-not-placed",
    summary="a pool of single-host slices states neither a topology nor a placement",
    why="The API refuses it: every node is a slice of its own.",
    source=_XPK,
    family=Family.TOPOLOGY,
    kinds=(kinds.NODE_POOL,),
)
def _single_hosts_are_not_placed(pool: Object) -> Iterator[Finding]:
    shape = single_host(pool)
    if shape is None or _leaves_its_topology_out(pool):
        return
    otherwise = ", or state the topology of a slice of several hosts" if shape.machine.is_multi_host else ""
    for key in ("tpuTopology", "policyName", "type"):
        stated = pool.text(_PLACEMENT, key)
        if stated is not None:
            yield Finding(
                place=pool.place.at(_PLACEMENT, key),
                says=f"{stated} is stated for {shape.machine.name} hosts that are {shape.topology} slices by "
                "themselves.",
                remedy=f"Remove placementPolicy{otherwise}.",
                is_about_key=True,
            )


def _leaves_its_topology_out(pool: Object) -> bool:
    """Whether a policy alone says what slices a pool is of, on machines that make slices of several hosts."""
    machine_type = pool.string("nodeConfig", "machineType")
    return (
        tpu.is_tpu_machine(machine_type)
        and tpu.machine(machine_type).is_multi_host
        and pool.text(*_POLICY_NAME) is not None
        and pool.text(_PLACEMENT, "tpuTopology") is None
    )


@object_rule(
    "placed-slice-states-its-topology",
    summary="a pool that names a policy states the topology of its slices as well",
    why="One report made such a pool of TPU7x without, all others with it; nothing else tells how many hosts it has.",
    source=_TPU7X,
    family=Family.TOPOLOGY,
    kinds=(kinds.NODE_POOL,),
    severity=Severity.WARNING,
)
def _placed_slice_states_its_topology(pool: Object) -> Iterator[Finding]:
    if _leaves_its_topology_out(pool):
        yield Finding(
            place=pool.place.at(_PLACEMENT),
            says=f"{pool.text(*_POLICY_NAME)} is named without a topology.",
            remedy="Add tpuTopology, the same as in the policy; a pool of single hosts names no policy.",
        )


@object_rule(
    "slice-is-placed-compactly",
    summary=f"a multi-host pool of a generation other than {listing(tpu.NEED_WORKLOAD_POLICY, 'or')} has COMPACT "
    "placement",
    why="Without it the API makes no slice.",
    source=_TOOLKIT,
    family=Family.TOPOLOGY,
    kinds=(kinds.NODE_POOL,),
)
def _slice_is_placed_compactly(pool: Object) -> Iterator[Finding]:
    shape, generation = multi_host(pool), generation_of(pool)
    if shape is None or generation is None or generation.workload_policy is tpu.WorkloadPolicy.REQUIRED:
        return
    placed = pool.string(_PLACEMENT, "type", default="nothing")
    if placed != _COMPACT and pool.text(*_POLICY_NAME) is None:
        yield Finding(
            place=pool.place.at(_PLACEMENT, "type"),
            says=f"{placed} is stated; the hosts of a {shape.topology} slice are placed together.",
            remedy=f"Set {_COMPACT}.",
        )


POOL_PLACEMENT_RULES: Final = (
    _slice_is_in_one_zone,
    _single_hosts_are_not_placed,
    _placed_slice_states_its_topology,
    _slice_is_placed_compactly,
)
