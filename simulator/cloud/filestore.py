"""Filestore instances: tiers, capacities, addresses, and the states CREATING, READY, REPAIRING and DELETING.

The share is a folder of this machine, made with the instance and removed with it. Its capacity is not enforced.

Source of tiers and limits: Filestore documentation "Service tiers" and the instance resource of Google's Terraform
provider, read 2026-11. The sentences of the refusals are ours, except the one about deletion protection.
"""

from __future__ import annotations

import hashlib
import ipaddress
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

from simulator.cloud import locations, ranges
from simulator.cloud.api import Body, Kind, refusal
from simulator.cloud.clock import timestamp
from simulator.cloud.names import parts_of
from simulator.cloud.networks import find_network, taken_ranges
from simulator.cloud.service import Request, Service, merged

if TYPE_CHECKING:
    from simulator.cloud.api import Operation, OperationError
    from simulator.cloud.clock import Clock
    from simulator.cloud.shares import Shares
    from simulator.cloud.store import Changes, Store, View

_SHARE_NAME_LENGTH: Final = 16
_RESERVED_PREFIX: Final = 29
"""The range that an instance keeps for itself."""
_SEARCHED: Final = "10.0.0.0/8"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tier:
    lowest: int
    """GiB."""
    highest: int
    step: int = 1
    coarse_from: int | None = None
    """GiB from which capacity goes in steps of `coarse_step`."""
    coarse_step: int = 2560
    is_regional: bool = False
    is_basic: bool = False


_BASIC_HDD: Final = _Tier(lowest=1024, highest=65433, is_basic=True)
_BASIC_SSD: Final = _Tier(lowest=2560, highest=65433, is_basic=True)
_TIERS: Final = {
    "STANDARD": _BASIC_HDD,
    "BASIC_HDD": _BASIC_HDD,
    "PREMIUM": _BASIC_SSD,
    "BASIC_SSD": _BASIC_SSD,
    "HIGH_SCALE_SSD": _Tier(lowest=10240, highest=102400, step=2560),
    "ZONAL": _Tier(lowest=100, highest=102400, coarse_from=10240),
    "REGIONAL": _Tier(lowest=100, highest=102400, coarse_from=10240, is_regional=True),
    "ENTERPRISE": _Tier(lowest=1024, highest=10240, step=256, is_regional=True),
}


class Filestore(Service):
    """Filestore instances."""

    kind: ClassVar[Kind] = Kind.FILESTORE
    is_instant: ClassVar[bool] = False
    mutable: ClassVar[frozenset[str]] = frozenset(
        ("fileShares", "labels", "description", "deletionProtectionEnabled", "deletionProtectionReason")
    )

    def __init__(self, clock: Clock, store: Store, shares: Shares) -> None:
        """`clock` stamps instances; `shares` has the folders of their shares."""
        self._clock = clock
        self._store = store
        self._shares = shares

    def run(self, operation: Operation) -> None:
        """Make the folder of the share, or remove it with all that is in it."""
        name = operation["target"]
        match operation["verb"]:
            case "create":
                with self._store.look() as view:
                    record = view.get(name)
                if record is not None:
                    self._shares.make(name, record.body)
            case "delete":
                self._shares.remove(name)
            case _:
                pass

    def admit_create(self, request: Request) -> Body:
        """Refused when tier, place, share and network do not fit together."""
        parts = parts_of(Kind.FILESTORE, request.name)
        locations.check_location(parts["location"])
        tier = _tier(request.body)
        _check_place(tier, request.body["tier"], parts["location"])
        _check_share(tier, request.body)
        _check_protocol(tier, request.body)
        _check_protection(tier, request.body)
        network, _ = find_network(request.changes, request.body["networks"][0]["network"], parts["project"])
        now = timestamp(self._clock.now())
        return {
            "protocol": "NFS_V3",
            **request.body,
            "name": request.name,
            "state": "CREATING",
            "createTime": now,
            "etag": _etag(request.name, now),
            "networks": [_connect(request.changes, network, request.body["networks"][0])],
        }

    def admit_update(self, request: Request) -> Body:
        """Capacity, labels and protection; a basic tier does not shrink."""
        document = merged(request.current, request.body)
        tier = _tier(document)
        _check_share(tier, document)
        _check_protection(tier, document)
        if tier.is_basic and _capacity(document) < _capacity(request.current):
            raise refusal(
                "INVALID_ARGUMENT",
                f"capacityGb {_capacity(document)}: an instance of tier {document['tier']} cannot be made smaller than "
                f"its present {_capacity(request.current)}",
            )
        return {**document, "state": "REPAIRING", "etag": _etag(request.name, timestamp(self._clock.now()))}

    def admit_delete(self, request: Request) -> Body:
        """Refused while the instance is protected."""
        if request.current.get("deletionProtectionEnabled"):
            raise refusal("FAILED_PRECONDITION", f"Instance {request.name} has deletion protection enabled.")
        return {**request.current, "state": "DELETING"}

    def settle(self, changes: Changes, operation: Operation, error: OperationError | None) -> None:
        """READY again, or gone."""
        super().settle(changes, operation, error)
        record = changes.get(operation["target"])
        if record is not None:
            changes.put(self.kind, operation["target"], {**record.body, "state": "READY"})


def _tier(body: Body) -> _Tier:
    tier = _TIERS.get(body["tier"])
    if tier is None:
        raise refusal("INVALID_ARGUMENT", f"tier {body['tier']} is not one of {', '.join(_TIERS)}")
    return tier


def _capacity(body: Body) -> int:
    return int(body["fileShares"][0]["capacityGb"])


def _check_place(tier: _Tier, name: str, location: str) -> None:
    if tier.is_regional != locations.is_region(location):
        wanted = "a region" if tier.is_regional else "a zone"
        raise refusal("INVALID_ARGUMENT", f"location {location}: an instance of tier {name} is created in {wanted}")


def _check_share(tier: _Tier, body: Body) -> None:
    shares = body["fileShares"]
    if len(shares) != 1:
        raise refusal("INVALID_ARGUMENT", f"fileShares: an instance has exactly 1 share, not {len(shares)}")
    if len(shares[0]["name"]) > _SHARE_NAME_LENGTH:
        raise refusal(
            "INVALID_ARGUMENT", f"fileShares[0].name {shares[0]['name']}: at most {_SHARE_NAME_LENGTH} characters"
        )
    capacity = _capacity(body)
    step = tier.coarse_step if tier.coarse_from is not None and capacity >= tier.coarse_from else tier.step
    start = tier.coarse_from if tier.coarse_from is not None and capacity >= tier.coarse_from else tier.lowest
    if not tier.lowest <= capacity <= tier.highest or (capacity - start) % step:
        raise refusal(
            "INVALID_ARGUMENT",
            f"fileShares[0].capacityGb {capacity}: tier {body['tier']} takes {tier.lowest} to {tier.highest} "
            f"in steps of {step}",
        )


def _check_protocol(tier: _Tier, body: Body) -> None:
    protocol = body.get("protocol", "NFS_V3")
    if tier.is_basic and protocol != "NFS_V3":
        raise refusal("INVALID_ARGUMENT", f"protocol {protocol} is not supported by tier {body['tier']}")


def _check_protection(tier: _Tier, body: Body) -> None:
    if tier.is_basic and body.get("deletionProtectionEnabled"):
        raise refusal("INVALID_ARGUMENT", f"deletionProtectionEnabled is not supported by tier {body['tier']}")


def _connect(view: View, network: str, wanted: Body) -> Body:
    """The network of an instance with the range that it keeps and its address."""
    others = [part for _, body in view.list(Kind.FILESTORE) for part in body["networks"] if part["network"] == network]
    taken = [*taken_ranges(view, network), *(part["reservedIpRange"] for part in others)]
    reserved = wanted.get("reservedIpRange") or ranges.free_range(_SEARCHED, _RESERVED_PREFIX, taken)
    if reserved is None:
        raise refusal("RESOURCE_EXHAUSTED", f"No free /{_RESERVED_PREFIX} range is left in network {network}.")
    cidr = ranges.network(reserved, "networks[0].reservedIpRange")
    clash = next((other for other in taken if ranges.overlap(reserved, other)), None)
    if clash is not None:
        raise refusal("INVALID_ARGUMENT", f"networks[0].reservedIpRange {reserved} overlaps {clash} of the network")
    return {
        "connectMode": "DIRECT_PEERING",
        **wanted,
        "network": network,
        "reservedIpRange": reserved,
        "ipAddresses": [str(ipaddress.IPv4Address(int(cidr.network_address) + 2))],
    }


def _etag(name: str, moment: str) -> str:
    return hashlib.sha256(f"{name} {moment}".encode()).hexdigest()[:16]
