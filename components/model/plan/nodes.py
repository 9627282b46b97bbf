"""The plan of nodes: ordinary pools, pools of TPU hosts, ComputeClasses, and the quota that bounds them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Mapping

    from components.model.facts.compute_classes import Unsatisfiable
    from components.model.places import Place


class AutoscalingPlan(Struct, frozen=True, kw_only=True):
    """The minimum and maximum number of nodes of a pool in each zone."""

    minimum: int
    maximum: int
    location_policy: str | None
    """How nodes are spread over the zones; None leaves it to GKE."""


class UpgradePlan(Struct, frozen=True, kw_only=True):
    """How nodes are upgraded; None leaves it to GKE."""

    place: Place
    strategy: str
    max_surge: int | None
    max_unavailable: int | None
    batch_nodes: int | None
    soak_seconds: int | None


class GpuPlan(Struct, frozen=True, kw_only=True):
    """GPUs of each node."""

    place: Place
    type: str
    count: int
    driver: str
    """As the API names the choice."""


class FlexStartPlan(Struct, frozen=True, kw_only=True):
    """How flex-start nodes come and go."""

    place: Place
    is_queued: bool
    max_run_seconds: int | None


class OrdinaryPoolPlan(Struct, frozen=True, kw_only=True):
    """A node pool without TPUs."""

    place: Place
    name: str
    machine_type: str
    nodes_per_zone: int | None
    """None where the pool is autoscaled."""
    autoscaling: AutoscalingPlan | None
    nodes: int
    """Over all zones, at most."""
    zones: tuple[str, ...]
    is_spot: bool
    gpu: GpuPlan | None
    added_labels: Mapping[str, str]
    """Node labels that the stack file adds."""
    billing_labels: Mapping[str, str]
    upgrade: UpgradePlan | None
    flex_start: FlexStartPlan | None = None
    """None where nodes are on-demand or spot."""
    compute_class: str | None = None
    """The ComputeClass whose pods alone run on its nodes; None where it belongs to none."""

    @property
    def is_queued(self) -> bool:
        """Whether its nodes are provisioned only for ProvisioningRequests."""
        return self.flex_start is not None and self.flex_start.is_queued


class ReservationPlan(Struct, frozen=True, kw_only=True):
    """Reserved capacity that a pool is made of, and of nothing else."""

    place: Place
    name: str
    project: str | None
    """None where the stack file leaves it out."""
    path: str
    """As the API wants it."""


class PlacementPlan(Struct, frozen=True, kw_only=True):
    """How the hosts of a slice are put together."""

    type: str
    """Empty where a workload policy says it."""
    topology: str
    policy: str | None
    """Name of the workload policy."""


class WorkloadPolicyPlan(Struct, frozen=True, kw_only=True):
    """A compute policy for slices of one topology in one region."""

    place: Place
    name: str
    region: str
    topology: str


class SlicePoolPlan(Struct, frozen=True, kw_only=True):
    """A node pool of TPU hosts: one multi-host slice, or single-host slices that are one node each.

    Slices, nodes and chips are those that there can be at most.
    """

    place: Place
    name: str
    machine_type: str
    topology: str
    zones: tuple[str, ...]
    has_list_of_zones: bool
    """Whether the stack file states `zones`."""
    has_both_zones: bool
    """Whether it states `zone` as well."""
    is_multi_host: bool
    slices: int
    nodes: int
    """0 where the machine type or the topology does not exist."""
    chips: int
    """Over all nodes."""
    nodes_per_zone: int | None
    """None where the pool is autoscaled."""
    autoscaling: AutoscalingPlan | None
    capacity: str
    states_autoscaled: bool
    """Whether the stack file asks for autoscaling; flex-start has it anyway."""
    is_queued: bool
    reservation: ReservationPlan | None
    takes_reservations: bool | None
    """Whether reserved capacity may be used; None leaves it to GKE."""
    max_run_seconds: int | None
    host_maintenance: str | None
    placement: PlacementPlan | None
    """None for slices of one host."""
    labels: Mapping[str, str]
    """Node labels that GKE sets, by which queues and workloads find them."""
    added_labels: Mapping[str, str]
    """Node labels that the stack file adds."""
    billing_labels: Mapping[str, str]
    disk_type: str
    auto_repair: bool
    upgrade: UpgradePlan | None
    is_protected: bool
    compute_class: str | None = None
    """As of an ordinary pool."""


class QuotaPlan(Struct, frozen=True, kw_only=True):
    """The project's quota of one accelerator in one region."""

    place: Place
    region: str
    accelerator: str
    """Id of a TPU generation, or name of a GPU."""
    is_tpu: bool
    class_: str
    amount: int
    """Chips or GPUs."""


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
