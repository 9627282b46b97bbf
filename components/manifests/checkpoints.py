"""The CheckpointConfiguration document, by which GKE runs its driver of checkpoints on hosts of slices."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from components.model.facts import checkpointing, gke

if TYPE_CHECKING:
    from components.manifests.metadata import Metadata
    from components.model.plan.cloud import CheckpointsPlan


class Toleration(TypedDict):
    """A taint that the driver's pods do not mind."""

    key: str
    operator: str
    effect: str


class CheckpointSpec(TypedDict):
    """Where checkpoints are kept and copied to."""

    cloudStorageBucketName: str
    nodeSelector: dict[str, str]
    tolerations: list[Toleration]
    inMemoryVolumeSize: str


class CheckpointConfiguration(TypedDict):
    """The configuration of the whole cluster."""

    apiVersion: str
    kind: str
    metadata: Metadata
    spec: CheckpointSpec


def checkpoint_configuration(plan: CheckpointsPlan) -> CheckpointConfiguration:
    """The document; the driver runs on the hosts of the plan's machine type, and tolerates the taints that GKE sets."""
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
