"""The status that a kubelet would report of a pod with one container, as a patch of the pod. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kubeapi.documents import Document


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """How the container fares."""

    state: Document
    """Its ContainerState: `running` or `waiting`."""
    ready: bool
    restarts: int
    started: str
    """When it was started, in the API's form of a time."""


def running(started: str, *, ready: bool, restarts: int) -> Seen:
    """The container's process runs."""
    return Seen(state={"running": {"startedAt": started}}, ready=ready, restarts=restarts, started=started)


def waiting(reason: str, message: str, *, restarts: int, started: str) -> Seen:
    """The container cannot be started, or not yet again."""
    state = {"waiting": {"reason": reason, "message": message}}
    return Seen(state=state, ready=False, restarts=restarts, started=started)


def status_patch(container: Document, phase: str, seen: Seen, *, address: str, now: str) -> Document:
    """The merge patch of the pod's status.

    Args:
        container: the container as in the pod's spec.
        phase: the pod's phase.
        seen: how the container fares.
        address: the pod's IP.
        now: the time, in the API's form.
    """
    status = "True" if seen.ready else "False"
    return {
        "status": {
            "phase": phase,
            "conditions": [
                {"type": "PodScheduled", "status": "True", "lastTransitionTime": seen.started},
                {"type": "Initialized", "status": "True", "lastTransitionTime": seen.started},
                {"type": "ContainersReady", "status": status, "lastTransitionTime": now},
                {"type": "Ready", "status": status, "lastTransitionTime": now},
            ],
            "containerStatuses": [
                {
                    "name": container["name"],
                    "image": container["image"],
                    "imageID": "",
                    "ready": seen.ready,
                    "started": "running" in seen.state,
                    "restartCount": seen.restarts,
                    "state": seen.state,
                }
            ],
            "podIP": address,
            "podIPs": [{"ip": address}],
            "startTime": seen.started,
        }
    }
