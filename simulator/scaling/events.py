"""Events on pods, as GKE's cluster autoscaler writes them: `kubectl describe pod` shows why a pod still waits.

Source of the texts: kubernetes/autoscaler (TriggeredScaleUp, NotTriggerScaleUp) and GKE documentation "Troubleshoot
cluster autoscaler not scaling up" (FailedScaleUp), read 2026-11.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.kubeapi import Api, ApiError, UnreachableError
from simulator.pods.events import write

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.scaling.pods import Pod

TRIGGERED: Final = "TriggeredScaleUp"
NOT_TRIGGERED: Final = "NotTriggerScaleUp"
FAILED: Final = "FailedScaleUp"
SOURCE: Final = "cluster-autoscaler"
_TYPES: Final = {TRIGGERED: "Normal", NOT_TRIGGERED: "Normal", FAILED: "Warning"}


def triggered(growths: Sequence[str]) -> str:
    """The message for a pod that some growths help, each in the autoscaler's form."""
    return f"pod triggered scale-up: [{' '.join(growths)}]"


def not_triggered(reasons: str) -> str:
    """The message for a pod that nothing helps."""
    return f"pod didn't trigger scale-up: {reasons}"


def failed(zone: str, cause: str) -> str:
    """The message for a pod whose nodes did not come."""
    return (
        f"Node scale up in zones {zone} associated with this pod failed: {cause}. "
        "Pod is at risk of not being scheduled."
    )


def tell(api: Api, pod: Pod, reason: str, message: str) -> bool:
    """Write `message` about the pod; False when the API server did not take it, which does no harm."""
    about = {**pod.document, "kind": "Pod"}
    try:
        write(api, about, reason, message, source=SOURCE, kind=_TYPES[reason])
    except (ApiError, UnreachableError):
        return False
    return True
