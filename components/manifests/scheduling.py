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
    """The priority's document; it is not the default of pods that name none.

    `globalDefault: false` is not written: the API server leaves a false out of its answer, and a written field that is
    not in the answer shows as drift at every refresh.
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
