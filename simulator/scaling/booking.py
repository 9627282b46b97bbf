"""The queued node pools at one look: whose machines exist, and which are promised. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from components.kubeapi.documents import entries
from components.model.facts import gke
from simulator.cloud.names import short_name
from simulator.cloud.service import at
from simulator.scaling.fitting import is_queued

if TYPE_CHECKING:
    from collections.abc import Callable

    from simulator.cloud.api import Body
    from simulator.scaling.requests import Request
    from simulator.scaling.state import State
    from simulator.scaling.supply import Group
    from simulator.scaling.times import Times

_DETAIL_GROUP: Final = "NodeGroupName"
_DETAIL_ZONE: Final = "SelectedZone"


@dataclass(frozen=True, slots=True)
class View:
    """One look at a cluster."""

    state: State
    times: Times
    limit_against: Callable[[Group], str | None]
    """Why the cluster's own limits stop a growth of a group; None when they do not."""

    @property
    def now(self) -> float:
        """Simulated seconds since 1970."""
        return self.state.now

    def group_of(self, request: Request) -> Group | None:
        """The group that the request's status names; None when it is gone, or none is named."""
        told = (request.details.get(_DETAIL_GROUP), request.details.get(_DETAIL_ZONE))
        return next((each for each in self.state.groups if (short_name(each.name), each.zone) == told), None)

    def machines_of(self, request: Request) -> list[Body]:
        """The machines that came for a request and run."""
        group = self.group_of(request)
        return [
            each
            for each in (() if group is None else group.instances)
            if each["status"] == "RUNNING" and at(each, "resizeRequest.name") == request.resize_request
        ]

    def has_pod_on(self, request: Request, nodes: frozenset[str]) -> bool:
        """Whether a pod of a request is on one of the nodes, or was."""
        mine = (request.namespace, request.name)
        return any((pod.namespace, pod.consumes) == mine and pod.node in nodes for pod in self.state.pods)


class Sizes:
    """How many machines queued groups have, or will have when all that was promised has come."""

    def __init__(self, state: State) -> None:
        self.of = {group.name: group.size for group in state.groups if is_queued(group)}
        """By group name."""

    def promise(self, group: str, machines: int) -> None:
        """Count machines that a request will have."""
        if group in self.of:
            self.of[group] += machines


def details_of(request: Request, group: Group) -> dict[str, str]:
    """GKE's text for the user of an accepted request about where its nodes come."""
    labels = group.template["metadata"].get("labels", {})
    templates = [each["podTemplateRef"]["name"] for each in entries(request.document, "spec", "podSets")]
    told = {
        _DETAIL_GROUP: short_name(group.name),
        gke.DETAIL_RESIZE_REQUEST: request.resize_request,
        "NodePoolName": short_name(group.pool),
        "AcceleratorType": labels.get(gke.LABEL_TPU_ACCELERATOR) or labels.get(gke.LABEL_GPU_ACCELERATOR),
        _DETAIL_ZONE: group.zone,
        "NodePoolAutoProvisioned": str(group.is_autoprovisioned).lower(),
        "PodTemplateName": ", ".join(templates),
        "ProvisioningMode": "resize_request",
    }
    return {key: value for key, value in told.items() if value}
