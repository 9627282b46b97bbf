"""Rules about flex-start: machines that are provisioned when pods wait for them, and how long they stay.

Flex-start is of GPUs too, and the API answers the same there.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from components.model.facts import gke, kinds
from components.model.findings import Finding, Severity, counted
from components.model.rule import Family
from policies.objects.judging import object_rule
from policies.objects.rebuilding.pool_hosts import is_flex_start, multi_host, single_host

if TYPE_CHECKING:
    from collections.abc import Iterator

    from policies.objects.world import Object

_API: Final = "answers of the API in field reports on flex-start node pools, 2026-08"
_TOOLKIT: Final = "GoogleCloudPlatform/cluster-toolkit @10470803, modules/compute/gke-node-pool"
_GKE: Final = 'GKE documentation "About TPU capacity: flex-start", read 2026-11'
_NODE: Final = "nodeConfig"
_CONSUMES: Final = (_NODE, "reservationAffinity", "consumeReservationType")
_RUN: Final = (_NODE, "maxRunDuration")
_REPAIR: Final = ("management", "autoRepair")
_NONE: Final = "NO_RESERVATION"
_SPOT: Final = ("spot", "preemptible")
_SECONDS: Final = re.compile(r"[0-9]+s")


@object_rule(
    "flex-start-is-autoscaled",
    summary="a flex-start pool is autoscaled",
    why="Its nodes come when pods wait for them; the API refuses the pool otherwise.",
    source=_API,
    family=Family.TOPOLOGY,
    kinds=(kinds.NODE_POOL,),
)
def _flex_start_is_autoscaled(pool: Object) -> Iterator[Finding]:
    if is_flex_start(pool) and pool.part("autoscaling") is None:
        shape = multi_host(pool)
        most = 1 if shape is None else shape.hosts
        yield Finding(
            place=pool.place.at("autoscaling"),
            says="the pool is not autoscaled, but flex-start nodes come and go with the workloads.",
            remedy=f"Add autoscaling: {{minNodeCount: 0, maxNodeCount: {most}}}.",
        )


@object_rule(
    "flex-start-begins-empty",
    summary="a flex-start pool has no nodes at first",
    why="The API refuses it otherwise.",
    source=_API,
    family=Family.TOPOLOGY,
    kinds=(kinds.NODE_POOL,),
)
def _flex_start_begins_empty(pool: Object) -> Iterator[Finding]:
    for key in ("nodeCount", "initialNodeCount") if is_flex_start(pool) else ():
        count = pool.whole(key)
        if count:
            yield Finding(
                place=pool.place.at(key),
                says=f"{counted(count, 'node')} at first; flex-start nodes come when pods wait for them.",
                remedy="Remove it." if key == "nodeCount" else "Set 0.",
            )


@object_rule(
    "flex-start-takes-no-reservation",
    summary="a flex-start pool says that it takes no reservation",
    why="The API refuses the pool unless it says so.",
    source=_API,
    family=Family.TOPOLOGY,
    kinds=(kinds.NODE_POOL,),
)
def _flex_start_takes_no_reservation(pool: Object) -> Iterator[Finding]:
    consumed = pool.string(*_CONSUMES, default="nothing")
    if is_flex_start(pool) and consumed != _NONE:
        yield Finding(
            place=pool.place.at(*_CONSUMES),
            says=f"{consumed} is stated; flex-start takes no reservations.",
            remedy=f"Set {_NONE}.",
        )


@object_rule(
    "flex-start-is-not-spot",
    summary="a pool is flex-start or spot, not both",
    why="A pool has one capacity type; the API refuses two.",
    source=_TOOLKIT,
    family=Family.TOPOLOGY,
    kinds=(kinds.NODE_POOL,),
)
def _flex_start_is_not_spot(pool: Object) -> Iterator[Finding]:
    for key in _SPOT if is_flex_start(pool) else ():
        if pool.flag(_NODE, key):
            yield Finding(
                place=pool.place.at(_NODE, key),
                says=f"the pool is {key} and flex-start.",
                remedy=f"Remove {key}, or remove flexStart.",
                is_about_key=True,
            )


@object_rule(
    "flex-start-slice-is-not-repaired",
    summary="the hosts of a flex-start slice are not repaired one by one",
    why="A slice that lost a host is recreated as a whole, when there is capacity for all of it.",
    source=f"{_GKE}; {_TOOLKIT}",
    family=Family.TOPOLOGY,
    kinds=(kinds.NODE_POOL,),
)
def _flex_start_slice_is_not_repaired(pool: Object) -> Iterator[Finding]:
    if is_flex_start(pool) and multi_host(pool) is not None and pool.flag(*_REPAIR) is not False:
        yield Finding(
            place=pool.place.at(*_REPAIR),
            says="GKE would repair the hosts of this flex-start slice: auto-repair is on unless you turn it off.",
            remedy="Set false.",
        )


@object_rule(
    "flex-start-host-is-not-repaired",
    summary="single flex-start hosts are not repaired",
    why="A repair ends the node, and its successor waits for capacity again. Sources turn it off, but GKE may not "
    "require that.",
    source=_TOOLKIT,
    family=Family.TOPOLOGY,
    kinds=(kinds.NODE_POOL,),
    severity=Severity.WARNING,
)
def _flex_start_host_is_not_repaired(pool: Object) -> Iterator[Finding]:
    if is_flex_start(pool) and single_host(pool) is not None and pool.flag(*_REPAIR) is not False:
        yield Finding(
            place=pool.place.at(*_REPAIR),
            says="GKE would repair flex-start hosts: auto-repair is on unless you turn it off.",
            remedy="Set false.",
        )


@object_rule(
    "run-time-is-in-seconds",
    summary="maxRunDuration is a number of seconds followed by s",
    why="The API accepts a duration in no other form.",
    source="GKE API, NodeConfig.maxRunDuration",
    family=Family.TOPOLOGY,
    kinds=(kinds.NODE_POOL,),
)
def _run_time_is_in_seconds(pool: Object) -> Iterator[Finding]:
    stated = pool.text(*_RUN)
    if stated is not None and _SECONDS.fullmatch(stated) is None:
        yield Finding(
            place=pool.place.at(*_RUN),
            says=f"{stated} is not a duration in seconds.",
            remedy=f"Such as {gke.FLEX_START_SECONDS}s, which is 7 days.",
        )


POOL_FLEX_START_RULES: Final = (
    _flex_start_is_autoscaled,
    _flex_start_begins_empty,
    _flex_start_takes_no_reservation,
    _flex_start_is_not_spot,
    _flex_start_slice_is_not_repaired,
    _flex_start_host_is_not_repaired,
    _run_time_is_in_seconds,
)
