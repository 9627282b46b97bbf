"""Filestore instances: their addresses, and the states CREATING, READY, REPAIRING and DELETING.

The share is a folder of this machine, made with the instance and removed with it. Its capacity is not enforced. An
instance serves it to the machines of one VPC network, under its own address. Two networks may have instances of the
same address, so a share is looked for from a cluster, not by its address alone.

The limits of the tiers are those of `components.model.facts.filestore`. The sentences of the refusals are ours, except
the one about deletion protection.
"""

from __future__ import annotations

import hashlib
import ipaddress
from typing import TYPE_CHECKING, Any, ClassVar, Final

from components.model.facts import filestore
from simulator.cloud import locations, ranges
from simulator.cloud.api import Body, Kind, Operation, invalid, refusal
from simulator.cloud.names import parts_of
from simulator.cloud.networks import find_network, taken_ranges
from simulator.cloud.service import Request, Service, merged

if TYPE_CHECKING:
    from pathlib import Path

    from simulator.cloud.clock import Clock
    from simulator.cloud.folders import Folders
    from simulator.cloud.store import Store, View

_NFS_3: Final = "NFS_V3"
_RESERVED_PREFIX: Final = 29
"""The range that an instance keeps for itself."""
_SEARCHED: Final = "10.0.0.0/8"


class Filestore(Service):
    """Filestore instances."""

    kind: ClassVar[Kind] = Kind.FILESTORE
    is_instant: ClassVar[bool] = False
    resting_state: ClassVar[str | None] = "READY"
    mutable: ClassVar[frozenset[str]] = frozenset(
        ("fileShares", "labels", "description", "deletionProtectionEnabled", "deletionProtectionReason")
    )

    def __init__(self, clock: Clock, store: Store, folders: Folders) -> None:
        """`clock` stamps instances; `folders` has the shares, as `PROJECT/LOCATION/INSTANCE/SHARE`."""
        super().__init__(clock)
        self._store = store
        self._folders = folders

    def run(self, operation: Operation) -> None:
        """Make the folder of the share, or remove it with all that is in it."""
        name = operation["target"]
        match operation["verb"]:
            case "create":
                with self._store.look() as view:
                    record = view.get(name)
                if record is not None:
                    self._folders.make(_share(name, record))
            case "delete":
                self._folders.remove(_instance(name))
            case _:
                pass

    def find(self, view: View, cluster: str, server: str, path: str) -> Path | None:
        """The folder that nodes of a cluster (an API name) reach as `server:path`; None when there is none."""
        record = view.get(cluster)
        if record is None:
            return None
        network = record["networkConfig"]["network"]
        for name, body in view.list(self.kind):
            on_network = any(server in each["ipAddresses"] for each in body["networks"] if each["network"] == network)
            if on_network and body["state"] == "READY" and path == _export(body):
                return self._folders.path(_share(name, body))
        return None

    def listed(self, view: View) -> list[dict[str, Any]]:
        """Every instance with its state, where it is mounted from and its folder here, sorted by name; JSON."""
        return [
            {
                "name": name,
                "state": body["state"],
                "source": f"{body['networks'][0]['ipAddresses'][0]}:{_export(body)}",
                "folder": str(self._folders.path(_share(name, body))),
            }
            for name, body in view.list(self.kind)
        ]

    def admit_create(self, request: Request) -> Body:
        """Refused when tier, place, share and network do not fit together."""
        parts = parts_of(Kind.FILESTORE, request.name)
        locations.check_location(parts["location"])
        _check(request.body, parts["location"])
        network, _ = find_network(request.changes, request.body["networks"][0]["network"], parts["project"])
        now = self.now()
        return {
            "protocol": _NFS_3,
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
        tier = _check(document, parts_of(Kind.FILESTORE, request.name)["location"])
        if not tier.has_deletion_protection and _capacity(document) < _capacity(request.current):  # a basic tier
            raise invalid(
                f"capacityGb {_capacity(document)}: an instance of tier {document['tier']} cannot be made smaller than "
                f"its present {_capacity(request.current)}"
            )
        return {**document, "state": "REPAIRING", "etag": _etag(request.name, self.now())}

    def admit_delete(self, request: Request) -> Body:
        """Refused while the instance is protected."""
        if request.current.get("deletionProtectionEnabled"):
            raise refusal("FAILED_PRECONDITION", f"Instance {request.name} has deletion protection enabled.")
        return {**request.current, "state": "DELETING"}


def _check(body: Body, location: str) -> filestore.Tier:
    """The tier of an instance, which has its capacity, its place and its settings."""
    name, share = body["tier"], body["fileShares"][0]
    tier = filestore.named(name)
    if tier is None:
        raise invalid(f"tier {name} is not one of {', '.join(each.name for each in filestore.TIERS)}")
    if tier.is_regional != locations.is_region(location):
        wanted = "a region" if tier.is_regional else "a zone"
        raise invalid(f"location {location}: an instance of tier {name} is created in {wanted}")
    if len(share["name"]) > filestore.SHARE_NAME_LENGTH:
        raise invalid(f"fileShares[0].name {share['name']}: at most {filestore.SHARE_NAME_LENGTH} characters")
    capacity = _capacity(body)
    if not tier.has(capacity):
        raise invalid(
            f"fileShares[0].capacityGb {capacity}: tier {name} takes {tier.least} to {tier.most} in steps of "
            f"{tier.step_at(capacity)}"
        )
    protocol = body.get("protocol", _NFS_3)
    if protocol != _NFS_3 and not tier.has_nfs_4:
        raise invalid(f"protocol {protocol} is not supported by tier {name}")
    if body.get("deletionProtectionEnabled") and not tier.has_deletion_protection:
        raise invalid(f"deletionProtectionEnabled is not supported by tier {name}")
    return tier


def _capacity(body: Body) -> int:
    return int(body["fileShares"][0]["capacityGb"])


def _instance(name: str) -> str:
    """The folder of an instance, an API name."""
    parts = parts_of(Kind.FILESTORE, name)
    return f"{parts['project']}/{parts['location']}/{parts['name']}"


def _share(name: str, body: Body) -> str:
    return _instance(name) + _export(body)


def _export(body: Body) -> str:
    """The path under which the share is mounted."""
    return f"/{body['fileShares'][0]['name']}"


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
        raise invalid(f"networks[0].reservedIpRange {reserved} overlaps {clash} of the network")
    return {
        "connectMode": "DIRECT_PEERING",
        **wanted,
        "network": network,
        "reservedIpRange": reserved,
        "ipAddresses": [str(ipaddress.IPv4Address(int(cidr.network_address) + 2))],
    }


def _etag(name: str, moment: str) -> str:
    return hashlib.sha256(f"{name} {moment}".encode()).hexdigest()[:16]
