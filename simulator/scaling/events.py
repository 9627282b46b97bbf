"""Events on pods, as GKE's cluster autoscaler writes them: `kubectl describe pod` shows why a pod still waits.

Source of the texts: kubernetes/autoscaler (TriggeredScaleUp, NotTriggerScaleUp) and GKE documentation "Troubleshoot
cluster autoscaler not scaling up" (FailedScaleUp), read 2026-11.
"""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from kubeapi import ApiError, UnreachableError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubeapi import Api
    from kubeapi.documents import Document
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


class Events:
    """Writes the Events of one cluster; a repeated message only increases its count."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def write(self, pod: Pod, reason: str, message: str) -> bool:
        """Write `message` about the pod; False when the API server did not take it, which does no harm."""
        digest = hashlib.sha256(f"{pod.uid} {reason} {message}".encode()).hexdigest()[:16]
        collection = f"/api/v1/namespaces/{pod.namespace}/events"
        name = f"{pod.name}.{digest}"
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        try:
            known = self._api.find(f"{collection}/{name}")
            if known is None:
                self._api.create(collection, _document(pod, name, reason, message, now))
            else:
                count = int(known.get("count") or 1) + 1
                self._api.merge(f"{collection}/{name}", {"count": count, "lastTimestamp": now})
        except (ApiError, UnreachableError):
            return False
        return True


def _document(pod: Pod, name: str, reason: str, message: str, now: str) -> Document:
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": name, "namespace": pod.namespace},
        "involvedObject": {
            "apiVersion": "v1",
            "kind": "Pod",
            "namespace": pod.namespace,
            "name": pod.name,
            "uid": pod.uid,
        },
        "reason": reason,
        "message": message,
        "type": _TYPES[reason],
        "source": {"component": SOURCE},
        "reportingComponent": SOURCE,
        "reportingInstance": "",
        "firstTimestamp": now,
        "lastTimestamp": now,
        "count": 1,
    }
