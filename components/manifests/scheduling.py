"""The PriorityClass document: how the scheduler orders pods, beside Kueue's order of workloads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NotRequired, TypedDict

if TYPE_CHECKING:
    from components.manifests.metadata import Metadata
    from components.model.plan.queues import PriorityPlan

API_VERSION: Final = "scheduling.k8s.io/v1"


class PriorityClass(TypedDict):
    """The priority of pods."""

    apiVersion: str
    kind: str
    metadata: Metadata
    value: int
    description: NotRequired[str]


def priority_class(priority: PriorityPlan) -> PriorityClass:
    """The priority's document; pods that name none are not of it.

    `globalDefault: false` is not written: the API server leaves a false out when it answers, and what is written but
    not answered shows as drift at every refresh.
    """
    document: PriorityClass = {
        "apiVersion": API_VERSION,
        "kind": "PriorityClass",
        "metadata": {"name": priority.name},
        "value": priority.value,
    }
    if priority.description is not None:
        document["description"] = priority.description
    return document
