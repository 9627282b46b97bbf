"""Slices that nodes can be, by the labels that pods select them by or that flavors name."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from components.model.facts import gke, tpu

if TYPE_CHECKING:
    from collections.abc import Mapping

    from policies.objects.pods import PodGroup


@lru_cache(maxsize=256)
def shapes_named(accelerator: str | None, topology: str) -> tuple[tpu.Shape, ...]:
    """The shapes that nodes with these labels can be; several where machine types of one generation share both."""
    found: list[tpu.Shape] = []
    for generation in tpu.GENERATIONS:
        for machine in generation.machines if generation.accelerator == accelerator else ():
            try:
                found.append(tpu.shape(machine.name, topology))
            except tpu.ImpossibleTopologyError:
                continue
    return tuple(found)


def shapes_of(labels: Mapping[str, str]) -> tuple[tpu.Shape, ...]:
    """The possible slices of nodes with these labels, by the catalogue; none where accelerator or topology is missing.

    >>> labels = {gke.LABEL_TPU_ACCELERATOR: "tpu-v5-lite-podslice", gke.LABEL_TPU_TOPOLOGY: "2x4"}
    >>> [shape.hosts for shape in shapes_of(labels)]
    [2, 1]
    """
    return _shapes(
        labels.get(gke.LABEL_TPU_ACCELERATOR),
        labels.get(gke.LABEL_TPU_TOPOLOGY, ""),
        labels.get(gke.LABEL_ACCELERATOR_COUNT),
        labels.get(gke.LABEL_INSTANCE_TYPE),
    )


@lru_cache(maxsize=256)
def _shapes(
    accelerator: str | None, topology: str, count: str | None, machine_type: str | None
) -> tuple[tpu.Shape, ...]:
    """Every rule asks for the same few."""
    return tuple(
        shape
        for shape in shapes_named(accelerator, topology)
        if count in (None, str(shape.machine.chips)) and machine_type in (None, shape.machine.name)
    )


def shapes_left(labels: Mapping[str, str]) -> tuple[tpu.Shape, ...]:
    """The possible slices of nodes with these labels, of every generation where they name none.

    >>> {shape.machine.chips for shape in shapes_left({gke.LABEL_TPU_TOPOLOGY: "4x4"})}
    {4}
    """
    if gke.LABEL_TPU_ACCELERATOR in labels:
        return shapes_of(labels)
    every = dict.fromkeys(generation.accelerator for generation in tpu.GENERATIONS)
    return tuple(each for name in every for each in shapes_of({**labels, gke.LABEL_TPU_ACCELERATOR: name}))


def shape_for(labels: Mapping[str, str], chips: int) -> tpu.Shape | None:
    """The one of these slices that has hosts of as many chips; None where none has."""
    return next((shape for shape in shapes_of(labels) if shape.machine.chips == chips), None)


def shape_of(group: PodGroup) -> tpu.Shape | None:
    """The slice that pods get, by their own labels and chips: the one they select, or the part of it they request."""
    return shape_for(_labels_of_slice(group), group.chips)


def shape_in_common(group: PodGroup) -> tpu.Shape | None:
    """As `shape_of`; where pods select no accelerator, a slice of any generation if all have as many hosts."""
    left = [shape for shape in shapes_left(_labels_of_slice(group)) if shape.machine.chips == group.chips]
    return left[0] if len({shape.hosts for shape in left}) == 1 else None


def _labels_of_slice(group: PodGroup) -> dict[str, str]:
    part = part_asked_for(group)
    return {**group.selector, **({} if part is None else {gke.LABEL_TPU_TOPOLOGY: part})}


def part_asked_for(group: PodGroup) -> str | None:
    """The topology of the slice that GKE makes for pods out of the nodes that they select; None of most pods.

    Source: GKE documentation "Configure TPUs with GKE dynamic slicing" and Ray documentation "TPU subslicing and
    dynamic slicing on GKE", read 2026-11.
    """
    return group.template.text("metadata", "annotations", gke.ANNOTATION_DYNAMIC_SLICE)
