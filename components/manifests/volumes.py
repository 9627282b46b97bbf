"""Volumes of pods, and the folders of containers on which they are mounted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import checkpointing, gcs_fuse
from components.model.plan.pods import (
    BucketMountPlan,
    CheckpointsMountPlan,
    ClaimMountPlan,
    ConfigMapMountPlan,
    EphemeralMountPlan,
    SecretManagerMountPlan,
    SecretMountPlan,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from components.manifests.metadata import Manifest
    from components.model.plan.pods import MountPlan

SECRET_MANAGER_DRIVER: Final = "secrets-store-gke.csi.k8s.io"  # noqa: S105  a driver
"""The CSI driver of GKE's Secret Manager add-on (GKE documentation "Use the Secret Manager add-on", read 2026-11)."""


def volumes(mounts: Iterable[MountPlan]) -> list[Manifest]:
    """The volumes of a pod, each once, in the order of the first mounts of them."""
    first: dict[str, MountPlan] = {}
    for mount in mounts:
        first.setdefault(mount.volume, mount)
    buckets = [each for each in first.values() if isinstance(each, BucketMountPlan)]
    return [*map(_volume, first.values()), *_caches(buckets)]


def _caches(buckets: Sequence[BucketMountPlan]) -> Iterator[Manifest]:
    """The one volume in which the sidecar keeps files of all buckets, if any of them has files kept."""
    kept = [each.cache_gib for each in buckets if each.has_cache]
    if kept:
        stated = [gib for gib in kept if gib is not None]
        memory: Manifest = {"medium": "Memory"}
        if len(stated) == len(kept):
            memory["sizeLimit"] = f"{sum(stated)}Gi"
        yield {"name": gcs_fuse.CACHE_VOLUME, "emptyDir": memory}


def _volume(mount: MountPlan) -> Manifest:
    return {"name": mount.volume, **_source(mount)}


def _source(mount: MountPlan) -> Manifest:
    """The key of a volume that has its source."""
    match mount:
        case ClaimMountPlan():
            return {"persistentVolumeClaim": {"claimName": mount.claim}}
        case EphemeralMountPlan():
            medium = {"medium": "Memory"} if mount.is_in_memory else {}
            return {"emptyDir": {"sizeLimit": str(mount.size), **medium}}
        case SecretMountPlan():
            return {"secret": {"secretName": mount.secret}}
        case ConfigMapMountPlan():
            return {"configMap": {"name": mount.config_map}}
        case BucketMountPlan():
            return {"csi": _bucket(mount)}
        case CheckpointsMountPlan():
            return {"csi": {"driver": checkpointing.DRIVER}}
        case SecretManagerMountPlan():
            attributes = {"secretProviderClass": mount.provider_class}
            return {"csi": {"driver": SECRET_MANAGER_DRIVER, "readOnly": True, "volumeAttributes": attributes}}
        case _:
            raise TypeError(f"a mount of another kind: {type(mount).__name__}")


def _bucket(mount: BucketMountPlan) -> Manifest:
    attributes = {"bucketName": mount.bucket, "mountOptions": ",".join(mount.options)}
    if mount.prefetches:
        attributes["gcsfuseMetadataPrefetchOnMount"] = "true"
    if mount.acts_as_pod:
        attributes["hostNetworkPodKSA"] = "true"
    written: Manifest = {"driver": gcs_fuse.DRIVER, "volumeAttributes": attributes}
    if mount.is_read_only:
        written["readOnly"] = True
    return written


def volume_mounts(mounts: Iterable[MountPlan]) -> list[Manifest]:
    """The folders of a container."""
    return [_volume_mount(mount) for mount in mounts]


def _volume_mount(mount: MountPlan) -> Manifest:
    written: Manifest = {"name": mount.volume, "mountPath": mount.path}
    if mount.is_read_only:
        written["readOnly"] = True
    if mount.sub_path is not None:
        written["subPath"] = mount.sub_path
    return written
