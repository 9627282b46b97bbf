"""Rules about the size, limits, upgrades and versions of node pools.

A multi-host slice is one node pool: its hosts are created together or not at all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import floors, gke, kinds, tpu
from components.model.findings import Finding, Severity, about_key, counted, listing
from components.model.rule import Edit, Family, Scope
from policies.objects.judging import object_rule, world_rule
from policies.objects.rebuilding.pools import capacity_of, generation_of, multi_host, shape_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from policies.objects.values import Part
    from policies.objects.world import Object, World

FAMILY: Final = Family.TOPOLOGY

_AUTOSCALER: Final = "GoogleCloudPlatform/cluster-autoscaler @7d250507"
_FIXED_COUNTS: Final = ("nodeCount", "initialNodeCount")
_TOTALS: Final = ("totalMinNodeCount", "totalMaxNodeCount")
"""The provider sends those that are not stated as 0, so that 0 is as good as none."""
_BOOT_DISKS: Final = (("nodeConfig", "diskType"), ("nodeConfig", "bootDisk", "diskType"))
_PER_ZONE: Final = ("minNodeCount", "maxNodeCount")
_STRATEGIES: Final = ("SURGE", "BLUE_GREEN")


@object_rule(
    summary="a multi-host pool has as many nodes as its slice has hosts, or none",
    why="The hosts of a slice are made together; the API refuses any other number.",
    source=_AUTOSCALER,
    kinds=(kinds.NODE_POOL,),
)
def _slice_has_all_its_nodes(pool: Object) -> Iterator[Finding]:
    shape = multi_host(pool)
    if shape is None:
        return
    for key in _FIXED_COUNTS:
        count = pool.whole(key)
        if count and count != shape.hosts:
            yield Finding(
                place=pool.place.at(key),
                says=f"{counted(count, 'node')}; a {shape.topology} slice of {shape.machine.name} is {shape.hosts} "
                "hosts.",
                remedy=f"Set {shape.hosts}; another slice is another pool.",
            )


@object_rule(
    summary="an autoscaled multi-host pool has no node or all hosts of its slice",
    why="The autoscaler makes a slice whole or not at all; with other limits it never makes it.",
    source=_AUTOSCALER,
    kinds=(kinds.NODE_POOL,),
)
def _slice_scales_whole(pool: Object) -> Iterator[Finding]:
    shape, limits = multi_host(pool), pool.part("autoscaling")
    if shape is None or limits is None or any(limits.whole(key) for key in _TOTALS):
        return
    for key, allowed in (("minNodeCount", (0, shape.hosts)), ("maxNodeCount", (shape.hosts,))):
        count = limits.count(key)
        if count not in allowed:
            valid = listing([str(each) for each in allowed], "or")
            yield Finding(
                place=limits.place.at(key),
                says=f"{counted(count, 'node')}; a {shape.topology} slice of {shape.machine.name} is "
                f"{shape.hosts} hosts.",
                remedy=f"Set {valid}.",
            )


def _limits_per_zone(pool: Object) -> Iterator[Edit]:
    """The limits of a multi-host pool: none or all hosts of its one slice."""
    shape = shape_of(pool)
    if shape is not None:
        for key in _TOTALS:
            yield Edit(("autoscaling", key), None)
        yield Edit(("autoscaling", "minNodeCount"), 0)
        yield Edit(("autoscaling", "maxNodeCount"), shape.hosts)


@object_rule(
    summary="a multi-host pool is autoscaled by limits per zone, not by totals",
    why="Its nodes are in one zone and come at once; the API takes totals for other pools only.",
    source="answers of the API in field reports, 2026-08",
    kinds=(kinds.NODE_POOL,),
    fix=_limits_per_zone,
)
def _slice_limits_are_per_zone(pool: Object) -> Iterator[Finding]:
    shape, limits = multi_host(pool), pool.part("autoscaling")
    if shape is None or limits is None:
        return
    for key in _TOTALS:
        if limits.whole(key):
            yield about_key(
                place=limits.place.at(key),
                says="it limits the nodes of all zones together.",
                remedy=f"Set minNodeCount: 0 and maxNodeCount: {shape.hosts} instead.",
            )


@object_rule(
    summary="TPU hosts boot from a disk type that their machine type takes",
    why="Compute Engine refuses the machine, and the pool ends in an error without a node.",
    source=_AUTOSCALER,
    kinds=(kinds.NODE_POOL,),
)
def _boot_disk_fits_machine(pool: Object) -> Iterator[Finding]:
    generation = generation_of(pool)
    if generation is None:
        return
    for keys in _BOOT_DISKS:
        disk = pool.text(*keys)
        if disk is not None and disk not in generation.boot_disks:
            yield Finding(
                place=pool.place.at(*keys),
                says=f"{generation.marketing} hosts do not boot from {disk}.",
                remedy=f"Set {listing(generation.boot_disks, 'or')}.",
            )


def _limits(pool: Object) -> Part | None:
    """The limits of an autoscaled pool; None for multi-host slices, to which rules of their own apply."""
    return None if multi_host(pool) is not None else pool.part("autoscaling")


@object_rule(
    summary="a pool is autoscaled by limits per zone or by totals, not by both",
    why="The API takes one of the two.",
    source="documentation of the google provider, container_node_pool, autoscaling",
    kinds=(kinds.NODE_POOL,),
)
def _limits_are_of_one_kind(pool: Object) -> Iterator[Finding]:
    limits = _limits(pool)
    if limits is None or not any(limits.whole(key) for key in _PER_ZONE):
        return
    for key in _TOTALS:
        if limits.whole(key):
            yield about_key(
                place=limits.place.at(key),
                says="it limits the nodes of all zones together, and limits per zone are stated too.",
                remedy="Remove it, or remove minNodeCount and maxNodeCount.",
            )


@object_rule(
    summary="an autoscaled pool may have at least one node",
    why="The API refuses limits whose maxima are both zero.",
    source="terraform-google-modules/terraform-google-kubernetes-engine issue 1554",
    kinds=(kinds.NODE_POOL,),
)
def _autoscaling_has_a_maximum(pool: Object) -> Iterator[Finding]:
    limits = _limits(pool)
    if limits is not None and not any(limits.whole(key) for key in (_PER_ZONE[1], _TOTALS[1])):
        yield Finding(
            place=limits.place,
            says="neither maxNodeCount nor totalMaxNodeCount is above 0.",
            remedy="Set maxNodeCount, the most nodes in each zone, to 1 or more; or remove autoscaling.",
        )


@object_rule(
    summary="the minimum number of nodes is not above the maximum",
    why="Nothing checks it before the API, which refuses it.",
    source="hashicorp/terraform-provider-google issue 5441",
    kinds=(kinds.NODE_POOL,),
)
def _limits_are_in_order(pool: Object) -> Iterator[Finding]:
    limits = _limits(pool)
    if limits is None:
        return
    for low, high in (_PER_ZONE, _TOTALS):
        least, most = limits.count(low), limits.whole(high)
        if most and least > most:
            yield Finding(
                place=limits.place.at(low),
                says=f"{counted(least, 'node')} at least; {high} is {most}.",
                remedy=f"Set {most} or less, or raise {high}.",
            )


@object_rule(
    summary="a pool states nodeCount or initialNodeCount, not both",
    why="The provider refuses both together.",
    source="google provider, container node pool, expandNodePool",
    kinds=(kinds.NODE_POOL,),
)
def _node_count_is_stated_once(pool: Object) -> Iterator[Finding]:
    first, count = pool.whole("initialNodeCount"), pool.whole("nodeCount")
    if first and count:
        yield about_key(
            place=pool.place.at("initialNodeCount"),
            says=f"{counted(first, 'node')} at first, but nodeCount is {count}.",
            remedy="Keep nodeCount; for an autoscaled pool keep initialNodeCount.",
        )


@object_rule(
    summary="an autoscaled pool states no fixed number of nodes",
    why="Every update would undo what the autoscaler did, unless changes of the number are ignored.",
    source="hashicorp/terraform-provider-google issue 9570",
    kinds=(kinds.NODE_POOL,),
    severity=Severity.WARNING,
)
def _autoscaler_owns_the_count(pool: Object) -> Iterator[Finding]:
    if pool.part("autoscaling") is None or pool.flag("ignoreNodeCountChanges"):
        return
    count = pool.whole("nodeCount")
    is_told_elsewhere = pool.flag("nodeConfig", "flexStart") and count
    if count is not None and not is_told_elsewhere:
        yield about_key(
            place=pool.place.at("nodeCount"),
            says=f"{counted(count, 'node')}, but the autoscaler changes their number.",
            remedy=f"Set initialNodeCount: {count} instead, and ignore its changes.",
        )


@object_rule(
    summary="nodes are upgraded by a strategy that exists",
    why="The provider refuses others.",
    source="documentation of the google provider, container_node_pool, upgrade_settings",
    kinds=(kinds.NODE_POOL,),
)
def _upgrade_strategy_is_known(pool: Object) -> Iterator[Finding]:
    strategy = pool.text("upgradeSettings", "strategy")
    if strategy is not None and strategy not in _STRATEGIES:
        yield Finding(
            place=pool.place.at("upgradeSettings", "strategy"),
            says=f"{strategy} is not an upgrade strategy.",
            remedy=f"Set {listing(_STRATEGIES, 'or')}.",
        )


@world_rule(
    summary="the node version supports the machine type and capacity type of its pool",
    why="On older nodes the API does not know the machine type or the setting.",
    source="components/model/facts/floors.py and tpu_catalogue.py",
    kinds=(kinds.NODE_POOL,),
    scope=Scope.OBJECT,
)
def _pool_version_floor(pool: Object, world: World) -> Iterator[Finding]:
    stated, meant = pool.text("version"), world.releases.get("gke")
    version, called = (meant, f"GKE {meant}, the release that is meant,") if stated is None else (stated, stated)
    if version is None:
        return
    for what, first in _floors(pool):
        if not gke.can_be_at_least(version, first):
            yield Finding(
                place=pool.place.at("version"),
                says=f"{called} is older than the first version with {what}.",
                remedy=f"Set {first} or newer, or leave the version to the cluster.",
            )


def _floors(pool: Object) -> Iterator[tuple[str, str]]:
    """The features of the pool that need a first version, each with that version."""
    machine_type = pool.string("nodeConfig", "machineType")
    if tpu.is_tpu_machine(machine_type):
        generation = tpu.generation_of(machine_type)
        if generation.minimum_version is not None:
            yield generation.marketing, generation.minimum_version
        if capacity_of(pool) == "flex-start":
            yield "flex-start TPUs", floors.FLEX_START_TPU
    if pool.flag("queuedProvisioning", "enabled"):
        yield "queued provisioning", floors.QUEUED_PROVISIONING
