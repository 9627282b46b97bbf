"""The PersistentVolume and PersistentVolumeClaim documents of shares, Managed Lustre instances and disks.

A claim names its volume and no storage class, and the volume names its claim, so that neither a default class nor
another claim comes between.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NotRequired, TypedDict

from components.model.facts import hyperdisk, lustre

if TYPE_CHECKING:
    from components.manifests.metadata import Metadata
    from components.model.plan.storage import ClaimPlan, DiskPlan, LustrePlan


class Capacity(TypedDict):
    """An amount of storage."""

    storage: str


class Nfs(TypedDict):
    """Where a share is."""

    server: Any
    """An address, which the engine may know only when the instance exists."""
    path: str


class Csi(TypedDict):
    """What the driver of a kind of storage mounts."""

    driver: str
    volumeHandle: str
    fsType: NotRequired[str]
    readOnly: NotRequired[bool]
    volumeAttributes: NotRequired[dict[str, Any]]
    """Texts, which the engine may know only when the instance exists."""


class Expression(TypedDict):
    """A condition on a label of nodes."""

    key: str
    operator: str
    values: list[str]


class Term(TypedDict):
    """Conditions that hold at once."""

    matchExpressions: list[Expression]


class Terms(TypedDict):
    """Alternatives: one of the terms must hold."""

    nodeSelectorTerms: list[Term]


class NodeAffinity(TypedDict):
    """Which nodes can mount a volume."""

    required: Terms


class Source(TypedDict):
    """What is behind a volume: a share, or something that a driver mounts."""

    nfs: NotRequired[Nfs]
    csi: NotRequired[Csi]
    nodeAffinity: NotRequired[NodeAffinity]


class ClaimReference(TypedDict):
    """The claim that a volume is for."""

    apiVersion: str
    kind: str
    namespace: str
    name: str


class VolumeSpec(Source):
    """What a volume is."""

    accessModes: list[str]
    capacity: Capacity
    claimRef: ClaimReference
    persistentVolumeReclaimPolicy: str
    storageClassName: str


class PersistentVolume(TypedDict):
    """A share, an instance or a disk, as the cluster knows it."""

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


def of_share(server: object, path: str) -> Source:
    """The share that `server` exports under `path`."""
    return {"nfs": {"server": server, "path": path}}


def of_lustre(plan: LustrePlan, address: object) -> Source:
    """The Managed Lustre instance that is reached at `address`."""
    return {
        "csi": {
            "driver": lustre.DRIVER,
            "volumeHandle": plan.handle,
            "volumeAttributes": {"ip": address, "filesystem": plan.filesystem},
        }
    }


def of_disk(plan: DiskPlan) -> Source:
    """The disk, which only nodes of its zone can mount."""
    csi: Csi = {"driver": hyperdisk.DRIVER, "volumeHandle": plan.handle, "fsType": hyperdisk.FILE_SYSTEM}
    if plan.access == hyperdisk.MANY_READERS:
        csi["readOnly"] = True
    in_zone: Expression = {"key": hyperdisk.LABEL_ZONE, "operator": "In", "values": [plan.zone]}
    return {
        "csi": csi,
        "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [in_zone]}]}},
    }


def persistent_volume(claim: ClaimPlan, source: Source) -> PersistentVolume:
    """The volume of a claim; its data outlives it."""
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": claim.volume},
        "spec": {
            "accessModes": [claim.access],
            "capacity": {"storage": claim.capacity},
            "claimRef": {
                "apiVersion": "v1",
                "kind": "PersistentVolumeClaim",
                "namespace": claim.namespace,
                "name": claim.name,
            },
            "persistentVolumeReclaimPolicy": "Retain",
            "storageClassName": "",
            **source,
        },
    }


def persistent_volume_claim(claim: ClaimPlan) -> PersistentVolumeClaim:
    """The claim's document."""
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": claim.name, "namespace": claim.namespace},
        "spec": {
            "accessModes": [claim.access],
            "resources": {"requests": {"storage": claim.capacity}},
            "storageClassName": "",
            "volumeName": claim.volume,
        },
    }
