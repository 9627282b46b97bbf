"""The AdmissionCheck that requests nodes before a workload starts, and its configuration."""

from __future__ import annotations

from typing import TYPE_CHECKING, NotRequired, TypedDict

from components.manifests.kueue import API_VERSION, GROUP
from components.model.facts import gke

if TYPE_CHECKING:
    from components.manifests.metadata import Metadata
    from components.model.plan.queues import AdmissionCheckPlan


class Parameters(TypedDict):
    """The object with the parameters of a check."""

    apiGroup: str
    kind: str
    name: str


class AdmissionCheckSpec(TypedDict):
    """The controller of a check, and its parameters."""

    controllerName: str
    parameters: Parameters


class AdmissionCheck(TypedDict):
    """A condition beside quota, which workloads must meet."""

    apiVersion: str
    kind: str
    metadata: Metadata
    spec: AdmissionCheckSpec


class RetryStrategy(TypedDict):
    """What happens after a request that failed."""

    backoffLimitCount: int


class NodeSelectorUpdate(TypedDict):
    """A node label by which pods find the nodes that were provisioned for them, and the source of its value."""

    key: str
    valueFromProvisioningClassDetail: str


class PodSetUpdates(TypedDict):
    """What pods get once their nodes are there."""

    nodeSelector: list[NodeSelectorUpdate]


class ProvisioningRequestConfigSpec(TypedDict):
    """How Kueue requests nodes."""

    provisioningClassName: str
    managedResources: list[str]
    parameters: NotRequired[dict[str, str]]
    retryStrategy: NotRequired[RetryStrategy]
    podSetUpdates: NotRequired[PodSetUpdates]


class ProvisioningRequestConfig(TypedDict):
    """The configuration of a check's ProvisioningRequests."""

    apiVersion: str
    kind: str
    metadata: Metadata
    spec: ProvisioningRequestConfigSpec


def admission_check(check: AdmissionCheckPlan) -> AdmissionCheck:
    """The check's document."""
    return {
        "apiVersion": API_VERSION,
        "kind": "AdmissionCheck",
        "metadata": {"name": check.name},
        "spec": {
            "controllerName": gke.PROVISIONING_CONTROLLER,
            "parameters": {"apiGroup": GROUP, "kind": "ProvisioningRequestConfig", "name": check.name},
        },
    }


def provisioning_request_config(check: AdmissionCheckPlan) -> ProvisioningRequestConfig:
    """The document of the check's configuration; nodes of GKE's own class have a label that only their pods select."""
    spec: ProvisioningRequestConfigSpec = {
        "provisioningClassName": check.class_name,
        "managedResources": list(check.managed_resources),
    }
    if check.parameters:
        spec["parameters"] = dict(check.parameters)
    if check.retries is not None:
        spec["retryStrategy"] = {"backoffLimitCount": check.retries}
    if check.class_name == gke.QUEUED_PROVISIONING_CLASS:
        label: NodeSelectorUpdate = {
            "key": gke.LABEL_PROVISIONING_REQUEST,
            "valueFromProvisioningClassDetail": gke.DETAIL_RESIZE_REQUEST,
        }
        spec["podSetUpdates"] = {"nodeSelector": [label]}
    return {
        "apiVersion": API_VERSION,
        "kind": "ProvisioningRequestConfig",
        "metadata": {"name": check.name},
        "spec": spec,
    }
