"""A pod as scheduling sees it, read once from its document. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from components.kubeapi.documents import Document, condition, entries, section
from components.model.facts import gke
from simulator.scaling.quantities import Amounts, added, amounts, largest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from simulator.pods.selectors import Labels

_ENDED = ("Succeeded", "Failed")
_MIRROR = "kubernetes.io/config.mirror"
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


@dataclass(frozen=True)
class Named:
    """One object of a namespace, read from its document."""

    document: Document

    @property
    def uid(self) -> str:
        """Its uid."""
        return self.document["metadata"]["uid"]

    @property
    def namespace(self) -> str:
        """Its namespace."""
        return self.document["metadata"]["namespace"]

    @property
    def name(self) -> str:
        """Its name in the namespace."""
        return self.document["metadata"]["name"]


@dataclass(frozen=True, slots=True)
class Neighbours:
    """One required term of pod affinity or anti-affinity."""

    selector: Document | None
    topology_key: str
    namespaces: frozenset[str] | None
    """None for all."""


@dataclass(frozen=True)
class Pod(Named):
    """One pod."""

    @property
    def created(self) -> str:
        """When it was created, in a form that sorts."""
        return self.document["metadata"].get("creationTimestamp", "")

    @property
    def spec(self) -> Document:
        """Its specification."""
        return section(self.document, "spec")

    @property
    def labels(self) -> Labels:
        """Its labels."""
        return section(self.document, "metadata", "labels")

    @property
    def annotations(self) -> Mapping[str, str]:
        """Its annotations."""
        return section(self.document, "metadata", "annotations")

    @property
    def consumes(self) -> str | None:
        """The ProvisioningRequest of its namespace whose nodes it is for; None for a pod that waits for any node."""
        return self.annotations.get(gke.ANNOTATION_CONSUMES)

    @cached_property
    def node(self) -> str:
        """The node that it is bound to; empty while it is not."""
        return self.spec.get("nodeName") or ""

    @property
    def selector(self) -> Labels:
        """Its node selector."""
        return section(self.spec, "nodeSelector")

    @property
    def affinity(self) -> Document:
        """Its affinity."""
        return section(self.spec, "affinity")

    @property
    def priority(self) -> int:
        """Its priority."""
        return int(self.spec.get("priority") or 0)

    @property
    def is_over(self) -> bool:
        """Whether it has ended."""
        return section(self.document, "status").get("phase") in _ENDED

    @property
    def is_leaving(self) -> bool:
        """Whether its deletion was asked for."""
        return "deletionTimestamp" in self.document["metadata"]

    @cached_property
    def is_unschedulable(self) -> bool:
        """Whether the scheduler looked at it and found no node."""
        scheduled = condition(self.document, "PodScheduled")
        return (
            not self.node
            and not self.is_leaving
            and not self.is_over
            and scheduled.get("status") == "False"
            and scheduled.get("reason") == "Unschedulable"
        )

    @property
    def is_promised(self) -> bool:
        """Whether the scheduler makes room for it by preemption."""
        return bool(section(self.document, "status").get("nominatedNodeName"))

    @property
    def makes_nodes(self) -> bool:
        """Whether its priority is high enough for the autoscaler to add nodes for it."""
        return self.priority >= gke.AUTOSCALER_PRIORITY_FLOOR

    @cached_property
    def holds_node(self) -> bool:
        """Whether a node with it is in use: not when it has ended, and not when every node has one like it."""
        owners = entries(section(self.document, "metadata"), "ownerReferences")
        everywhere = any(owner.get("kind") == "DaemonSet" for owner in owners)
        return not (self.is_over or everywhere or _MIRROR in self.annotations)

    @cached_property
    def requests(self) -> Amounts:
        """Its requests: those of its containers together, or the greatest of its init containers."""
        running: Amounts = {}
        for container in entries(self.spec, "containers"):
            running = added(running, _requests(container))
        starting: Amounts = {}
        for container in entries(self.spec, "initContainers"):
            if container.get("restartPolicy") == "Always":
                running = added(running, _requests(container))
            starting = largest(starting, _requests(container))
        whole = added(largest(running, starting), amounts(section(self.spec, "overhead")))
        return {**whole, **amounts({**section(self.spec, "resources", "requests"), "pods": 1})}

    @cached_property
    def host_ports(self) -> frozenset[tuple[str, int]]:
        """The ports of the node that it takes, with their protocols."""
        beside = [each for each in entries(self.spec, "initContainers") if each.get("restartPolicy") == "Always"]
        return frozenset(
            (port.get("protocol") or "TCP", int(port["hostPort"]))
            for container in [*beside, *entries(self.spec, "containers")]
            for port in entries(container, "ports")
            if port.get("hostPort")
        )

    @cached_property
    def together(self) -> tuple[Neighbours, ...]:
        """Its required affinity terms."""
        return self._neighbours("podAffinity")

    @cached_property
    def apart(self) -> tuple[Neighbours, ...]:
        """Its required anti-affinity terms."""
        return self._neighbours("podAntiAffinity")

    @cached_property
    def unmodelled(self) -> str | None:
        """The requirement of the pod that is not understood here; None when all are."""
        spreads = entries(self.spec, "topologySpreadConstraints")
        if any(each.get("whenUnsatisfiable") != "ScheduleAnyway" for each in spreads):
            return "topology spread constraints"
        if self.spec.get("resourceClaims"):
            return "resource claims"
        if any(self._terms_with_namespace_selector()):
            return "a namespace selector in an affinity term"
        return None

    def _terms_with_namespace_selector(self) -> list[Any]:
        terms = [
            *entries(self.affinity, "podAffinity", _REQUIRED),
            *entries(self.affinity, "podAntiAffinity", _REQUIRED),
        ]
        return [term["namespaceSelector"] for term in terms if term.get("namespaceSelector")]

    def _neighbours(self, kind: str) -> tuple[Neighbours, ...]:
        return tuple(
            Neighbours(term.get("labelSelector"), term["topologyKey"], self._namespaces(term))
            for term in entries(self.affinity, kind, _REQUIRED)
        )

    def _namespaces(self, term: Document) -> frozenset[str] | None:
        if term.get("namespaceSelector") is not None:
            return None
        return frozenset(term.get("namespaces") or [self.namespace])


def _requests(container: Document) -> Amounts:
    """Requests; a missing request is the limit, as the API server fills it in."""
    resources = section(container, "resources")
    return amounts({**section(resources, "limits"), **section(resources, "requests")})
