"""The add-ons of a cluster that bring something to its API server, and which of them GKE refuses to turn on.

Source: the cluster resource of the GKE API (AddonsConfig, SecretManagerConfig); GKE documentation of Multi-Tier
Checkpointing (not on Autopilot, Workload Identity), of the Cloud Storage FUSE and Secret Manager add-ons, read 2026-11.
The sentences of the refusals are ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from simulator.cloud.api import Body, invalid
from simulator.cloud.service import at


@dataclass(frozen=True, slots=True)
class AddOn:
    """One add-on."""

    name: str
    """As `gcloud container clusters update --update-addons` has it."""
    switch: str
    """Dotted path of its switch in the cluster's document."""
    needs_workload_identity: bool = False
    is_on_autopilot: bool = True
    is_always_on_autopilot: bool = False


PERSISTENT_DISK: Final = "GcePersistentDiskCsiDriver"
FILESTORE: Final = "GcpFilestoreCsiDriver"
GCS_FUSE: Final = "GcsFuseCsiDriver"
LUSTRE: Final = "LustreCsiDriver"
CHECKPOINTS: Final = "HighScaleCheckpointing"
RAY: Final = "RayOperator"
SECRETS: Final = "SecretManager"

ADD_ONS: Final = (
    AddOn(PERSISTENT_DISK, "addonsConfig.gcePersistentDiskCsiDriverConfig.enabled", is_always_on_autopilot=True),
    AddOn(FILESTORE, "addonsConfig.gcpFilestoreCsiDriverConfig.enabled", is_always_on_autopilot=True),
    AddOn(
        GCS_FUSE,
        "addonsConfig.gcsFuseCsiDriverConfig.enabled",
        needs_workload_identity=True,
        is_always_on_autopilot=True,
    ),
    AddOn(LUSTRE, "addonsConfig.lustreCsiDriverConfig.enabled"),
    AddOn(
        CHECKPOINTS,
        "addonsConfig.highScaleCheckpointingConfig.enabled",
        needs_workload_identity=True,
        is_on_autopilot=False,
    ),
    AddOn(RAY, "addonsConfig.rayOperatorConfig.enabled"),
    AddOn(SECRETS, "secretManagerConfig.enabled", needs_workload_identity=True),
)
"""Each of them is older than every version that the simulated cloud offers."""


def enabled(cluster: Body) -> list[str]:
    """The names of the add-ons of a cluster's document that are on, sorted."""
    return sorted(each.name for each in ADD_ONS if at(cluster, each.switch))


def check(cluster: Body) -> None:
    """Refuse a cluster with an add-on that it cannot have.

    Raises:
        CloudError: INVALID_ARGUMENT.
    """
    is_autopilot = bool(at(cluster, "autopilot.enabled"))
    has_identity = bool(at(cluster, "workloadIdentityConfig.workloadPool"))
    for each in ADD_ONS:
        is_on = at(cluster, each.switch)
        if is_autopilot and each.is_always_on_autopilot and is_on is False:
            raise invalid(f"Addon {each.name} cannot be disabled on Autopilot clusters.")
        if not is_on:
            continue
        if is_autopilot and not each.is_on_autopilot:
            raise invalid(f"Addon {each.name} is not supported on Autopilot clusters.")
        if each.needs_workload_identity and not has_identity:
            raise invalid(f"Addon {each.name} needs Workload Identity: set workloadIdentityConfig.workloadPool.")
