"""Disks of a zone: persistent disks and Hyperdisks with their sizes, IOPS and throughput.

A disk's file system is a folder of this machine. Size and performance are not enforced.

The limits of Hyperdisks are those of `components.model.facts.hyperdisk`; those of persistent disks are from Compute
Engine documentation "About Persistent Disk", read 2026-11. The sentences of the refusals are ours, except that about a
smaller size.
"""

from __future__ import annotations

from typing import ClassVar, Final

from components.model.facts import hyperdisk
from simulator.cloud import locations
from simulator.cloud.api import Body, CloudError, Kind, invalid_value
from simulator.cloud.names import parts_of, self_link, short_name
from simulator.cloud.networks import numeric_id
from simulator.cloud.service import ComputeService, FolderService, Request, check_compute_name, merged

DEFAULT_TYPE: Final = "pd-standard"
_DEFAULT_SIZE: Final = {"pd-standard": 500, "pd-balanced": 100, "pd-ssd": 100}
_HYPERDISK_SIZE: Final = 100
_HYPERDISKS: Final = {kind.type: kind for kind in hyperdisk.KINDS.values()}
_TYPES: Final = (*_DEFAULT_SIZE, *_HYPERDISKS)
_SMALLEST: Final = 10
"""Of persistent disks, in GiB."""


class Disks(FolderService, ComputeService):
    """Disks of a zone."""

    kind: ClassVar[Kind] = Kind.DISK
    mutable: ClassVar[frozenset[str]] = frozenset(
        ("accessMode", "labels", "provisionedIops", "provisionedThroughput", "sizeGb")
    )

    def admit_create(self, request: Request) -> Body:
        """Refused when type, size and performance do not fit together."""
        parts = parts_of(Kind.DISK, request.name)
        check_compute_name(parts["name"])
        locations.check_location(parts["zone"])
        name = short_name(request.body.get("type") or DEFAULT_TYPE)
        if name not in _TYPES:
            raise _refused("type", name, f"The simulated cloud has {', '.join(_TYPES)}.")
        size = str(request.body.get("sizeGb") or _DEFAULT_SIZE.get(name, _HYPERDISK_SIZE))
        limits = _performance(_HYPERDISKS.get(name), int(size), request.body.get("provisionedIops"))
        document = {
            "sizeGb": size,
            "physicalBlockSizeBytes": "4096",
            **{field: str(least) for field, (least, _) in limits.items()},
            **request.body,
            "type": f"projects/{parts['project']}/zones/{parts['zone']}/diskTypes/{name}",
            "name": parts["name"],
            "id": numeric_id(request.name),
            "zone": parts["zone"],
            "status": "READY",
            "creationTimestamp": self.now(),
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
            before, after = request.current["sizeGb"], document["sizeGb"]
            text = f"New disk size '{after}' GiB must be larger than existing size '{before}' GiB."
            raise _refused("sizeGb", after, text)
        _check(document)
        return document


def _check(document: Body) -> None:
    name, size = short_name(document["type"]), int(document["sizeGb"])
    kind = _HYPERDISKS.get(name)
    smallest, largest = (_SMALLEST, 65_536) if kind is None else (kind.least, kind.most)
    if not smallest <= size <= largest:
        raise _refused("sizeGb", size, f"A disk of type {name} has {smallest} to {largest} GiB.")
    limits = _performance(kind, size, document.get("provisionedIops"))
    for field in ("provisionedIops", "provisionedThroughput"):
        if field not in document:
            continue
        if field not in limits:
            raise _refused(field, document[field], f"{name} does not support it.")
        least, most = limits[field]
        if not least <= int(document[field]) <= most:
            text = f"A disk of type {name} and {size} GiB has {least} to {most}."
            raise _refused(field, document[field], text)


def _performance(kind: hyperdisk.Kind | None, size: int, iops: str | None) -> dict[str, tuple[int, int]]:
    """The least and the most of each performance that is provisioned for a disk of `size` GiB, by field."""
    if kind is hyperdisk.ML:
        return {"provisionedThroughput": hyperdisk.ml_throughput(size)}
    if kind is hyperdisk.BALANCED:
        allowed = hyperdisk.balanced_iops(size)
        throughput = hyperdisk.balanced_throughput(allowed[0] if iops is None else int(iops))
        return {"provisionedIops": allowed, "provisionedThroughput": throughput}
    return {}


def _refused(field: str, value: object, text: str) -> CloudError:
    return invalid_value(f"resource.{field}", value, text)
