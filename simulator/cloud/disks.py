"""Disks of a zone: persistent disks and Hyperdisks with their sizes, IOPS and throughput.

A disk's file system is a folder of this machine. Size and performance are not enforced.

Source of the limits: Compute Engine documentation "About Google Cloud Hyperdisk" (limits of a disk) and "About
Persistent Disk", read 2026-11. The sentences of the refusals are ours, except that about a smaller size.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

from simulator.cloud import locations
from simulator.cloud.api import Body, Kind, refusal
from simulator.cloud.clock import timestamp
from simulator.cloud.names import parts_of, self_link, short_name
from simulator.cloud.networks import numeric_id
from simulator.cloud.service import ComputeService, Request, check_compute_name, merged

if TYPE_CHECKING:
    from simulator.cloud.api import Operation
    from simulator.cloud.clock import Clock
    from simulator.cloud.folders import Folders

DEFAULT_TYPE: Final = "pd-standard"
_DEFAULT_SIZE: Final = {"pd-standard": 500, "pd-balanced": 100, "pd-ssd": 100}
_HYPERDISK_SIZE: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class _Performance:
    """A performance that is provisioned: its least, its most, and its most for each GiB of the disk."""

    least: int
    most: int
    per_gib: int | None = None
    default: int | None = None

    def limit(self, size: int) -> int:
        """The most for a disk of `size` GiB."""
        return self.most if self.per_gib is None else min(self.most, self.per_gib * size)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Type:
    """A type of disk: sizes in GiB, and what is provisioned apart from the size."""

    smallest: int
    largest: int = 65_536
    iops: _Performance | None = None
    throughput: _Performance | None = None


_PERSISTENT: Final = _Type(smallest=10)
_TYPES: Final = {
    "pd-standard": _PERSISTENT,
    "pd-balanced": _PERSISTENT,
    "pd-ssd": _PERSISTENT,
    "hyperdisk-balanced": _Type(
        smallest=4,
        iops=_Performance(least=3_000, most=160_000, per_gib=500, default=3_000),
        throughput=_Performance(least=140, most=2_400, default=140),
    ),
    "hyperdisk-ml": _Type(smallest=4, throughput=_Performance(least=400, most=1_200_000, per_gib=1_600, default=400)),
}


class Disks(ComputeService):
    """Disks of a zone."""

    kind: ClassVar[Kind] = Kind.DISK
    mutable: ClassVar[frozenset[str]] = frozenset(
        ("accessMode", "labels", "provisionedIops", "provisionedThroughput", "sizeGb")
    )

    def __init__(self, clock: Clock, folders: Folders) -> None:
        """`clock` stamps disks; `folders` has their files."""
        self._clock = clock
        self._folders = folders

    def run(self, operation: Operation) -> None:
        """Make the folder of the disk, or remove it with all that is in it."""
        match operation["verb"]:
            case "create":
                self._folders.make(operation["target"])
            case "delete":
                self._folders.remove(operation["target"])
            case _:
                pass

    def admit_create(self, request: Request) -> Body:
        """Refused when type, size and performance do not fit together."""
        parts = parts_of(Kind.DISK, request.name)
        check_compute_name(parts["name"])
        locations.check_location(parts["zone"])
        name = short_name(request.body.get("type") or DEFAULT_TYPE)
        type_ = _TYPES.get(name)
        if type_ is None:
            raise refusal(
                "INVALID_ARGUMENT",
                f"Invalid value for field 'resource.type': '{name}'. The simulated cloud has {', '.join(_TYPES)}.",
            )
        document = {
            "sizeGb": str(_DEFAULT_SIZE.get(name, _HYPERDISK_SIZE)),
            "physicalBlockSizeBytes": "4096",
            **_provisioned(type_),
            **request.body,
            "type": f"projects/{parts['project']}/zones/{parts['zone']}/diskTypes/{name}",
            "name": parts["name"],
            "id": numeric_id(request.name),
            "zone": parts["zone"],
            "status": "READY",
            "creationTimestamp": timestamp(self._clock.now()),
            "selfLink": self_link(Kind.DISK, request.name),
        }
        if name.startswith("hyperdisk-"):
            document.setdefault("accessMode", "READ_WRITE_SINGLE")
        _check(document)
        return document

    def admit_update(self, request: Request) -> Body:
        """Size only grows."""
        document = merged(request.current, request.body)
        if int(document["sizeGb"]) < int(request.current["sizeGb"]):
            raise refusal(
                "INVALID_ARGUMENT",
                f"Invalid value for field 'sizeGb': '{document['sizeGb']}'. New disk size '{document['sizeGb']}' GiB "
                f"must be larger than existing size '{request.current['sizeGb']}' GiB.",
            )
        _check(document)
        return document


def _provisioned(type_: _Type) -> Body:
    defaults = {"provisionedIops": type_.iops, "provisionedThroughput": type_.throughput}
    return {name: str(each.default) for name, each in defaults.items() if each is not None}


def _check(document: Body) -> None:
    name, size = short_name(document["type"]), int(document["sizeGb"])
    type_ = _TYPES[name]
    if not type_.smallest <= size <= type_.largest:
        raise refusal(
            "INVALID_ARGUMENT",
            f"Invalid value for field 'resource.sizeGb': '{size}'. A disk of type {name} has {type_.smallest} to "
            f"{type_.largest} GiB.",
        )
    for field, allowed in (("provisionedIops", type_.iops), ("provisionedThroughput", type_.throughput)):
        if field in document:
            _check_performance(name, size, field, int(document[field]), allowed)


def _check_performance(name: str, size: int, field: str, value: int, allowed: _Performance | None) -> None:
    if allowed is None:
        raise refusal(
            "INVALID_ARGUMENT", f"Invalid value for field 'resource.{field}': '{value}'. {name} does not support it."
        )
    most = max(allowed.least, allowed.limit(size))
    if not allowed.least <= value <= most:
        raise refusal(
            "INVALID_ARGUMENT",
            f"Invalid value for field 'resource.{field}': '{value}'. A disk of type {name} and {size} GiB has "
            f"{allowed.least} to {most}.",
        )
