"""The status that a kubelet would report of a pod with one container, as a patch of the pod."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from components.kubeapi.documents import Document, entries, section
from simulator.nodes import ANNOTATION_LOST

ENDED: Final = ("Succeeded", "Failed")
"""Phases in which nothing of a pod runs any more."""
_OWN_CONDITIONS: Final = ("PodScheduled", "Initialized", "ContainersReady", "Ready")
_GRACE_SECONDS: Final = 30.0
_SIGNALLED: Final = 128
"""A container runtime adds this to the number of the signal that ended a process."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """The state of the container."""

    state: Document
    """Its ContainerState: `running`, `waiting` or `terminated`."""
    ready: bool
    restarts: int
    started: str
    """When it was started, in the API's form of a time."""
    last: Document | None = None
    """The ContainerState before this one: how the container last ended."""


def running(started: str, *, ready: bool, restarts: int, last: Document | None) -> Seen:
    """The container's process runs; `last` is how the one before it ended."""
    return Seen(state={"running": {"startedAt": started}}, ready=ready, restarts=restarts, started=started, last=last)


def waiting(reason: str, message: str, *, restarts: int, started: str, last: Document | None = None) -> Seen:
    """The container cannot be started, or not yet again; `last` is how it ended."""
    state = {"waiting": {"reason": reason, "message": message}}
    return Seen(state=state, ready=False, restarts=restarts, started=started, last=last)


def ended(started: str, status: int, *, restarts: int, now: str) -> Seen:
    """The container's process has ended for good, with a wait status as subprocess gives it."""
    state = {"terminated": terminated(started, status, now)}
    return Seen(state=state, ready=False, restarts=restarts, started=started)


def terminated(started: str, status: int, now: str) -> Document:
    """How a process ended, as a ContainerStateTerminated.

    >>> terminated("a", -9, "b")["exitCode"]
    137
    """
    code = _SIGNALLED - status if status < 0 else status
    reason = "Completed" if code == 0 else "Error"
    return {"exitCode": code, "reason": reason, "startedAt": started, "finishedAt": now}


def other_conditions(pod: Document) -> list[Document]:
    """The conditions of a pod that others than the kubelet write, such as DisruptionTarget: a patch must keep them."""
    return [each for each in entries(pod, "status", "conditions") if each["type"] not in _OWN_CONDITIONS]


def is_unfinished_run(pod: Document) -> bool:
    """Whether a pod runs to completion, and has not ended."""
    policy, phase = section(pod, "spec").get("restartPolicy"), section(pod, "status").get("phase")
    return policy in ("Never", "OnFailure") and phase not in ENDED


def phase_of(status: int) -> str:
    """The phase of a pod whose container ended with a wait status."""
    return "Succeeded" if status == 0 else "Failed"


def is_lost(pod: Document) -> bool:
    """Whether the machine of a pod has failed."""
    return ANNOTATION_LOST in section(pod, "metadata", "annotations")


def grace_seconds(pod: Document) -> float:
    """Seconds between SIGTERM and SIGKILL: those of the deletion, else the pod's own."""
    deletion = section(pod, "metadata").get("deletionGracePeriodSeconds")
    own = section(pod, "spec").get("terminationGracePeriodSeconds")
    return float(next((each for each in (deletion, own) if each is not None), _GRACE_SECONDS))


def status_patch(container: Document, phase: str, seen: Seen, *, address: str, now: str) -> Document:
    """The merge patch of the pod's status.

    Args:
        container: the container as in the pod's spec.
        phase: the pod's phase.
        seen: the state of the container.
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
                    "lastState": {"terminated": seen.last} if seen.last else {},
                }
            ],
            "podIP": address,
            "podIPs": [{"ip": address}],
            "startTime": seen.started,
        }
    }
