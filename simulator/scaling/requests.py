"""ProvisioningRequests as GKE's cluster autoscaler reads and answers them. Pure.

A request asks for the nodes of whole sets of pods at once. Its conditions say how far it is: not yet Accepted, Accepted
and in the queue, Provisioned, BookingExpired once its nodes are kept for its pods no longer, CapacityRevoked once their
run duration is over; or Failed, which is final like CapacityRevoked.

Source: k8s.io/autoscaler/cluster-autoscaler/apis (the API), the public source of GKE's cluster autoscaler
(`provreqstate`, `queuedwrapper`, `resizerequest`: reasons, messages, details, names), and ProvisioningRequests quoted
in public issue reports, read 2026-11.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from components.kubeapi.documents import Document, entries, is_true, section
from components.model.facts import gke
from simulator.scaling.pods import Named, Pod

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

COLLECTION: Final = "/apis/autoscaling.x-k8s.io/v1/provisioningrequests"
"""All requests of a cluster."""
_PREFIX_LENGTH: Final = 20
_HASH_LENGTH: Final = 16
_SEARCH_STRATEGY: Final = "capacitySearchStrategy"


class State(StrEnum):
    """How far a request is: its condition that is True and comes last in this order."""

    PENDING = "Pending"
    ACCEPTED = "Accepted"
    PROVISIONED = "Provisioned"
    EXPIRED = "BookingExpired"
    REVOKED = "CapacityRevoked"
    FAILED = "Failed"


@dataclass(frozen=True, slots=True)
class Answer:
    """A condition that is to be written."""

    type: State
    reason: str
    message: str
    is_true: bool = True


INITIAL: Final = Answer(State.ACCEPTED, "NotAccepted", "Provisioning Request wasn't accepted.", is_true=False)
ACCEPTED: Final = Answer(State.ACCEPTED, "SuccessfullyQueued", "Provisioning Request was successfully queued.")
EXHAUSTED: Final = Answer(
    State.PROVISIONED,
    "ResourcePoolExhausted",
    "Waiting for resources. Currently there are not enough resources available to fulfill the request.",
    is_true=False,
)
PROVISIONED: Final = Answer(State.PROVISIONED, "Provisioned", "Provisioning Request was successfully provisioned.")
EXPIRED: Final = Answer(
    State.EXPIRED,
    "BookingExpired",
    "Capacity booking for the Provisioning Request has expired and the nodes are now candidates for scale down when "
    "underutilized.",
)
REVOKED: Final = Answer(
    State.REVOKED,
    "CapacityRevoked",
    "Capacity provisioned for the Provisioning Request was reclaimed and is no longer available in the cluster.",
)
MISSING: Final = Answer(State.FAILED, "MissingResizeRequest", "The corresponding Resize Request was missing.")


def failed(reason: str, message: str) -> Answer:
    """The end of a request that cannot be met."""
    return Answer(State.FAILED, reason, message)


@dataclass(frozen=True)
class Request(Named):
    """One ProvisioningRequest."""

    @property
    def path(self) -> str:
        """Its path in the API."""
        group, _, plural = COLLECTION.rpartition("/")
        return f"{group}/namespaces/{self.namespace}/{plural}/{self.name}"

    @property
    def version(self) -> int:
        """Greater for a version that the API server wrote later."""
        return int(self.document["metadata"]["resourceVersion"])

    @property
    def order(self) -> tuple[str, str, str]:
        """The oldest first."""
        return self.document["metadata"].get("creationTimestamp", ""), self.namespace, self.name

    @property
    def pod_sets(self) -> list[tuple[str, int]]:
        """Paths of the PodTemplates, each with the number of its pods that need room."""
        templates = f"/api/v1/namespaces/{self.namespace}/podtemplates"
        return [
            (f"{templates}/{each['podTemplateRef']['name']}", int(each["count"]))
            for each in entries(self.document, "spec", "podSets")
        ]

    @property
    def state(self) -> State:
        """How far it is."""
        return next((state for state in reversed(State) if is_true(self.document, state)), State.PENDING)

    @property
    def is_new(self) -> bool:
        """Whether nobody has answered yet."""
        return not entries(self.document, "status", "conditions")

    @property
    def resize_request(self) -> str:
        """The name of its request to the instance group."""
        return resize_request_name(self.namespace, self.name)

    @property
    def details(self) -> Mapping[str, str]:
        """The text for its user about where its nodes come."""
        return section(self.document, "status", "provisioningClassDetails")

    @property
    def run_seconds(self) -> int | None:
        """How long its nodes may live; None when it does not say.

        Raises:
            ValueError: the value is not a number.
        """
        stated = section(self.document, "spec", "parameters").get(gke.PARAMETER_RUN_SECONDS)
        return None if stated is None else int(stated)

    def refusal(self) -> Answer | None:
        """Why it is not looked at any further; None when it is."""
        class_name = section(self.document, "spec").get("provisioningClassName")
        if class_name != gke.QUEUED_PROVISIONING_CLASS:
            return failed(
                "NotModelled",
                f"The simulated autoscaler knows the provisioning class {gke.QUEUED_PROVISIONING_CLASS}, "
                f"and not {class_name}.",
            )
        strategy = section(self.document, "spec", "parameters").get(_SEARCH_STRATEGY)
        if strategy:
            return failed("NotModelled", f"The simulated autoscaler does not know {_SEARCH_STRATEGY} {strategy}.")
        try:
            seconds = self.run_seconds
        except ValueError:
            return failed(
                "InvalidArgumentMaxRunDurationParseError",
                "Additional parameter maxRunDurationSeconds could not be parsed.",
            )
        low, high = gke.FLEX_START_RUN_SECONDS
        if seconds is not None and not low <= seconds <= high:
            return failed(
                "InvalidArgumentMaxRunDuration", f"maxRunDurationSeconds is {seconds}, and not from {low} to {high}."
            )
        return None


def resize_request_name(namespace: str, name: str) -> str:
    """The name of the request to an instance group for a ProvisioningRequest.

    >>> resize_request_name("kueue-dws", "pod-dws-pod-4e884-dws-prov-1")
    'gke-kueue-dws-pod-dws-pod-4e884-dw-e6800c22a9239747'
    """
    digest = hashlib.sha256(f"{namespace}/{name}".encode()).hexdigest()[:_HASH_LENGTH]
    return f"gke-{namespace[:_PREFIX_LENGTH]}-{name[:_PREFIX_LENGTH]}-{digest}"


def pods_of(request: Request, templates: Sequence[Document]) -> list[Pod]:
    """The pods that a request wants room for; `templates` are the PodTemplates of its pod sets, in their order."""
    return [
        Pod(_pod(request, template, f"{template['metadata']['name']}-{index}"))
        for template, (_, count) in zip(templates, request.pod_sets, strict=True)
        for index in range(count)
    ]


def _pod(request: Request, template: Document, name: str) -> Document:
    metadata = {**section(template, "template", "metadata"), "name": name, "namespace": request.namespace, "uid": name}
    return {"metadata": metadata, "spec": section(template, "template", "spec")}


def answered(request: Request, answer: Answer, moment: str) -> list[dict[str, Any]]:
    """All conditions of a request after an answer at `moment`, an RFC 3339 time; a repeated one keeps its time."""
    conditions = {each["type"]: each for each in entries(request.document, "status", "conditions")}
    said = {
        "type": str(answer.type),
        "status": str(answer.is_true),
        "reason": answer.reason,
        "message": answer.message,
    }
    if not said.items() <= conditions.get(answer.type, {}).items():
        observed = request.document["metadata"].get("generation", 1)
        conditions[answer.type] = {**said, "observedGeneration": observed, "lastTransitionTime": moment}
    return list(conditions.values())
