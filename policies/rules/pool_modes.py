"""Rules about capacity types other than flex-start: queued, spot, reserved.

Queued provisioning is of GPUs too, and the API answers the same there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import gke, kinds
from components.model.findings import Finding, counted, did_you_mean, listing
from components.model.rule import Family
from policies.objects.judging import object_rule
from policies.objects.rebuilding.pool_hosts import is_flex_start

if TYPE_CHECKING:
    from collections.abc import Iterator

    from policies.objects.world import Object

_TOOLKIT: Final = "GoogleCloudPlatform/cluster-toolkit @10470803, modules/compute/gke-node-pool"
_NODE: Final = "nodeConfig"
_AFFINITY: Final = (_NODE, "reservationAffinity")
_CONSUMES: Final = (*_AFFINITY, "consumeReservationType")
_SPECIFIC: Final = "SPECIFIC_RESERVATION"
_NONE: Final = "NO_RESERVATION"
_AFFINITIES: Final = ("UNSPECIFIED", _NONE, "ANY_RESERVATION", _SPECIFIC, "ANY_RESERVATION_THEN_FAIL")
_UNRESERVED: Final = (None, "UNSPECIFIED", _NONE)
_SPOT: Final = ("spot", "preemptible")


def _is_queued(pool: Object) -> bool:
    return pool.flag("queuedProvisioning", "enabled") is True


@object_rule(
    "queued-pool-has-no-minimum",
    summary="a pool of queued provisioning may be without nodes",
    why="Its nodes come for a ProvisioningRequest alone; the API refuses a minimum.",
    source=_TOOLKIT,
    family=Family.TOPOLOGY,
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
    "queued-takes-no-other-capacity",
    summary="a pool of queued provisioning is neither spot nor of a reservation",
    why="A queued pool requests its machines through the queue; the API refuses both.",
    source=_TOOLKIT,
    family=Family.TOPOLOGY,
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
            yield Finding(
                place=pool.place.at(_NODE, key),
                says=f"the pool is {key} and queued.",
                remedy=f"Remove {key}, or remove queuedProvisioning.",
                is_about_key=True,
            )


@object_rule(
    "reservation-affinity-is-known",
    summary="a pool's affinity to reservations is one that GKE has",
    why="The API refuses others.",
    source="GKE API, ReservationAffinity",
    family=Family.TOPOLOGY,
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
    "one-reservation-is-named",
    summary="a pool of a specific reservation names exactly one, by its key; others name none",
    why="The API refuses everything else.",
    source=_TOOLKIT,
    family=Family.TOPOLOGY,
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
        yield Finding(
            place=affinity.place.at("key" if key is not None else "values"),
            says=f"a reservation is named; with {'no stated affinity' if consumed is None else consumed} none can be.",
            remedy=f"Remove key and values, or set consumeReservationType: {_SPECIFIC}.",
            is_about_key=True,
        )


@object_rule(
    "spot-takes-no-reservation",
    summary="a spot pool is not of a reservation",
    why="Reserved capacity is not spot capacity; the API takes one of both.",
    source=_TOOLKIT,
    family=Family.TOPOLOGY,
    kinds=(kinds.NODE_POOL,),
)
def _spot_takes_no_reservation(pool: Object) -> Iterator[Finding]:
    if _is_queued(pool) or is_flex_start(pool) or pool.text(*_CONSUMES) != _SPECIFIC:
        return
    for key in _SPOT:
        if pool.flag(_NODE, key):
            yield Finding(
                place=pool.place.at(_NODE, key),
                says=f"the pool is {key}, and of a reservation.",
                remedy=f"Remove {key}, or set {_NONE}.",
                is_about_key=True,
            )


POOL_MODE_RULES: Final = (
    _queued_pool_has_no_minimum,
    _queued_takes_no_other_capacity,
    _reservation_affinity_is_known,
    _one_reservation_is_named,
    _spot_takes_no_reservation,
)
