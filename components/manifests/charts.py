"""The values of the charts of JobSet and Kueue: pinned images, and Kueue's configuration.

Kueue's chart takes its configuration as one text that replaces the chart's own. It equals the configuration of the
chart's release, except for the frameworks and the settings of the stack file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import yaml

from components.model.facts import gke
from components.model.facts.apis import served

if TYPE_CHECKING:
    from components.manifests.metadata import Manifest
    from components.model.plan.queues import ControllersPlan, PodsReadyPlan, ReleasePlan

_PULL_POLICY: Final = "IfNotPresent"
_PATIENCE: Final = "DisableWaitForPodsReady"
"""The feature gate that restores the behaviour before 0.19: a workload whose pods wait for nodes keeps its place.

It is set unless the stack file says how long a workload may wait.

Without it Kueue evicts a workload whose pods are not ready 30 minutes after its admission, though flex-start and
autoscaled slices may come later than that. After an upgrade it may even evict work that has run for longer: it sees its
pods only after it has looked at the clock. Source: Kueue 0.19.2, apis/config/v1beta2/defaults.go, pkg/features and
pkg/controller/core/workload_controller.go.
"""
_PREEMPTION_STRATEGIES: Final = ("LessThanOrEqualToFinalShare", "LessThanInitialShare")
"""How fair sharing decides whether an eviction makes shares fairer: Kueue's own two, tried in this order."""


def jobset_values(release: ReleasePlan) -> Manifest:
    """Values of JobSet's release."""
    return {"image": _image(release)}


def kueue_values(release: ReleasePlan, controllers: ControllersPlan) -> Manifest:
    """Values of Kueue's release."""
    return {
        "controllerManager": {"manager": {"image": _image(release)}},
        "managerConfig": {"controllerManagerConfigYaml": _kueue_configuration(release, controllers)},
    }


def _image(release: ReleasePlan) -> Manifest:
    return {"repository": release.image, "tag": release.tag, "pullPolicy": _PULL_POLICY}


def _kueue_configuration(release: ReleasePlan, controllers: ControllersPlan) -> str:
    configuration: dict[str, object] = {
        **served.chart_configuration(release.version),
        "webhook": {"port": gke.PORT_WEBHOOK},
        "integrations": {"frameworks": list(controllers.frameworks)},
    }
    if controllers.pods_ready is not None:
        configuration["waitForPodsReady"] = _wait_for_pods_ready(controllers.pods_ready)
    gates = _gates(release, controllers)
    if gates:
        configuration["featureGates"] = gates
    if controllers.fair_sharing:
        configuration["fairSharing"] = {"preemptionStrategies": list(_PREEMPTION_STRATEGIES)}
    return yaml.safe_dump(configuration, sort_keys=False)


def _gates(release: ReleasePlan, controllers: ControllersPlan) -> dict[str, bool]:
    is_patient = controllers.pods_ready is None and served.gates()[_PATIENCE].covers(release.version)
    return {
        **({_PATIENCE: True} if is_patient else {}),
        **({served.CONCURRENT_ADMISSION: True} if controllers.concurrent_admission else {}),
    }


def _wait_for_pods_ready(pods_ready: PodsReadyPlan) -> dict[str, object]:
    """All of it, since releases differ in their defaults."""
    strategy: dict[str, object] = {
        "timestamp": pods_ready.timestamp,
        "backoffBaseSeconds": pods_ready.base_seconds,
        "backoffMaxSeconds": pods_ready.max_seconds,
    }
    if pods_ready.limit is not None:
        strategy["backoffLimitCount"] = pods_ready.limit
    return {
        "timeout": f"{pods_ready.timeout_seconds}s",
        "recoveryTimeout": f"{pods_ready.recovery_seconds}s",
        "blockAdmission": pods_ready.block_admission,
        "requeuingStrategy": strategy,
    }
