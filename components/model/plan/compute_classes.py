"""The ComputeClasses that will exist: which machines pods get that select one, in the order of preference."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from components.model.facts.compute_classes import Unsatisfiable
    from components.model.places import Place
    from components.model.plan.nodes import ReservationPlan


class ClassNodesPlan(Struct, frozen=True, kw_only=True):
    """A kind of node that a priority brings."""

    what: str
    """The name that people use for such nodes."""
    machine_type: str
    """Empty where a machine series is stated."""
    is_of_tpus: bool
    hosts: int
    """Hosts of one TPU slice; 0 for other nodes, and where the slice does not exist."""
    chips_per_host: int
    gpu: str | None
    """The model of GPU; None where nodes have none."""
    gpus: int


class ClassPriorityPlan(Struct, frozen=True, kw_only=True):
    """One priority."""

    place: Place
    nodes: tuple[ClassNodesPlan, ...]
    """The kinds of nodes that it can bring; empty where none is known."""


class ClassEntryPlan(Struct, frozen=True, kw_only=True):
    """An entry of `node_pools` or `tpu_slices` that a priority names."""

    place: Place
    name: str
    pools: tuple[str, ...]
    """The names of its node pools; empty where there is no such entry."""


class PoolsPriorityPlan(ClassPriorityPlan, frozen=True, kw_only=True):
    """Nodes of declared pools."""

    entries: tuple[ClassEntryPlan, ...]

    @property
    def pools(self) -> tuple[str, ...]:
        """The names of their node pools."""
        return tuple(pool for entry in self.entries for pool in entry.pools)


class MadePriorityPlan(ClassPriorityPlan, frozen=True, kw_only=True):
    """Machines for which GKE makes node pools."""

    machine_type: str
    """Empty where a machine series is stated."""
    machine_family: str
    """Empty where a machine type is stated."""
    topology: str | None
    """The topology of TPU slices; None for other machines."""
    gpu: str | None
    gpus: int
    capacity: str
    reservation: ReservationPlan | None
    max_run_seconds: int | None
    zones: tuple[str, ...]
    """Empty where GKE decides."""


class ComputeClassPlan(Struct, frozen=True, kw_only=True):
    """A ComputeClass."""

    place: Place
    name: str
    priorities: tuple[PoolsPriorityPlan | MadePriorityPlan, ...]
    known_entries: tuple[str, ...]
    """The entries of `node_pools` and `tpu_slices`."""
    makes_pools: bool
    """Whether GKE makes node pools for it on a Standard cluster."""
    when_unsatisfiable: Unsatisfiable
    migrates: bool

    @property
    def entries(self) -> tuple[ClassEntryPlan, ...]:
        """The entries whose node pools belong to it."""
        return tuple(entry for each in self.priorities if isinstance(each, PoolsPriorityPlan) for entry in each.entries)

    @property
    def made(self) -> tuple[MadePriorityPlan, ...]:
        """The priorities for which GKE makes node pools."""
        return tuple(each for each in self.priorities if isinstance(each, MadePriorityPlan))

    @property
    def slice(self) -> ClassNodesPlan | None:
        """The first kind of slice that it brings, for which workloads are shaped; None where it brings none."""
        return next((nodes for each in self.priorities for nodes in each.nodes if nodes.hosts), None)
