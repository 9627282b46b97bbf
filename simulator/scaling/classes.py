"""ComputeClasses as the autoscaler reads them: which nodes their pods get, in the order of preference. Pure.

A priority names node pools, or describes machines by the labels that their nodes have. Of those it takes what is there
and can grow, and else a new pool is made, where the class lets GKE make pools.

Source: GKE documentation "About custom ComputeClasses", read 2026-11.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from components.kubeapi.documents import Document, entries, section
from components.model.facts import gke
from simulator.cloud.names import short_name
from simulator.scaling.requested_machines import Wish

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from simulator.scaling.supply import Group

_MODELLED: Final = frozenset(
    {"flexStart", "gpu", "location", "machineFamily", "machineType", "maxRunDurationSeconds", "nodepools"}
    | {"reservations", "spot", "storage", "tpu"}
)
"""The fields of priorities that are understood here, or that change nothing here."""
_DEFAULT_MACHINES: Final[Mapping[str, str]] = {gke.LABEL_MACHINE_FAMILY: "e2", gke.LABEL_PROVISIONING: "standard"}


@dataclass(frozen=True, slots=True)
class Priority:
    """One priority of a class."""

    pools: frozenset[str] | None
    """Short names of node pools; None where machines are described."""
    wish: Wish
    """The machines; nothing where pools are named."""
    unmodelled: str | None
    """A field that is not understood here; None when all are."""

    @classmethod
    def of(cls, name: str, document: Document) -> Priority:
        """The priority of the class `name`."""
        unknown = sorted(document.keys() - _MODELLED)
        named = document.get("nodepools")
        location = section(document, "location")
        count = section(document, "tpu").get("count") or section(document, "gpu").get("count") or 0
        wish = Wish(
            selector=_labels(document),
            chips=int(count) if document.get("tpu") else 0,
            gpus=int(count) if document.get("gpu") else 0,
            zones=tuple(location.get("zones") or ()),
            compute_class=name,
        )
        return cls(None if named is None else frozenset(named), wish, unknown[0] if unknown else None)

    def takes(self, group: Group) -> bool:
        """Whether nodes of the group are of this priority."""
        if self.pools is not None:
            return short_name(group.pool) in self.pools
        labels, wanted = group.template["metadata"]["labels"], self.wish.selector
        own = {key: value for key, value in wanted.items() if key != gke.LABEL_RESERVATION_PROJECT}
        return own.items() <= labels.items() and (not self.wish.zones or group.zone in self.wish.zones)


@dataclass(frozen=True, slots=True)
class ComputeClass:
    """A class."""

    name: str
    priorities: tuple[Priority, ...]
    makes_pools: bool
    """Whether GKE makes node pools for it on a Standard cluster."""
    scales_up_anyway: bool
    """Whether pods get other nodes when no priority can bring any."""

    @classmethod
    def of(cls, document: Document) -> ComputeClass:
        """The class of a document; without `whenUnsatisfiable` it is one of GKE 1.33 and later."""
        name, spec = document["metadata"]["name"], section(document, "spec")
        return cls(
            name=name,
            priorities=tuple(Priority.of(name, each) for each in entries(spec, "priorities")),
            makes_pools=bool(section(spec, "nodePoolAutoCreation").get("enabled")),
            scales_up_anyway=spec.get("whenUnsatisfiable") == "ScaleUpAnyway",
        )

    @property
    def default(self) -> Wish:
        """The machines that pods get when no priority can bring any."""
        return Wish(selector=_DEFAULT_MACHINES, compute_class=self.name)


def classes_of(documents: Iterable[Document]) -> dict[str, ComputeClass]:
    """The classes by name."""
    return {each["metadata"]["name"]: ComputeClass.of(each) for each in documents}


def _labels(document: Document) -> dict[str, str]:
    """The labels of nodes that a priority describes."""
    labels: dict[str, str] = _of_machines(document)
    if section(document, "flexStart").get("enabled"):
        labels[gke.LABEL_PROVISIONING] = "flex-start"
        labels[gke.LABEL_FLEX_START] = "true"
    elif document.get("spot"):
        labels[gke.LABEL_PROVISIONING] = "spot"
        labels[gke.LABEL_SPOT] = "true"
    else:
        labels[gke.LABEL_PROVISIONING] = gke.PROVISIONING_STANDARD
    if document.get("maxRunDurationSeconds"):
        labels[gke.LABEL_MAX_RUN_SECONDS] = str(document["maxRunDurationSeconds"])
    for reservation in entries(section(document, "reservations"), "specific")[:1]:
        labels[gke.LABEL_RESERVATION_NAME] = str(reservation.get("name"))
        if reservation.get("project"):
            labels[gke.LABEL_RESERVATION_PROJECT] = reservation["project"]
    return labels


def _of_machines(document: Document) -> dict[str, str]:
    tpu, gpu = section(document, "tpu"), section(document, "gpu")
    labels: dict[str, str] = {}
    if tpu:
        labels = {gke.LABEL_TPU_ACCELERATOR: str(tpu.get("type")), gke.LABEL_TPU_TOPOLOGY: str(tpu.get("topology"))}
    elif gpu:
        labels = {gke.LABEL_GPU_ACCELERATOR: str(gpu.get("type"))}
    if tpu or gpu:
        labels[gke.LABEL_ACCELERATOR_COUNT] = str(tpu.get("count") or gpu.get("count") or 1)
    if document.get("machineType"):
        labels[gke.LABEL_INSTANCE_TYPE] = document["machineType"]
    elif document.get("machineFamily"):
        labels[gke.LABEL_MACHINE_FAMILY] = document["machineFamily"]
    elif not labels:
        labels[gke.LABEL_MACHINE_FAMILY] = "e2"
    return labels
