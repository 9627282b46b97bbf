"""Private services access: ranges of a network that are kept for Google's services, and the peering that uses them.

An instance of Managed Lustre takes its address from such a range.

Source of the texts: answers of the Compute Engine and Service Networking APIs as quoted in public issue reports, read
2026-11, except those about the length and the place of a range, which are ours.
"""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING, ClassVar, Final

from simulator.cloud import ranges
from simulator.cloud.api import Body, Kind, invalid, invalid_value, refusal
from simulator.cloud.names import api_name, from_reference, parts_of, self_link
from simulator.cloud.networks import find_network, numeric_id, taken_ranges
from simulator.cloud.service import ComputeService, Request, Service, check_compute_name, in_use, merged

if TYPE_CHECKING:
    from simulator.cloud.store import View

GOOGLES_SERVICES: Final = "servicenetworking.googleapis.com"
"""The service whose connection gives Google's own services addresses in a network."""
_PURPOSE: Final = "VPC_PEERING"
_SEARCHED: Final = "10.0.0.0/8"
_SHORTEST: Final = 8
_LONGEST: Final = 29


class GlobalAddresses(ComputeService):
    """Ranges that a network keeps for Google's services."""

    kind: ClassVar[Kind] = Kind.GLOBAL_ADDRESS
    mutable: ClassVar[frozenset[str]] = frozenset(("labels",))

    def admit_create(self, request: Request) -> Body:
        """Refused when it is not a range for a peering, or overlaps what the network uses."""
        parts = parts_of(Kind.GLOBAL_ADDRESS, request.name)
        check_compute_name(parts["name"])
        body = request.body
        if body.get("purpose") != _PURPOSE or body.get("addressType") != "INTERNAL":
            raise invalid_value(
                "resource.purpose",
                body.get("purpose", ""),
                f"The simulated cloud has global addresses of addressType INTERNAL and purpose {_PURPOSE} alone.",
            )
        network, _ = find_network(request.changes, body.get("network") or "", parts["project"])
        prefix = int(body.get("prefixLength") or 0)
        if not _SHORTEST <= prefix <= _LONGEST:
            raise invalid_value("resource.prefixLength", prefix, f"Must be between {_SHORTEST} and {_LONGEST}.")
        return {
            **body,
            "name": parts["name"],
            "id": numeric_id(request.name),
            "network": self_link(Kind.NETWORK, network),
            "address": _address(request.changes, network, body.get("address"), prefix),
            "prefixLength": prefix,
            "creationTimestamp": self.now(),
            "selfLink": self_link(Kind.GLOBAL_ADDRESS, request.name),
            "status": "RESERVED",
        }

    def admit_delete(self, request: Request) -> Body:
        """Refused while a connection uses the range."""
        own = parts_of(Kind.GLOBAL_ADDRESS, request.name)["name"]
        for connection, body in request.changes.list(Kind.CONNECTION):
            if own in body["reservedPeeringRanges"] and _network_of(connection) == _network_in(request.current):
                raise in_use("global_address", request.name, connection)
        return request.current


def _address(view: View, network: str, wanted: str | None, prefix: int) -> str:
    taken = taken_ranges(view, network)
    if not wanted:
        found = ranges.free_range(_SEARCHED, prefix, taken)
        if found is None:
            raise refusal("RESOURCE_EXHAUSTED", f"No free /{prefix} range is left in network {network}.")
        return found.partition("/")[0]
    cidr = str(ranges.network(f"{wanted}/{prefix}", "resource.address"))
    clash = next((other for other in taken if ranges.overlap(cidr, other)), None)
    if clash is not None:
        raise invalid_value(
            "resource.address", wanted, f"Requested range {cidr} conflicts with {clash}, which the network uses."
        )
    return wanted


class Connections(Service):
    """Connections of networks to the services of a producer; the API has one for each network and producer."""

    kind: ClassVar[Kind] = Kind.CONNECTION
    mutable: ClassVar[frozenset[str]] = frozenset(("reservedPeeringRanges",))
    taken: ClassVar[str] = "Cannot modify allocated ranges in CreateConnection. Please use UpdateConnection."

    def admit_create(self, request: Request) -> Body:
        """Refused when the network or a range does not exist."""
        parts = parts_of(Kind.CONNECTION, request.name)
        find_network(request.changes, parts["network"], parts["project"])
        if parts["name"] != GOOGLES_SERVICES:
            raise invalid(f"service {parts['name']} is not {GOOGLES_SERVICES}")
        document = {
            **request.body,
            "network": _network_of(request.name),
            "service": parts["name"],
            "peering": parts["name"].replace(".", "-"),
        }
        _check_ranges(request.changes, request.name, document)
        return document

    def admit_update(self, request: Request) -> Body:
        """Other ranges; those that instances use stay."""
        document = merged(request.current, request.body)
        _check_ranges(request.changes, request.name, document)
        return document

    def admit_delete(self, request: Request) -> Body:
        """Refused while an instance has an address of the connection."""
        network = _network_of(request.name)
        if any(body["network"] == network for _, body in request.changes.list(Kind.LUSTRE)):
            raise refusal(
                "FAILED_PRECONDITION",
                "Failed to delete connection; Producer services (e.g. CloudSQL, Cloud Memstore, etc.) are still using "
                "this connection.",
            )
        return request.current


def _check_ranges(view: View, name: str, document: Body) -> None:
    project = parts_of(Kind.CONNECTION, name)["project"]
    for own in _ranges_in(document):
        record = view.get(api_name(Kind.GLOBAL_ADDRESS, project=project, name=own))
        if record is None or _network_in(record) != document["network"]:
            raise invalid(f"Cannot find an allocated range named {own} in network {document['network']}.")


def _network_of(connection: str) -> str:
    parts = parts_of(Kind.CONNECTION, connection)
    return api_name(Kind.NETWORK, project=parts["project"], name=parts["network"])


def _network_in(address: Body) -> str:
    return from_reference(Kind.NETWORK, address["network"])


def peered_ranges(view: View, network: str) -> list[str]:
    """The ranges that Google's services may take addresses of in a network (an API name); none without a connection."""
    parts = parts_of(Kind.NETWORK, network)
    name = api_name(Kind.CONNECTION, project=parts["project"], network=parts["name"], name=GOOGLES_SERVICES)
    record = view.get(name)
    if record is None:
        return []
    names = [api_name(Kind.GLOBAL_ADDRESS, project=parts["project"], name=own) for own in _ranges_in(record)]
    found = [address for name in names if (address := view.get(name)) is not None]
    return [f"{body['address']}/{body['prefixLength']}" for body in found]


def _ranges_in(connection: Body) -> list[str]:
    return connection.get("reservedPeeringRanges") or []


def free_address(within: list[str], prefix: int, taken: list[str]) -> tuple[str, str] | None:
    """A free range of `/prefix` in one of the ranges, and an address in it; None when there is none."""
    fitting = (each for each in within if ipaddress.IPv4Network(each).prefixlen <= prefix)
    found = next((free for each in fitting if (free := ranges.free_range(each, prefix, taken)) is not None), None)
    return None if found is None else (found, str(ipaddress.IPv4Network(found)[2]))
