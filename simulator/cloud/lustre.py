"""Managed Lustre instances: their addresses, and the states CREATING, ACTIVE and UPDATING.

The file system is a folder of this machine, made with the instance and removed with it. Its capacity and throughput are
not enforced.

The limits of the tiers are those of `components.model.facts.lustre`. The sentences of the refusals are ours.
"""

from __future__ import annotations

import hashlib
import re
import uuid
from typing import TYPE_CHECKING, ClassVar, Final

from components.model.facts import lustre
from simulator.cloud import locations
from simulator.cloud.api import Body, Kind, invalid, refusal
from simulator.cloud.names import parts_of
from simulator.cloud.networks import find_network
from simulator.cloud.peering import free_address, peered_ranges
from simulator.cloud.service import FolderService, Request, merged

if TYPE_CHECKING:
    from simulator.cloud.store import View

_ID: Final = re.compile(r"[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?")
_FILESYSTEM: Final = re.compile(r"[A-Za-z][A-Za-z0-9]{0,7}")
_OWN_PREFIX: Final = 26
"""The range of the peering that an instance takes."""
_NETWORK: Final = re.compile(r"projects/[^/]+/global/networks/[^/]+")
_TIERS: Final = {str(tier.throughput): tier for tier in lustre.TIERS}


class Lustre(FolderService):
    """Managed Lustre instances."""

    kind: ClassVar[Kind] = Kind.LUSTRE
    is_instant: ClassVar[bool] = False
    resting_state: ClassVar[str | None] = "ACTIVE"
    mutable: ClassVar[frozenset[str]] = frozenset(("capacityGib", "description", "labels"))

    def admit_create(self, request: Request) -> Body:
        """Refused when tier, capacity, place and network do not fit together."""
        parts = parts_of(Kind.LUSTRE, request.name)
        body = request.body
        _check_words(parts["name"], body)
        locations.check_location(parts["location"])
        if locations.is_region(parts["location"]):
            raise invalid(f"location {parts['location']}: an instance is created in a zone")
        _check_capacity(body)
        network, _ = find_network(request.changes, body["network"], parts["project"])
        reserved, address = _place(request.changes, network)
        now = self.now()
        return {
            "gkeSupportEnabled": False,
            **body,
            "name": request.name.replace("/lustreInstances/", "/instances/"),
            "network": network,
            "mountRange": reserved,
            "mountPoint": f"{address}@tcp:/{body['filesystem']}",
            "state": "CREATING",
            "createTime": now,
            "updateTime": now,
            "uid": str(uuid.UUID(hashlib.sha256(f"{request.name} {now}".encode()).hexdigest()[:32])),
        }

    def admit_update(self, request: Request) -> Body:
        """Labels, and capacity, which only grows and stays within its step size."""
        document = merged(request.current, request.body)
        before, after = int(request.current["capacityGib"]), int(document["capacityGib"])
        if before != after:
            tier = _check_capacity(document)
            if after < before:
                raise invalid(f"capacityGib {after}: capacity cannot be decreased from {before}")
            if before <= tier.bend < after:
                raise invalid(
                    f"capacityGib {after}: an instance of {before} GiB can be increased up to {tier.bend} GiB, "
                    "where the step size of its tier changes"
                )
        return {**document, "state": "UPDATING", "updateTime": self.now()}

    def admit_delete(self, request: Request) -> Body:
        """Nothing protects an instance."""
        return {**request.current, "state": "DELETING"}


def _check_words(name: str, body: Body) -> None:
    if _ID.fullmatch(name) is None:
        raise invalid(
            f"instanceId {name}: 1 to 63 lower case letters, digits and hyphens, a letter first, no hyphen last"
        )
    if _FILESYSTEM.fullmatch(body["filesystem"]) is None:
        raise invalid(f"filesystem {body['filesystem']}: at most 8 letters and digits, a letter first")
    if _NETWORK.fullmatch(body["network"]) is None:
        raise invalid(f"network {body['network']}: the full name, projects/PROJECT/global/networks/NETWORK")


def _check_capacity(body: Body) -> lustre.Tier:
    """The performance tier of an instance, which has its capacity."""
    throughput, capacity = str(body.get("perUnitStorageThroughput") or ""), int(body["capacityGib"])
    tier = _TIERS.get(throughput)
    if tier is None:
        raise invalid(f"perUnitStorageThroughput {throughput or 'is not set'}: one of {', '.join(_TIERS)}")
    if not tier.has(capacity):
        raise invalid(
            f"capacityGib {capacity}: with {throughput} MBps per TiB an instance has {tier.least} to {tier.most} GiB "
            f"in steps of {tier.step_at(capacity)}"
        )
    return tier


def _place(view: View, network: str) -> tuple[str, str]:
    """The range and the address of a new instance in a network (an API name)."""
    peered = peered_ranges(view, network)
    if not peered:
        raise refusal(
            "FAILED_PRECONDITION",
            f"network {network} has no private services access: allocate a range of purpose VPC_PEERING and connect "
            "the network to servicenetworking.googleapis.com",
        )
    taken = [body["mountRange"] for _, body in view.list(Kind.LUSTRE) if body["network"] == network]
    found = free_address(peered, _OWN_PREFIX, taken)
    if found is None:
        raise refusal(
            "RESOURCE_EXHAUSTED", f"the ranges of private services access, {', '.join(peered)}, have no /26 left"
        )
    return found
