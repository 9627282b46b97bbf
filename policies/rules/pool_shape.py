"""Rules about the shape of TPU node pools as they are registered: how many nodes, booting from what.

A multi-host slice is one node pool: its hosts come together or not at all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import kinds
from components.model.findings import Finding, counted, listing
from components.model.rule import Edit, Family
from policies.objects.judging import object_rule
from policies.objects.rebuilding.pool_hosts import generation_of, multi_host, shape_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from policies.objects.world import Object

_AUTOSCALER: Final = "GoogleCloudPlatform/cluster-autoscaler @7d250507"
_FIXED_COUNTS: Final = ("nodeCount", "initialNodeCount")
_TOTALS: Final = ("totalMinNodeCount", "totalMaxNodeCount")
"""The provider sends those that are not stated as 0, so that 0 is as good as none."""
_BOOT_DISKS: Final = (("nodeConfig", "diskType"), ("nodeConfig", "bootDisk", "diskType"))


@object_rule(
    "slice-has-all-its-nodes",
    summary="a multi-host pool has as many nodes as its slice has hosts, or none",
    why="The hosts of a slice are made together; the API refuses any other number.",
    source=_AUTOSCALER,
    family=Family.TOPOLOGY,
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
    "slice-scales-whole",
    summary="an autoscaled multi-host pool has no node or all hosts of its slice",
    why="The autoscaler makes a slice whole or not at all; with other limits it never makes it.",
    source=_AUTOSCALER,
    family=Family.TOPOLOGY,
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
    "slice-limits-are-per-zone",
    summary="a multi-host pool is autoscaled by limits per zone, not by totals",
    why="Its nodes are in one zone and come at once; the API takes totals for other pools only.",
    source="answers of the API in field reports, 2026-08",
    family=Family.TOPOLOGY,
    kinds=(kinds.NODE_POOL,),
    fix=_limits_per_zone,
)
def _slice_limits_are_per_zone(pool: Object) -> Iterator[Finding]:
    shape, limits = multi_host(pool), pool.part("autoscaling")
    if shape is None or limits is None:
        return
    for key in _TOTALS:
        if limits.whole(key):
            yield Finding(
                place=limits.place.at(key),
                says="it limits the nodes of all zones together.",
                remedy=f"Set minNodeCount: 0 and maxNodeCount: {shape.hosts} instead.",
                is_about_key=True,
            )


@object_rule(
    "boot-disk-fits-machine",
    summary="TPU hosts boot from a disk type that their machine type takes",
    why="Compute Engine refuses the machine, and the pool ends in an error without a node.",
    source=_AUTOSCALER,
    family=Family.TOPOLOGY,
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


POOL_SHAPE_RULES: Final = (
    _slice_has_all_its_nodes,
    _slice_scales_whole,
    _slice_limits_are_per_zone,
    _boot_disk_fits_machine,
)
