"""What will exist of storage: Filestore instances with the claims on them, buckets with those who write them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from components.model.places import Place


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimPlan:
    """A PersistentVolumeClaim and the PersistentVolume that is only for it."""

    place: Place
    name: str
    namespace: str
    volume: str
    """Name of the PersistentVolume."""
    capacity: str
    """The whole share, as a quantity in the form that the API server returns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedStoragePlan:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class WriterPlan:
    """Somebody who may write a bucket."""

    name: str
    """A short word for it."""
    member: str
    """How IAM policies name it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BucketPlan:
    """A bucket."""

    place: Place
    name: str
    location: str | None
    """None for a bucket that exists."""
    is_emptied: bool
    """Whether it is deleted with all that is in it."""
    billing_labels: Mapping[str, str]
    writers: tuple[WriterPlan, ...]
