"""The PersistentVolume and PersistentVolumeClaim documents of a share.

A claim names its volume and no storage class, and the volume names its claim, so that neither a default class nor
another claim comes between.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypedDict

if TYPE_CHECKING:
    from components.manifests.metadata import Metadata
    from components.model.plan.storage import ClaimPlan

_ACCESS: Final = "ReadWriteMany"


class Capacity(TypedDict):
    """An amount of storage."""

    storage: str


class Nfs(TypedDict):
    """Where a share is."""

    server: Any
    """An address, which the engine may know only when the instance exists."""
    path: str


class ClaimReference(TypedDict):
    """The claim that a volume is for."""

    apiVersion: str
    kind: str
    namespace: str
    name: str


class VolumeSpec(TypedDict):
    """What a volume is."""

    accessModes: list[str]
    capacity: Capacity
    claimRef: ClaimReference
    nfs: Nfs
    persistentVolumeReclaimPolicy: str
    storageClassName: str


class PersistentVolume(TypedDict):
    """A share, as the cluster knows it."""

    apiVersion: str
    kind: str
    metadata: Metadata
    spec: VolumeSpec


class Resources(TypedDict):
    """What a claim asks for."""

    requests: Capacity


class ClaimSpec(TypedDict):
    """Which volume a claim is for."""

    accessModes: list[str]
    resources: Resources
    storageClassName: str
    volumeName: str


class PersistentVolumeClaim(TypedDict):
    """What pods of a namespace mount."""

    apiVersion: str
    kind: str
    metadata: Metadata
    spec: ClaimSpec


def persistent_volume(claim: ClaimPlan, *, server: object, path: str) -> PersistentVolume:
    """The volume of a claim on the share that `server` exports under `path`; its data outlives it."""
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": claim.volume},
        "spec": {
            "accessModes": [_ACCESS],
            "capacity": {"storage": claim.capacity},
            "claimRef": {
                "apiVersion": "v1",
                "kind": "PersistentVolumeClaim",
                "namespace": claim.namespace,
                "name": claim.name,
            },
            "nfs": {"server": server, "path": path},
            "persistentVolumeReclaimPolicy": "Retain",
            "storageClassName": "",
        },
    }


def persistent_volume_claim(claim: ClaimPlan) -> PersistentVolumeClaim:
    """The claim's document."""
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": claim.name, "namespace": claim.namespace},
        "spec": {
            "accessModes": [_ACCESS],
            "resources": {"requests": {"storage": claim.capacity}},
            "storageClassName": "",
            "volumeName": claim.volume,
        },
    }
