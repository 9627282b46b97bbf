"""What can be configured of storage: shares that many pods write at once, and buckets."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from components.model.config.section import Count, Section
from components.model.config.values import BucketName, GcpName, KubernetesName, Location, ShareName, StorageLocation
from components.model.facts.gke import DEFAULT_NAMESPACE


class Claim(Section):
    """A PersistentVolumeClaim, with a PersistentVolume of its own that is the whole share."""

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


class Bucket(Section):
    """A bucket that workloads write to."""

    name: BucketName
    """Name of the bucket, which is unique in all of Google Cloud."""
    location: StorageLocation | None = None
    """Where the stack creates the bucket; leave it out for a bucket that exists."""
    force_destroy: bool = False
    """Whether the stack may delete its bucket with all objects in it; otherwise it can delete only an empty bucket."""
