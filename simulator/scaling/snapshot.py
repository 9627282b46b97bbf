"""The nodes of a cluster, present and coming, and where pods would fit on them.

The checks are those of kube-scheduler that decide in a cluster of TPU, GPU and ordinary pools: node selector and
affinity, taints, resources, host ports, pod affinity and anti-affinity. Reasons are in the scheduler's words.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from components.kubeapi.documents import Document, entries, is_true, section
from simulator.pods.selectors import Labels, fits_node_affinity, selects, untolerated
from simulator.scaling.quantities import Amounts, amounts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from simulator.scaling.pods import Neighbours, Pod

_LIFE_CYCLE: Final = "node.kubernetes.io/"
"""Beginning of the taints that a node has while it is not ready."""
_NOT_READY: Final = f"{_LIFE_CYCLE}not-ready"
"""The taint with which every node registers; a controller of Kubernetes removes it from one that is ready."""


@dataclass
class NodeSlot:
    """A node with the pods that are on it or would be."""

    name: str
    labels: Labels
    taints: list[Document]
    free: Amounts
    pods: list[Pod] = field(default_factory=list["Pod"])
    is_wanted: bool = False
    """Whether a pod that waits would go here."""

    @classmethod
    def of(cls, node: Document, *, is_new: bool = False) -> NodeSlot:
        """The empty node that a document describes; `is_new` leaves out the taints of its start."""
        taints = entries(node, "spec", "taints")
        if is_new or not is_true(node, "Ready") or any(taint.get("key") == _NOT_READY for taint in taints):
            taints = [taint for taint in taints if not str(taint.get("key")).startswith(_LIFE_CYCLE)]
        return cls(
            name=node["metadata"]["name"],
            labels=dict(section(node, "metadata", "labels")),
            taints=taints,
            free=amounts(section(node, "status", "allocatable")),
        )

    def put(self, pod: Pod) -> None:
        """Put the pod on the node."""
        self.pods.append(pod)
        for name, amount in pod.requests.items():
            self.free[name] = self.free.get(name, 0) - amount


class ClusterSnapshot:
    """Every node that pods may go to."""

    def __init__(self, slots: Iterable[NodeSlot]) -> None:
        self.slots = list(slots)
        self._anti = any(pod.apart for slot in self.slots for pod in slot.pods)

    def add(self, slot: NodeSlot) -> None:
        """One more node."""
        self.slots.append(slot)

    def settle(self, pod: Pod, slot: NodeSlot) -> None:
        """Put a pod that waits on a node of the snapshot."""
        self._anti = self._anti or bool(pod.apart)
        slot.put(pod)
        slot.is_wanted = True

    def find(self, pod: Pod) -> NodeSlot | None:
        """The first node where the pod fits."""
        return next((slot for slot in self.slots if self.why_not(pod, slot) is None), None)

    def why_not(self, pod: Pod, slot: NodeSlot) -> str | None:
        """Why the pod does not fit on the node, which need not be in the snapshot; None when it does."""
        if not self._is_selected(pod, slot):
            return "node(s) didn't match Pod's node affinity/selector"
        taint = untolerated(slot.taints, entries(pod.spec, "tolerations"))
        if taint is not None:
            return f"node(s) had untolerated taint {{{taint['key']}: {taint.get('value') or ''}}}"
        missing = next((name for name, amount in pod.requests.items() if 0 < amount > slot.free.get(name, 0)), None)
        if missing is not None:
            return "Too many pods" if missing == "pods" else f"Insufficient {missing}"
        if any(pod.host_ports & other.host_ports for other in slot.pods if not other.is_over):
            return "node(s) didn't have free ports for the requested pod ports"
        return self._neighbours_against(pod, slot)

    def _is_selected(self, pod: Pod, slot: NodeSlot) -> bool:
        if any(slot.labels.get(key) != value for key, value in pod.selector.items()):
            return False
        return fits_node_affinity(pod.affinity, slot.labels, slot.name)

    def _neighbours_against(self, pod: Pod, slot: NodeSlot) -> str | None:
        if any(not self._has_near(term, pod, slot) for term in pod.together):
            return "node(s) didn't match pod affinity rules"
        if any(_is_meant(term, other) for term in pod.apart for other in self._near(term, slot)):
            return "node(s) didn't match pod anti-affinity rules"
        if self._anti and self._is_shunned(pod, slot):
            return "node(s) didn't satisfy existing pods anti-affinity rules"
        return None

    def _has_near(self, term: Neighbours, pod: Pod, slot: NodeSlot) -> bool:
        if term.topology_key not in slot.labels:
            return False
        if any(_is_meant(term, other) for other in self._near(term, slot)):
            return True
        # The first pod of a group that must be together may go anywhere.
        return _is_meant(term, pod) and not any(_is_meant(term, other) for other in self._everyone())

    def _is_shunned(self, pod: Pod, slot: NodeSlot) -> bool:
        """Whether the anti-affinity of a pod near the node keeps this pod away."""
        here = [*self.slots, slot] if all(slot is not each for each in self.slots) else self.slots
        return any(
            term.topology_key in slot.labels
            and each.labels.get(term.topology_key) == slot.labels[term.topology_key]
            and _is_meant(term, pod)
            for each in here
            for other in each.pods
            if not other.is_over
            for term in other.apart
        )

    def _near(self, term: Neighbours, slot: NodeSlot) -> Iterator[Pod]:
        """The pods in the same part of the topology."""
        value = slot.labels.get(term.topology_key)
        if value is None:
            return
        for each in self.slots:
            if each.labels.get(term.topology_key) == value:
                yield from (pod for pod in each.pods if not pod.is_over)

    def _everyone(self) -> Iterator[Pod]:
        return (pod for slot in self.slots for pod in slot.pods if not pod.is_over)


def _is_meant(term: Neighbours, pod: Pod) -> bool:
    if term.namespaces is not None and pod.namespace not in term.namespaces:
        return False
    return selects(term.selector, pod.labels)
