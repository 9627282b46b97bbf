"""Configuration of storage: shares that many pods write at once, disks, and buckets."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from components.model.config.section import Count, Section
from components.model.config.values import (
    BucketName,
    FilesystemName,
    GcpName,
    KubernetesName,
    Location,
    ShareName,
    StorageLocation,
    Zone,
)
from components.model.facts.gke import DEFAULT_NAMESPACE
from components.model.facts.hyperdisk import Access, DiskKind


class Claim(Section):
    """A PersistentVolumeClaim, with a PersistentVolume of its own that is the whole share, instance or disk."""

    name: KubernetesName
    """Name of the PersistentVolumeClaim, which pods mount."""
    namespace: KubernetesName = DEFAULT_NAMESPACE
    """Namespace of the pods that mount it."""


class SharedStorage(Section):
    """A Filestore instance with its share."""

    name: GcpName
    """Name of the Filestore instance."""
    tier: Literal["BASIC_HDD", "BASIC_SSD", "ZONAL", "REGIONAL", "ENTERPRISE"]
    """Kind of instance; it decides size, speed and where it can be."""
    location: Location
    """A zone, or a region for the tiers that span a region's zones."""
    share: ShareName
    """Name of its share."""
    capacity_gib: Count
    """Size of the share in GiB; each tier has a smallest and a largest size. When the share grows, its claims can use
    all of it."""
    claims: Annotated[tuple[Claim, ...], Field(min_length=1)]
    """The claims on the share, each for one namespace."""
    deletion_protection: bool | None = None
    """The API refuses to delete it; by default as for the cluster, if the tier supports it."""
    protect: bool = False
    """The engine refuses to delete it."""


class Lustre(Section):
    """A Managed Lustre instance: a parallel file system for many hosts at once."""

    name: GcpName
    """Name of the instance."""
    location: Zone
    """The zone that it is in; best the zone of the slices that use it."""
    filesystem: FilesystemName
    """Name of its file system, by which nodes mount it. A node cannot mount two of the same name."""
    throughput: Literal[125, 250, 500, 1000]
    """MBps for each TiB of capacity; it cannot be changed."""
    capacity_gib: Count
    """Size in GiB; each throughput has a smallest size and steps. It can grow, but not shrink."""
    claims: Annotated[tuple[Claim, ...], Field(min_length=1)]
    """The claims on the instance, each for one namespace."""
    protect: bool = False
    """The engine refuses to delete it."""


class Disk(Section):
    """A Hyperdisk that pods mount: many pods read one of kind ml, one node writes one of kind balanced."""

    name: GcpName
    """Name of the disk."""
    kind: DiskKind
    """Hyperdisk ML (ml), for models and data that many hosts read; or Hyperdisk Balanced (balanced)."""
    zone: Zone
    """The zone that it is in; only nodes of this zone can mount it."""
    size_gib: Count
    """Size in GiB; it can grow, but not shrink."""
    access: Access = "ReadWriteOnce"
    """ReadWriteOnce: one node reads and writes it. ReadOnlyMany: many nodes read it, and nobody can write it ever
    again; for kind ml alone."""
    throughput: Count | None = None
    """Throughput in MiB/s; by default Compute Engine decides."""
    iops: Count | None = None
    """Operations per second, of kind balanced alone; by default Compute Engine decides."""
    snapshot: GcpName | None = None
    """Name of the snapshot that the disk is made from; without one it is empty."""
    claims: Annotated[tuple[Claim, ...], Field(min_length=1)]
    """The claims on the disk: one, or with ReadOnlyMany one for each namespace."""
    protect: bool = False
    """The engine refuses to delete it."""


class Bucket(Section):
    """A bucket that workloads write to."""

    name: BucketName
    """Name of the bucket, which is unique in all of Google Cloud."""
    location: StorageLocation | None = None
    """Where the stack creates the bucket; leave it out for a bucket that exists."""
    force_destroy: bool = False
    """Whether the stack may delete its bucket with all objects in it; otherwise it can delete only an empty bucket."""
