"""Configuration of ComputeClasses: the machines that pods without a queue get, in the order of preference."""

from __future__ import annotations

from typing import Annotated

from pydantic import Discriminator, Field, Tag

from components.model.config.nodes import Capacity, Zones
from components.model.config.section import Count, Section, Variant, Variants
from components.model.config.values import GcpName, KubernetesName, Text
from components.model.facts.compute_classes import Unsatisfiable


class PoolsPriority(Section):
    """Nodes of declared pools."""

    node_pools: Annotated[tuple[GcpName, ...], Field(min_length=1)]
    """Entries of `node_pools` or `tpu_slices`, all of whose pools then belong to the class: only its pods run there.
    They have no order among themselves; for an order, write a priority for each."""


class ClassReservation(Section):
    """Capacity that is reserved and paid for."""

    name: GcpName
    """Name of the reservation."""
    project: Text | None = None
    """The project that owns the reservation, if it is not this one."""


class _MadePriority(Section):
    """The keys of machines for which GKE makes node pools."""

    capacity: Capacity = "on-demand"
    """The capacity type: how you get and pay for the machines."""
    reservation: ClassReservation | None = None
    """The reservation of the machines, for capacity that is reserved."""
    max_run_seconds: Count | None = None
    """The longest life of a node, in seconds; then GKE deletes it, and whatever runs on it ends."""
    zones: Zones | None = None
    """The zones of the nodes; by default GKE decides."""


class SlicesPriority(_MadePriority):
    """TPU slices, for which GKE makes node pools."""

    machine_type: Text
    """TPU machine type of the hosts, such as ct5lp-hightpu-4t."""
    topology: Text
    """Chips along each side of a slice, such as 2x4."""


class ClassGpu(Section):
    """GPUs of each node."""

    type: Text
    """The model, as in the node label cloud.google.com/gke-accelerator."""
    count: Count = 1
    """GPUs of one node."""


class MachinesPriority(_MadePriority):
    """Machines without TPUs, for which GKE makes node pools."""

    exactly_one = (("machine_type", "machine_family"),)

    machine_type: Text | None = None
    """Machine type of the nodes, such as n4-standard-8."""
    machine_family: Text | None = None
    """Instead of `machine_type`: a machine series, such as n4; GKE takes the sizes that fit the pods."""
    gpu: ClassGpu | None = None
    """GPUs of each node; by default none."""


ClassPriority = Annotated[
    Annotated[PoolsPriority, Tag("|PoolsPriority")]
    | Annotated[SlicesPriority, Tag("|SlicesPriority")]
    | Annotated[MachinesPriority, Tag("|MachinesPriority")],
    Discriminator(
        Variants(
            Variant(PoolsPriority, ("node_pools",)), Variant(SlicesPriority, ("topology",)), Variant(MachinesPriority)
        )
    ),
]


class ComputeClass(Section):
    """Machines in the order of preference: pods that select the class get the first that are in stock."""

    name: KubernetesName
    """Name of the ComputeClass, by which workloads select it."""
    priorities: Annotated[tuple[ClassPriority, ...], Field(min_length=1)]
    """The machines, the best first. GKE tries the next ones when it cannot add nodes of the first."""
    when_unsatisfiable: Unsatisfiable = "DoNotScaleUp"
    """When no priority can bring nodes: DoNotScaleUp lets pods wait, ScaleUpAnyway gives them other nodes."""
    active_migration: bool = False
    """GKE moves pods to nodes of a better priority when it can; each moved pod starts anew."""
