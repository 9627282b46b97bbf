"""Rules about the shape of TPU node pools as they are registered: how many nodes, where, placed how.

A multi-host slice is one node pool: its hosts come together or not at all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model import tpu
from components.model.findings import Finding, listing
from components.model.objects import kinds
from components.model.objects.judging import Family, object_rule
from components.model.objects.rebuilding.pools import shape_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from components.model.objects.world import Object

_AUTOSCALER: Final = "GoogleCloudPlatform/cluster-autoscaler @7d250507"
_FIXED_COUNTS: Final = ("nodeCount", "initialNodeCount")
_TOTALS: Final = ("totalMinNodeCount", "totalMaxNodeCount")


def _multi_host(pool: Object) -> tpu.Shape | None:
    """The slice, where it has several hosts."""
    shape = shape_of(pool)
    return shape if shape is not None and shape.kind is tpu.HostKind.MULTI else None


@object_rule(
    "slice-has-all-its-nodes",
    summary="a multi-host pool has as many nodes as its slice has hosts, or none",
    why="The hosts of a slice are made together; the API refuses any other number.",
    source=_AUTOSCALER,
    family=Family.TOPOLOGY,
    kinds=(kinds.NODE_POOL,),
)
def _slice_has_all_its_nodes(pool: Object) -> Iterator[Finding]:
    shape = _multi_host(pool)
    for key in _FIXED_COUNTS if shape is not None else ():
        count = pool.whole(key)
        if shape is not None and count not in (None, 0, shape.hosts):
            yield Finding(
                place=pool.place.at(key),
                says=f"{count} nodes; a {shape.topology} slice of {shape.machine.name} is {shape.hosts} hosts.",
                remedy=f"Set {shape.hosts}; another slice is another pool.",
            )


@object_rule(
    "slice-scales-whole",
    summary="an autoscaled multi-host pool goes between no node and all hosts of its slice",
    why="The autoscaler makes a slice whole or not at all; with other limits it never makes it.",
    source=_AUTOSCALER,
    family=Family.TOPOLOGY,
    kinds=(kinds.NODE_POOL,),
)
def _slice_scales_whole(pool: Object) -> Iterator[Finding]:
    shape, limits = _multi_host(pool), pool.part("autoscaling")
    if shape is None or limits is None or any(limits.has(key) for key in _TOTALS):
        return
    for key, allowed in (("minNodeCount", (None, 0, shape.hosts)), ("maxNodeCount", (shape.hosts,))):
        count = limits.whole(key)
        if count not in allowed:
            valid = listing([str(each) for each in allowed if each is not None], "or")
            yield Finding(
                place=limits.place.at(key),
                says=f"{'no' if count is None else count} nodes; a {shape.topology} slice of {shape.machine.name} is "
                f"{shape.hosts} hosts.",
                remedy=f"Set {valid}.",
            )


@object_rule(
    "slice-limits-are-per-zone",
    summary="a multi-host pool is autoscaled by limits per zone, not by totals",
    why="Its nodes are in one zone and come at once; the API takes totals for other pools only.",
    source="answers of the API in field reports, 2026-08",
    family=Family.TOPOLOGY,
    kinds=(kinds.NODE_POOL,),
)
def _slice_limits_are_per_zone(pool: Object) -> Iterator[Finding]:
    shape, limits = _multi_host(pool), pool.part("autoscaling")
    for key in _TOTALS if shape is not None and limits is not None else ():
        if limits is not None and shape is not None and limits.has(key):
            yield Finding(
                place=limits.place.at(key),
                says="it limits the nodes of all zones together.",
                remedy=f"Set minNodeCount: 0 and maxNodeCount: {shape.hosts} instead.",
                is_about_key=True,
            )


POOL_SHAPE_RULES: Final = (
    _slice_has_all_its_nodes,
    _slice_scales_whole,
    _slice_limits_are_per_zone,
)
