"""Rules about the capacity type of node pools: on-demand, spot, reserved, flex-start with and without a queue.

Flex-start and queued provisioning are of GPUs too, and the API answers the same there.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from components.model.facts import gke, kinds
from components.model.findings import Finding, Severity, about_key, counted, did_you_mean, listing
from components.model.rule import Family
from policies.objects.judging import object_rule
from policies.objects.rebuilding.pools import is_flex_start, multi_host, single_host

if TYPE_CHECKING:
    from collections.abc import Iterator

    from policies.objects.world import Object

FAMILY: Final = Family.TOPOLOGY

_TOOLKIT: Final = "GoogleCloudPlatform/cluster-toolkit @10470803, modules/compute/gke-node-pool"
_NODE: Final = "nodeConfig"
_AFFINITY: Final = (_NODE, "reservationAffinity")
_CONSUMES: Final = (*_AFFINITY, "consumeReservationType")
_SPECIFIC: Final = "SPECIFIC_RESERVATION"
_NONE: Final = "NO_RESERVATION"
_AFFINITIES: Final = ("UNSPECIFIED", _NONE, "ANY_RESERVATION", _SPECIFIC, "ANY_RESERVATION_THEN_FAIL")
_UNRESERVED: Final = (None, "UNSPECIFIED", _NONE)
_SPOT: Final = ("spot", "preemptible")
_API: Final = "answers of the API in field reports on flex-start node pools, 2026-08"
_GKE: Final = 'GKE documentation "About TPU capacity: flex-start", read 2026-11'
_RUN: Final = (_NODE, "maxRunDuration")
_REPAIR: Final = ("management", "autoRepair")
_SECONDS: Final = re.compile(r"[0-9]+s")


def _is_queued(pool: Object) -> bool:
    return pool.flag("queuedProvisioning", "enabled") is True


@object_rule(
    summary="a pool of queued provisioning may be without nodes",
    why="Its nodes come for a ProvisioningRequest alone; the API refuses a minimum.",
    source=_TOOLKIT,
    kinds=(kinds.NODE_POOL,),
)
def _queued_pool_has_no_minimum(pool: Object) -> Iterator[Finding]:
    for key in ("minNodeCount", "totalMinNodeCount") if _is_queued(pool) else ():
        least = pool.whole("autoscaling", key)
        if least:
            yield Finding(
                place=pool.place.at("autoscaling", key),
                says=f"{counted(least, 'node')} at least; queued nodes come for a ProvisioningRequest alone.",
                remedy="Set 0.",
            )


@object_rule(
    summary="a pool of queued provisioning is neither spot nor of a reservation",
    why="A queued pool requests its machines through the queue; the API refuses both.",
    source=_TOOLKIT,
    kinds=(kinds.NODE_POOL,),
)
def _queued_takes_no_other_capacity(pool: Object) -> Iterator[Finding]:
    if not _is_queued(pool) or is_flex_start(pool):
        return
    consumed = pool.text(*_CONSUMES)
    if consumed not in _UNRESERVED:
        yield Finding(
            place=pool.place.at(*_CONSUMES),
            says=f"{consumed} is stated; queued nodes are not of a reservation.",
            remedy=f"Set {_NONE}.",
        )
    for key in _SPOT:
        if pool.flag(_NODE, key):
            yield about_key(
                place=pool.place.at(_NODE, key),
                says=f"the pool is {key} and queued.",
                remedy=f"Remove {key}, or remove queuedProvisioning.",
            )


@object_rule(
    summary="a pool's affinity to reservations is one that GKE has",
    why="The API refuses others.",
    source="GKE API, ReservationAffinity",
    kinds=(kinds.NODE_POOL,),
)
def _reservation_affinity_is_known(pool: Object) -> Iterator[Finding]:
    consumed = pool.text(*_CONSUMES)
    if consumed is not None and consumed not in _AFFINITIES and not is_flex_start(pool):
        yield Finding(
            place=pool.place.at(*_CONSUMES),
            says=f"{consumed} is not a reservation affinity.",
            remedy=f"{did_you_mean(consumed, _AFFINITIES)}There are {listing(_AFFINITIES)}.",
        )


@object_rule(
    summary="a pool of a specific reservation names exactly one, by its key; others name none",
    why="The API refuses everything else.",
    source=_TOOLKIT,
    kinds=(kinds.NODE_POOL,),
)
def _one_reservation_is_named(pool: Object) -> Iterator[Finding]:
    affinity = pool.part(*_AFFINITY)
    if affinity is None:
        return
    consumed = affinity.text("consumeReservationType")
    key, values = affinity.text("key"), affinity.texts("values")
    if consumed == _SPECIFIC:
        if key != gke.RESERVATION_KEY:
            yield Finding(
                place=affinity.place.at("key"),
                says=f"{'no key' if key is None else key} is stated; a reservation is named by {gke.RESERVATION_KEY}.",
                remedy=f"Set {gke.RESERVATION_KEY}.",
            )
        if len(values) != 1:
            yield Finding(
                place=affinity.place.at("values"),
                says=f"{counted(len(values), 'reservation')} are named.",
                remedy="Name one, as NAME or projects/PROJECT/reservations/NAME; another reservation is another pool.",
            )
    elif key is not None or values:
        yield about_key(
            place=affinity.place.at("key" if key is not None else "values"),
            says=f"a reservation is named; with {'no stated affinity' if consumed is None else consumed} none can be.",
            remedy=f"Remove key and values, or set consumeReservationType: {_SPECIFIC}.",
        )


@object_rule(
    summary="a spot pool is not of a reservation",
    why="Reserved capacity is not spot capacity; the API takes one of both.",
    source=_TOOLKIT,
    kinds=(kinds.NODE_POOL,),
)
def _spot_takes_no_reservation(pool: Object) -> Iterator[Finding]:
    if _is_queued(pool) or is_flex_start(pool) or pool.text(*_CONSUMES) != _SPECIFIC:
        return
    for key in _SPOT:
        if pool.flag(_NODE, key):
            yield about_key(
                place=pool.place.at(_NODE, key),
                says=f"the pool is {key}, and of a reservation.",
                remedy=f"Remove {key}, or set {_NONE}.",
            )


@object_rule(
    summary="a flex-start pool is autoscaled",
    why="Its nodes come when pods wait for them; the API refuses the pool otherwise.",
    source=_API,
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
    summary="a flex-start pool has no nodes at first",
    why="The API refuses it otherwise.",
    source=_API,
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
    summary="a flex-start pool says that it takes no reservation",
    why="The API refuses the pool unless it says so.",
    source=_API,
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
    summary="a pool is flex-start or spot, not both",
    why="A pool has one capacity type; the API refuses two.",
    source=_TOOLKIT,
    kinds=(kinds.NODE_POOL,),
)
def _flex_start_is_not_spot(pool: Object) -> Iterator[Finding]:
    for key in _SPOT if is_flex_start(pool) else ():
        if pool.flag(_NODE, key):
            yield about_key(
                place=pool.place.at(_NODE, key),
                says=f"the pool is {key} and flex-start.",
                remedy=f"Remove {key}, or remove flexStart.",
            )


@object_rule(
    summary="the hosts of a flex-start slice are not repaired one by one",
    why="A slice that lost a host is recreated as a whole, when there is capacity for all of it.",
    source=f"{_GKE}; {_TOOLKIT}",
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
    summary="single flex-start hosts are not repaired",
    why="A repair ends the node, and its successor waits for capacity again. Sources turn it off, but GKE may not "
    "require that.",
    source=_TOOLKIT,
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
    summary="maxRunDuration is a number of seconds followed by s",
    why="The API accepts a duration in no other form.",
    source="GKE API, NodeConfig.maxRunDuration",
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
