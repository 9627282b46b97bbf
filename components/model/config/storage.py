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
    """A zone, or a region for the tiers that are in all of its zones."""
    share: ShareName
    """Name of its share."""
    capacity_gib: Count
    """Size of the share in GiB; each tier has a smallest and a largest. Claims may write all of a share that grows."""
    claims: Annotated[tuple[Claim, ...], Field(min_length=1)]
    """By what name it is mounted in which namespace."""
    deletion_protection: bool | None = None
    """The API refuses to delete it; left out, it is as the cluster's, where the tier has it."""
    protect: bool = False
    """The engine refuses to delete it."""


class Bucket(Section):
    """A bucket that workloads write to."""

    name: BucketName
    """Name of the bucket, which is unique in all of Google Cloud."""
    location: StorageLocation | None = None
    """Stated, the bucket is made there; left out, it is one that exists."""
    force_destroy: bool = False
    """Whether a bucket that was made here is deleted with all that is in it; otherwise only an empty one can be."""
