"""The plan of storage: instances and disks with the claims on them, buckets with those who use them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Mapping

    from components.model.places import Place


class ClaimPlan(Struct, frozen=True, kw_only=True):
    """A PersistentVolumeClaim and the PersistentVolume that is only for it."""

    place: Place
    name: str
    namespace: str
    volume: str
    """Name of the PersistentVolume."""
    capacity: str
    """The whole share, instance or disk, as a quantity in the form that the API server returns."""
    access: str = "ReadWriteMany"
    """Who may mount it, as the API server names it."""


class SharedStoragePlan(Struct, frozen=True, kw_only=True):
    """A Filestore instance."""

    place: Place
    name: str
    tier: str
    location: str
    share: str
    path: str
    """Under which its server exports the share."""
    capacity_gib: int
    claims: tuple[ClaimPlan, ...]
    billing_labels: Mapping[str, str]
    deletion_protection: bool
    is_protected: bool
    """Whether the engine refuses to delete it."""


class LustrePlan(Struct, frozen=True, kw_only=True):
    """A Managed Lustre instance."""

    place: Place
    name: str
    location: str
    filesystem: str
    throughput: int
    """MBps for each TiB."""
    capacity_gib: int
    handle: str
    """How its driver names it."""
    claims: tuple[ClaimPlan, ...]
    billing_labels: Mapping[str, str]
    is_protected: bool
    """Whether the engine refuses to delete it."""


class DiskPlan(Struct, frozen=True, kw_only=True):
    """A Hyperdisk."""

    place: Place
    name: str
    kind: str
    """As `facts/hyperdisk.py` calls it."""
    zone: str
    size_gib: int
    access: str
    """Access mode of its claims."""
    throughput: int | None
    """MiB/s; None leaves it to Compute Engine, and so below."""
    iops: int | None
    snapshot: str | None
    """None for a disk that is empty when it is made."""
    handle: str
    """How its driver names it."""
    claims: tuple[ClaimPlan, ...]
    billing_labels: Mapping[str, str]
    is_protected: bool
    """Whether the engine refuses to delete it."""


class WriterPlan(Struct, frozen=True, kw_only=True):
    """Somebody who may use a bucket."""

    name: str
    """A short word for it."""
    member: str
    """How IAM policies name it."""


class BucketPlan(Struct, frozen=True, kw_only=True):
    """A bucket."""

    place: Place
    name: str
    location: str | None
    """None for a bucket that exists."""
    is_emptied: bool
    """Whether it is deleted with all that is in it."""
    billing_labels: Mapping[str, str]
    writers: tuple[WriterPlan, ...]
    readers: tuple[WriterPlan, ...] = ()
    """Those who may only read it."""
