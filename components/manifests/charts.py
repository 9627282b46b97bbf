"""What the charts of JobSet and Kueue are told: pinned images, and Kueue's configuration.

Kueue's chart takes its configuration as one text that replaces the chart's own, so all of it stands here. Beyond the
frameworks it says what the chart of Kueue 0.16.2 says, and keeps off what a later release would do by itself to work
that runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypedDict

import yaml

from components.model import gke, versions

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

_WAITS_FOR_READY_PODS: Final = (0, 19, 0)
"""The first release of Kueue that evicts by itself what has no ready pods 30 minutes after its admission.

Work on flex-start slices, and work that finds no capacity, waits longer than that with good reason. After an upgrade
such a Kueue may even evict work that has run for longer: it sees its pods only after it has looked at the clock.

Source: Kueue 0.19.2, apis/config/v1beta2/defaults.go and pkg/controller/core/workload_controller.go.
"""


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
        "managerConfig": {"controllerManagerConfigYaml": _kueue_configuration(release, controllers)},
    }


def _image(release: ReleasePlan) -> Image:
    return {"repository": release.image, "tag": release.tag, "pullPolicy": _PULL_POLICY}


def _kueue_configuration(release: ReleasePlan, controllers: ControllersPlan) -> str:
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
    if versions.parse_release(release.version) >= _WAITS_FOR_READY_PODS:
        configuration["featureGates"] = {"DisableWaitForPodsReady": True}
    return yaml.safe_dump(configuration, sort_keys=False)
