"""Address ranges of a cluster, as far as its own fields and its subnetwork's state them."""

from __future__ import annotations

from ipaddress import IPv4Network
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from components.model.facts import kinds
from policies.objects.values import MalformedError, Part

if TYPE_CHECKING:
    from collections.abc import Iterator

    from components.model.places import Key, Place
    from policies.objects.world import Object, World

_POLICY: Final = "ipAllocationPolicy"


class Range(Struct, frozen=True):
    """Addresses that are set aside for something."""

    what: str
    """Such as `pods`."""
    place: Place
    addresses: IPv4Network


def range_at(part: Part, *path: Key) -> IPv4Network | None:
    """The address range at `path`, whatever bits of it are set; None where there is none."""
    stated = part.text(*path)
    return None if stated is None else checked_range(stated, part.place.at(*path))


def checked_range(stated: str, place: Place) -> IPv4Network:
    """The address range that a text states.

    Raises:
        MalformedError: it states none.
    """
    try:
        if "/" in stated:
            return IPv4Network(stated, strict=False)
    except ValueError:
        pass
    raise MalformedError(place, stated, "an address range such as 10.0.0.0/16")


def subnetwork_of(cluster: Object, world: World) -> Object | None:
    """The subnetwork that a cluster names, by name or link; None where it is not among the objects."""
    name = cluster.string("subnetwork").rpartition("/")[2]
    return world.named(kinds.SUBNETWORK, name) if name else None


def pod_range(cluster: Object, world: World) -> Range | None:
    """The range of the cluster's pods; None where it is not stated, or is left to GKE."""
    return next((each for each in _of_policy(cluster, world) if each.what == "pods"), None)


def ranges_of(cluster: Object, world: World) -> Iterator[Range]:
    """Every range of a cluster that is stated."""
    subnetwork = subnetwork_of(cluster, world)
    if subnetwork is not None:
        yield from _stated("nodes", subnetwork, "ipCidrRange")
    yield from _of_policy(cluster, world)
    yield from _stated("the control plane", cluster, "privateClusterConfig", "masterIpv4CidrBlock")


def _of_policy(cluster: Object, world: World) -> Iterator[Range]:
    """Ranges of pods and services: stated in the cluster, or by name in its subnetwork."""
    for what, block, name in (
        ("pods", "clusterIpv4CidrBlock", "clusterSecondaryRangeName"),
        ("services", "servicesIpv4CidrBlock", "servicesSecondaryRangeName"),
    ):
        if not cluster.string(_POLICY, block).startswith("/"):
            yield from _stated(what, cluster, _POLICY, block)
        named = cluster.text(_POLICY, name)
        subnetwork = None if named is None else subnetwork_of(cluster, world)
        for part in () if subnetwork is None else subnetwork.parts("secondaryIpRanges"):
            if part.text("rangeName") == named:
                yield from _stated(what, part, "ipCidrRange")


def _stated(what: str, part: Part, *path: Key) -> Iterator[Range]:
    found = range_at(part, *path)
    if found is not None:
        yield Range(what, part.place.at(*path), found)
