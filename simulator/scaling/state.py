"""One look at a cluster: its pods, nodes and node pools at one moment."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from components.kubeapi.documents import Document, section
from simulator.nodes import ANNOTATION_BROKEN
from simulator.scaling.planning import coming
from simulator.scaling.pods import Pod
from simulator.scaling.snapshot import ClusterSnapshot, NodeSlot

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from simulator.cloud.cloud import Survey
    from simulator.scaling.classes import ComputeClass
    from simulator.scaling.supply import Group


@dataclass(frozen=True)
class State:
    """One look."""

    now: float
    """Simulated seconds since 1970."""
    survey: Survey
    groups: list[Group]
    nodes: list[Document]
    pods: list[Pod]
    classes: Mapping[str, ComputeClass] = field(default_factory=dict[str, "ComputeClass"])
    """The ComputeClasses by name."""

    @cached_property
    def waiting(self) -> list[Pod]:
        """The pods for which the autoscaler may add nodes."""
        return [pod for pod in self.pods if pod.is_unschedulable and not pod.is_promised and pod.makes_nodes]

    def snapshot(self) -> ClusterSnapshot:
        """The nodes that are there and those that are coming, with the pods on them."""
        slots = {
            node["metadata"]["name"]: NodeSlot.of(node)
            for node in self.nodes
            if ANNOTATION_BROKEN not in section(node, "metadata", "annotations")
        }
        for pod in self.pods:
            slot = slots.get(pod.node)
            if slot is not None and not pod.is_over:
                slot.put(pod)
        autoscaled = [group for group in self.groups if group.limits is not None]
        on_the_way = [slot for group in autoscaled for slot in coming(group, self._registered(group))]
        return ClusterSnapshot([*slots.values(), *on_the_way])

    def machines(self) -> Iterator[Document]:
        """A Node document for each machine that is there or coming."""
        yield from self.nodes
        for group in self.groups:
            for _ in range(self._registered(group), group.size):
                yield group.template

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(node["metadata"]["name"] for node in self.nodes)

    def _registered(self, group: Group) -> int:
        return sum(1 for instance in group.instances if instance["name"] in self._names)


class PodReader:
    """Reads pods' documents, each only once."""

    def __init__(self) -> None:
        self._known: dict[str, Pod] = {}

    def read(self, documents: Iterable[Document]) -> list[Pod]:
        """The pods of all documents; those of others are forgotten."""
        before = self._known
        self._known = {}
        for document in documents:
            uid = document["metadata"]["uid"]
            known = before.get(uid)
            self._known[uid] = known if known is not None and known.document is document else Pod(document)
        return list(self._known.values())


def earliest(moments: Iterable[float | None]) -> float | None:
    """The first of the moments, None when there is none."""
    return min((moment for moment in moments if moment is not None), default=None)
