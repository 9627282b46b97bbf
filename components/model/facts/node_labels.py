"""The labels by which GKE lets pods select nodes of TPU slices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import gke, tpu

if TYPE_CHECKING:
    from collections.abc import Mapping

_PROVISIONING: Final[Mapping[str, Mapping[str, str]]] = {
    "on-demand": {gke.LABEL_PROVISIONING: gke.PROVISIONING_STANDARD},
    "reservation": {gke.LABEL_PROVISIONING: gke.PROVISIONING_STANDARD},
    "spot": {gke.LABEL_PROVISIONING: "spot", gke.LABEL_SPOT: "true"},
    "flex-start": {gke.LABEL_PROVISIONING: "flex-start", gke.LABEL_FLEX_START: "true"},
}
"""Node labels that show the capacity type of a node."""


def provisioning_of(capacity: str) -> str:
    """The value of the provisioning label of nodes of a capacity type."""
    return _PROVISIONING[capacity][gke.LABEL_PROVISIONING]


def slice_labels(shape: tpu.Shape) -> dict[str, str]:
    """Those that say what slice the nodes are of."""
    return {
        gke.LABEL_TPU_ACCELERATOR: tpu.generation_of(shape.machine.name).accelerator,
        gke.LABEL_TPU_TOPOLOGY: shape.topology,
    }


def pool_labels(shape: tpu.Shape, capacity: str, reservation: str | None) -> dict[str, str]:
    """Those of all nodes of a pool: also the number of chips and the capacity type of a node."""
    labels = {
        **slice_labels(shape),
        gke.LABEL_ACCELERATOR_COUNT: str(shape.machine.chips),
        **_PROVISIONING[capacity],
    }
    if reservation is not None:
        labels[gke.LABEL_RESERVATION_NAME] = reservation
    return labels
