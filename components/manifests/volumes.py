"""Volumes of pods, and the folders of containers on which they are mounted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NotRequired, TypedDict

from components.model.plan.pods import (
    ClaimMountPlan,
    ConfigMapMountPlan,
    EphemeralMountPlan,
    SecretManagerMountPlan,
    SecretMountPlan,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from components.model.plan.pods import MountPlan

SECRET_MANAGER_DRIVER: Final = "secrets-store-gke.csi.k8s.io"  # noqa: S105  a driver
"""The CSI driver of GKE's Secret Manager add-on (GKE documentation "Use the Secret Manager add-on", read 2026-11)."""


class Claim(TypedDict):
    """A PersistentVolumeClaim by its name."""

    claimName: str
    readOnly: NotRequired[bool]


class EmptyDir(TypedDict):
    """An empty folder, on the node's disk unless its medium says otherwise."""

    sizeLimit: str
    medium: NotRequired[str]


class SecretFiles(TypedDict):
    """The keys of a Secret as files."""

    secretName: str


class ConfigMapFiles(TypedDict):
    """The keys of a ConfigMap as files."""

    name: str


class Csi(TypedDict):
    """A volume that a driver makes for the pod."""

    driver: str
    readOnly: bool
    volumeAttributes: dict[str, str]


class Volume(TypedDict):
    """A volume of a pod; one of the keys beside the name says what it is."""

    name: str
    persistentVolumeClaim: NotRequired[Claim]
    emptyDir: NotRequired[EmptyDir]
    secret: NotRequired[SecretFiles]
    configMap: NotRequired[ConfigMapFiles]
    csi: NotRequired[Csi]


class VolumeMount(TypedDict):
    """A volume as a folder of the container."""

    name: str
    mountPath: str
    readOnly: NotRequired[bool]
    subPath: NotRequired[str]


def volumes(mounts: Iterable[MountPlan]) -> list[Volume]:
    """The volumes of a pod, each once, in the order of the first mounts of them."""
    first: dict[str, MountPlan] = {}
    for mount in mounts:
        first.setdefault(mount.volume, mount)
    return [_volume(mount) for mount in first.values()]


def _volume(mount: MountPlan) -> Volume:
    volume: Volume = {"name": mount.volume}
    match mount:
        case ClaimMountPlan():
            volume["persistentVolumeClaim"] = {"claimName": mount.claim}
        case EphemeralMountPlan():
            volume["emptyDir"] = {"sizeLimit": str(mount.size)}
            if mount.is_in_memory:
                volume["emptyDir"]["medium"] = "Memory"
        case SecretMountPlan():
            volume["secret"] = {"secretName": mount.secret}
        case ConfigMapMountPlan():
            volume["configMap"] = {"name": mount.config_map}
        case SecretManagerMountPlan():
            volume["csi"] = {
                "driver": SECRET_MANAGER_DRIVER,
                "readOnly": True,
                "volumeAttributes": {"secretProviderClass": mount.provider_class},
            }
        case _:
            raise TypeError(f"a mount of another kind: {type(mount).__name__}")
    return volume


def volume_mounts(mounts: Iterable[MountPlan]) -> list[VolumeMount]:
    """The folders of a container."""
    return [_volume_mount(mount) for mount in mounts]


def _volume_mount(mount: MountPlan) -> VolumeMount:
    written: VolumeMount = {"name": mount.volume, "mountPath": mount.path}
    if mount.is_read_only:
        written["readOnly"] = True
    if mount.sub_path is not None:
        written["subPath"] = mount.sub_path
    return written
