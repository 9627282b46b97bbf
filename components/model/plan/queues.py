"""The plan of queueing: controllers, flavors, queues, priorities."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from components.model.facts import gke

if TYPE_CHECKING:
    from collections.abc import Mapping

    from components.model.facts.quantities import Quantity
    from components.model.places import Place


class ReleasePlan(Struct, frozen=True, kw_only=True):
    """A controller's Helm release."""

    place: Place
    name: str
    chart: str
    version: str
    namespace: str
    image: str
    tag: str


class FirewallPlan(Struct, frozen=True, kw_only=True):
    """Lets a private control plane reach servers on the nodes."""

    name: str
    source: str
    ports: tuple[int, ...]
    """TCP."""
    target_account: str
    """Service account of the nodes it opens."""


class PodsReadyPlan(Struct, frozen=True, kw_only=True):
    """How long admitted workloads may wait for their pods, and when Kueue queues them again."""

    place: Place
    timeout_seconds: int
    recovery_seconds: int
    """For a workload that lost a pod; 0 means no limit."""
    is_recovery_stated: bool
    block_admission: bool
    base_seconds: int
    max_seconds: int
    limit: int | None
    """None for no limit."""
    timestamp: str


class ControllersPlan(Struct, frozen=True, kw_only=True):
    """JobSet, and Kueue after it; None where the cluster does without."""

    place: Place
    jobset: ReleasePlan | None
    kueue: ReleasePlan | None
    fair_sharing: bool
    frameworks: tuple[str, ...]
    """Kinds of jobs that Kueue manages."""
    firewall: FirewallPlan | None
    """None where the control plane reaches the nodes anyway."""
    pods_ready: PodsReadyPlan | None = None
    """None where an admitted workload keeps its quota while its pods wait."""
    concurrent_admission: bool = False
    """Whether some queue tries all of its flavors at once."""


class FlavorPlan(Struct, frozen=True, kw_only=True):
    """A ResourceFlavor: the pools whose nodes carry all of its labels serve it."""

    place: Place
    name: str
    machine_type: str
    """Empty where its labels select slices of several kinds, or none that is known."""
    topology: str
    capacity: str
    reservation: str | None
    labels: Mapping[str, str]
    """Empty where the machine type does not exist."""
    hosts: int
    """Hosts of one slice; 0 where the shape does not exist."""
    chips_per_slice: int
    pools: tuple[str, ...]
    """Names of the pools that serve it."""
    chips: int
    """Chips of those pools together."""
    is_queued: bool
    """Whether nodes of some of them are provisioned only for ProvisioningRequests."""
    run_seconds: int | None
    """How long those may live; None leaves it to GKE."""

    @property
    def chips_per_host(self) -> int:
        """0 where the shape does not exist."""
        return self.chips_per_slice // self.hosts if self.hosts else 0

    @property
    def exclusive_topology(self) -> str | None:
        """Node label in each of whose values at most one slice runs; None where a slice is one host."""
        return gke.LABEL_NODE_POOL if self.hosts > 1 else None


class NodeFlavorPlan(Struct, frozen=True, kw_only=True):
    """A ResourceFlavor of ordinary resources."""

    place: Place
    name: str
    labels: Mapping[str, str]
    is_queued: bool = False
    """Whether nodes of its GPUs are provisioned only for ProvisioningRequests."""


class QueueFlavorPlan(Struct, frozen=True, kw_only=True):
    """A ClusterQueue's quota of chips of one flavor."""

    place: Place
    name: str
    chips: int
    is_derived: bool
    """Whether the quota comes from the pools rather than from the stack file."""
    borrow: int | None
    """Chips that it may borrow beyond its quota; None means no limit."""
    lend: int | None
    """Chips of its quota that it lends; None means no limit."""
    admission_checks: tuple[str, ...]


class ResourcesPlan(Struct, frozen=True, kw_only=True):
    """A ClusterQueue's quota of ordinary resources of one flavor."""

    place: Place
    name: str
    quotas: Mapping[str, Quantity]
    """By resource, in the order in which every queue lists them."""
    admission_checks: tuple[str, ...]


class NamespacePlan(Struct, frozen=True, kw_only=True):
    """A namespace that no cluster has by itself."""

    place: Place
    """Its entry; the section where it has none, because something else names it."""
    name: str
    has_entry: bool = False
    is_deleted: bool = False
    """Whether it is deleted when the stack file no longer names it; otherwise the stack keeps it."""


class LocalQueuePlan(Struct, frozen=True, kw_only=True):
    """A LocalQueue and the ClusterQueue it leads to."""

    place: Place
    name: str
    namespace: str
    queue: str


class ConcurrentAdmissionPlan(Struct, frozen=True, kw_only=True):
    """How a ClusterQueue tries all of its flavors at once."""

    place: Place
    mode: str
    last_acceptable_flavor: str | None


class QueuePlan(Struct, frozen=True, kw_only=True):
    """A ClusterQueue."""

    place: Place
    name: str
    cohort: str | None
    fair_share_weight: str | None
    """As an amount in canonical form."""
    strategy: str
    within_cluster_queue: str
    reclaim_within_cohort: str
    borrow_within_cohort: str
    when_can_borrow: str | None
    """None leaves it to Kueue, and so below."""
    when_can_preempt: str | None
    stop: Literal["hold", "drain"] | None
    flavors: tuple[QueueFlavorPlan, ...]
    """Its chips."""
    resources: tuple[ResourcesPlan, ...]
    local_queues: tuple[LocalQueuePlan, ...]
    tenants: tuple[str, ...] = ()
    """Namespaces whose work it takes; empty for every namespace."""
    concurrent_admission: ConcurrentAdmissionPlan | None = None
    """None where it tries one flavor after the other."""

    @property
    def shares(self) -> tuple[QueueFlavorPlan | ResourcesPlan, ...]:
        """All resources with quota in the queue."""
        return (*self.flavors, *self.resources)


class FormerQueuePlan(Struct, frozen=True, kw_only=True):
    """A ClusterQueue as the update before this one left it."""

    name: str
    is_drained: bool


class CohortPlan(Struct, frozen=True, kw_only=True):
    """A Cohort."""

    place: Place
    name: str
    parent: str | None
    fair_share_weight: str | None


class AdmissionCheckPlan(Struct, frozen=True, kw_only=True):
    """An AdmissionCheck by ProvisioningRequest, and the ProvisioningRequestConfig of the same name."""

    place: Place
    name: str
    class_name: str
    managed_resources: tuple[str, ...]
    parameters: Mapping[str, str]
    retries: int | None


class PriorityPlan(Struct, frozen=True, kw_only=True):
    """A PriorityClass and the WorkloadPriorityClass of the same name and value."""

    place: Place
    name: str
    value: int
    description: str | None
