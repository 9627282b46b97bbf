"""What the charts of JobSet and Kueue are told: pinned images, and Kueue's configuration.

Kueue's chart takes its configuration as one text that replaces the chart's own, so all of it stands here. Beyond the
frameworks it says what the chart of Kueue 0.16.2 says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypedDict

import yaml

from components.model import gke

if TYPE_CHECKING:
    from components.model.plan import ControllersPlan, ReleasePlan

_PULL_POLICY: Final = "IfNotPresent"
_CONCURRENCY: Final = {
    "Job.batch": 5,
    "Pod": 5,
    "Workload.kueue.x-k8s.io": 5,
    "LocalQueue.kueue.x-k8s.io": 1,
    "ClusterQueue.kueue.x-k8s.io": 1,
    "ResourceFlavor.kueue.x-k8s.io": 1,
}
"""How many objects of a kind Kueue works on at once."""

_PREEMPTION_STRATEGIES: Final = ("LessThanOrEqualToFinalShare", "LessThanInitialShare")
"""How fair sharing judges whether an eviction makes shares fairer: Kueue's own two, tried in this order."""


class Image(TypedDict):
    """A pinned image in the form of both charts."""

    repository: str
    tag: str
    pullPolicy: str


class JobSetValues(TypedDict):
    """Values of JobSet's chart."""

    image: Image


class Manager(TypedDict):
    """Kueue's one process."""

    image: Image


class ControllerManager(TypedDict):
    """Kueue's Deployment."""

    manager: Manager


class ManagerConfig(TypedDict):
    """Kueue's configuration file."""

    controllerManagerConfigYaml: str


class KueueValues(TypedDict):
    """Values of Kueue's chart."""

    controllerManager: ControllerManager
    managerConfig: ManagerConfig


def jobset_values(release: ReleasePlan) -> JobSetValues:
    """Values of JobSet's release."""
    return {"image": _image(release)}


def kueue_values(release: ReleasePlan, controllers: ControllersPlan) -> KueueValues:
    """Values of Kueue's release."""
    return {
        "controllerManager": {"manager": {"image": _image(release)}},
        "managerConfig": {"controllerManagerConfigYaml": _kueue_configuration(controllers)},
    }


def _image(release: ReleasePlan) -> Image:
    return {"repository": release.image, "tag": release.tag, "pullPolicy": _PULL_POLICY}


def _kueue_configuration(controllers: ControllersPlan) -> str:
    configuration: dict[str, object] = {
        "apiVersion": "config.kueue.x-k8s.io/v1beta2",
        "kind": "Configuration",
        "health": {"healthProbeBindAddress": ":8081"},
        "metrics": {"bindAddress": ":8443"},
        "webhook": {"port": gke.PORT_WEBHOOK},
        "leaderElection": {"leaderElect": True, "resourceName": "c1f6bfd2.kueue.x-k8s.io"},
        "controller": {"groupKindConcurrency": _CONCURRENCY},
        "clientConnection": {"qps": 50, "burst": 100},
        "integrations": {"frameworks": list(controllers.frameworks)},
    }
    if controllers.fair_sharing:
        configuration["fairSharing"] = {"preemptionStrategies": list(_PREEMPTION_STRATEGIES)}
    return yaml.safe_dump(configuration, sort_keys=False)
