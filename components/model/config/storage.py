"""What can be configured of storage: shares that many pods write at once, and buckets."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from components.model.config.section import Count, Section
from components.model.config.values import BucketName, GcpName, KubernetesName, Location, ShareName, StorageLocation
from components.model.gke import DEFAULT_NAMESPACE


class Claim(Section):
    """A PersistentVolumeClaim, with a PersistentVolume of its own that is the whole share."""

    name: KubernetesName
    namespace: KubernetesName = DEFAULT_NAMESPACE


class SharedStorage(Section):
    """A Filestore instance with its share."""

    name: GcpName
    tier: Literal["BASIC_HDD", "BASIC_SSD", "ZONAL", "REGIONAL", "ENTERPRISE"]
    location: Location
    """A zone, or a region for the tiers that are in all of its zones."""
    share: ShareName
    capacity_gib: Count
    claims: Annotated[tuple[Claim, ...], Field(min_length=1)]
    deletion_protection: bool | None = None
    """None is as the cluster's, where the tier has it."""
    protect: bool = False
    """The engine refuses to delete it."""


class Bucket(Section):
    """A bucket that workloads write to."""

    name: BucketName
    location: StorageLocation | None = None
    """Stated, the bucket is made there; left out, it is one that exists."""
    force_destroy: bool = False
    """Whether a bucket that was made here is deleted with all that is in it; otherwise only an empty one can be."""
