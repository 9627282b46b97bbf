"""The add-ons of a cluster that bring something to its API server, and which of them GKE refuses to turn on.

Source: the cluster resource of the GKE API (AddonsConfig, SecretManagerConfig); GKE documentation of Multi-Tier
Checkpointing (version, not on Autopilot, Workload Identity), of the Lustre, Cloud Storage FUSE and Secret Manager
add-ons and of the Ray operator (versions), read 2026-11. The sentences of the refusals are ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from components.model.facts.gke import parse_version
from simulator.cloud.api import invalid
from simulator.cloud.service import at

if TYPE_CHECKING:
    from simulator.cloud.api import Body


@dataclass(frozen=True, slots=True, kw_only=True)
class AddOn:
    """One add-on."""

    name: str
    """As `gcloud container clusters update --update-addons` has it."""
    switch: str
    """Dotted path of its switch in the cluster's document."""
    since: str
    """The first GKE version that has it."""
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
    AddOn(
        name=PERSISTENT_DISK,
        switch="addonsConfig.gcePersistentDiskCsiDriverConfig.enabled",
        since="1.18.10-gke.2100",
        is_always_on_autopilot=True,
    ),
    AddOn(
        name=FILESTORE,
        switch="addonsConfig.gcpFilestoreCsiDriverConfig.enabled",
        since="1.21.0-gke.0",
        is_always_on_autopilot=True,
    ),
    AddOn(
        name=GCS_FUSE,
        switch="addonsConfig.gcsFuseCsiDriverConfig.enabled",
        since="1.24.0-gke.0",
        needs_workload_identity=True,
        is_always_on_autopilot=True,
    ),
    AddOn(name=LUSTRE, switch="addonsConfig.lustreCsiDriverConfig.enabled", since="1.33.2-gke.1111000"),
    AddOn(
        name=CHECKPOINTS,
        switch="addonsConfig.highScaleCheckpointingConfig.enabled",
        since="1.32.4-gke.1415000",
        needs_workload_identity=True,
        is_on_autopilot=False,
    ),
    AddOn(name=RAY, switch="addonsConfig.rayOperatorConfig.enabled", since="1.30.0-gke.1747000"),
    AddOn(
        name=SECRETS,
        switch="secretManagerConfig.enabled",
        since="1.27.14-gke.1042001",
        needs_workload_identity=True,
    ),
)


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
    version = cluster["currentMasterVersion"]
    for each in ADD_ONS:
        is_on = at(cluster, each.switch)
        if is_autopilot and each.is_always_on_autopilot and is_on is False:
            raise invalid(f"Addon {each.name} cannot be disabled on Autopilot clusters.")
        if not is_on:
            continue
        if is_autopilot and not each.is_on_autopilot:
            raise invalid(f"Addon {each.name} is not supported on Autopilot clusters.")
        if parse_version(version) < parse_version(each.since):
            raise invalid(f"Addon {each.name} is not supported by version {version}: it needs {each.since} or later.")
        if each.needs_workload_identity and not has_identity:
            raise invalid(f"Addon {each.name} needs Workload Identity: set workloadIdentityConfig.workloadPool.")
