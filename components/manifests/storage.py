"""Documents of storage: volumes and claims of shares, Managed Lustre instances and disks; checkpoints on hosts.

A claim names its volume and no storage class, and the volume names its claim, so that neither a default class nor
another claim comes between.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from components.model.facts import checkpointing, gke, hyperdisk, lustre

if TYPE_CHECKING:
    from components.manifests.metadata import Manifest
    from components.model.plan.cloud import CheckpointsPlan
    from components.model.plan.storage import ClaimPlan, DiskPlan, LustrePlan


def of_share(server: object, path: str) -> Manifest:
    """The share that `server` exports under `path`; the engine may know the address only when the instance exists."""
    return {"nfs": {"server": server, "path": path}}


def of_lustre(plan: LustrePlan, address: object) -> Manifest:
    """The Managed Lustre instance at `address`, which the engine may know only when the instance exists."""
    return {
        "csi": {
            "driver": lustre.DRIVER,
            "volumeHandle": plan.handle,
            "volumeAttributes": {"ip": address, "filesystem": plan.filesystem},
        }
    }


def of_disk(plan: DiskPlan) -> Manifest:
    """The disk, which only nodes of its zone can mount."""
    csi: Manifest = {"driver": hyperdisk.DRIVER, "volumeHandle": plan.handle, "fsType": hyperdisk.FILE_SYSTEM}
    if plan.access == hyperdisk.MANY_READERS:
        csi["readOnly"] = True
    in_zone = {"key": hyperdisk.LABEL_ZONE, "operator": "In", "values": [plan.zone]}
    return {
        "csi": csi,
        "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [in_zone]}]}},
    }


def persistent_volume(claim: ClaimPlan, source: Manifest) -> Manifest:
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


def persistent_volume_claim(claim: ClaimPlan) -> Manifest:
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


def checkpoint_configuration(plan: CheckpointsPlan) -> Manifest:
    """The document of multi-tier checkpointing.

    Its driver runs on the hosts of the plan's machine type, and tolerates the taints that GKE sets.
    """
    taints = (gke.TAINT_TPU_KEY, *((gke.LABEL_QUEUED,) if plan.has_queued_hosts else ()))
    return {
        "apiVersion": checkpointing.API_VERSION,
        "kind": checkpointing.KIND,
        "metadata": {"name": plan.name},
        "spec": {
            "cloudStorageBucketName": plan.bucket,
            "nodeSelector": {gke.LABEL_INSTANCE_TYPE: plan.machine_type},
            "tolerations": [{"key": key, "operator": "Exists", "effect": "NoSchedule"} for key in taints],
            "inMemoryVolumeSize": plan.local,
        },
    }
