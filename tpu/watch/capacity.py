"""Why pods have no node: what the scheduler and the cluster autoscaler said of them last.

The autoscaler speaks in events on the pods: TriggeredScaleUp (nodes are ordered), NotTriggerScaleUp (no node pool
would help) and FailedScaleUp (the cloud did not give the nodes, such as when it is out of stock). After a failure it
backs off and says NotTriggerScaleUp meanwhile; the failure is still the reason then. A pod for which the scheduler
makes room has a nominated node.

Pods whose nodes are requested together do not exist before their nodes do: the ProvisioningRequest says what they wait
for. GKE keeps an accepted request in a queue, and its condition Provisioned says what it lacks.

Source: kubernetes/autoscaler (event reasons) and GKE documentation "Troubleshoot cluster autoscaler not scaling up",
read 2026-11.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from components.kubeapi.documents import Document, condition, is_true, section

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


TRIGGERED: Final = "TriggeredScaleUp"
NOT_TRIGGERED: Final = "NotTriggerScaleUp"
FAILED: Final = "FailedScaleUp"
AUTOSCALER_REASONS: Final = (TRIGGERED, NOT_TRIGGERED, FAILED)
UNSCHEDULABLE: Final = "FailedScheduling"


Word = Literal["finished", "failed", "running", "coming", "waiting"]


@dataclass(frozen=True, slots=True)
class State:
    """What a job does."""

    word: Word
    why: str = ""
    """What a job that does not wholly run waits for: a part of a sentence that begins with a verb."""
    failures: int = 0
    """How often the cloud did not give it nodes."""
    is_final: bool = True
    """False where somebody has still to say whether nodes will come."""
    advice: str = ""
    """What to do about it, as sentences; empty where there is nothing but to wait."""


def wait_of(pods: Sequence[Document], events: Iterable[Document]) -> State:
    """What `pods`, at least one and all without a node, wait for.

    Args:
        pods: the pods.
        events: events about anything, in the order in which the API server wrote them.
    """
    by_pod: dict[str, list[Document]] = {pod["metadata"]["uid"]: [] for pod in pods}
    for event in events:
        about = section(event, "involvedObject").get("uid")
        if event.get("reason") in AUTOSCALER_REASONS and about in by_pod:
            by_pod[about].append(event)
    told = list(by_pod.values())
    failures = max(sum(int(event.get("count") or 1) for event in each if event["reason"] == FAILED) for each in told)
    has_verdict = any(each and each[-1]["reason"] != TRIGGERED for each in told)
    if any(section(pod, "status").get("nominatedNodeName") for pod in pods):
        return State("coming", "waits until room is made for it", failures, has_verdict)
    if any(each and each[-1]["reason"] == TRIGGERED for each in told):
        return State("coming", "waits for capacity: nodes are being provisioned", failures, has_verdict)
    verdict = next((_verdict(each) for each in told if each), None)
    return State("waiting", _why(pods[0], verdict), failures, has_verdict)


def _verdict(told: Sequence[Document]) -> Document:
    """The last failure since nodes were ordered last, or what was said last."""
    for event in reversed(told):
        if event["reason"] == TRIGGERED:
            break
        if event["reason"] == FAILED:
            return event
    return told[-1]


def _why(pod: Document, verdict: Document | None) -> str:
    said = str(condition(pod, "PodScheduled").get("message") or "the scheduler has not said anything yet")
    if verdict is None:
        return f"waits for capacity: {said}"
    if verdict["reason"] == FAILED:
        return f"waits for capacity: {verdict['message']}"
    return f"waits for capacity: {said} Autoscaler: {verdict['message']}"


def wait_of_request(request: Document) -> State | None:
    """What a ProvisioningRequest waits for; None for one that is not in the queue: new, provisioned or failed."""
    if not is_true(request, "Accepted") or is_true(request, "Provisioned") or is_true(request, "Failed"):
        return None
    lacking = condition(request, "Provisioned").get("message")
    said = lacking or "nodes are being provisioned"
    why = f"waits for capacity: ProvisioningRequest {request['metadata']['name']} is queued: {said}"
    return State("waiting" if lacking else "coming", why, is_final=bool(lacking))
