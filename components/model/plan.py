"""What will exist: every name, number, label and quota of a platform as plain Python, the chip ledger among them.

Pools hold slices, slices have hosts, hosts have chips; flavors and quotas count them; workloads ask for slices. All of
it is known at preview. `planning.py` makes a plan from a configuration; rules judge it and components translate it, and
neither computes anything. A plan can be wrong: where a machine type or a reference does not exist, its numbers are 0
and a rule says why.

Every part knows its `place`, so that a finding about it points to where it was declared.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from components.model.findings import Place

ClusterMode = Literal["standard"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CreatedNetworkPlan:
    """A network of the stack's own with one subnetwork."""

    place: Place
    name: str
    subnetwork: str
    region: str
    nodes_cidr: str
    pods_cidr: str
    services_cidr: str
    pods_range: str
    """Name of the subnetwork's secondary range for pods."""
    services_range: str
    mtu: int
    """Bytes."""
    router: str | None
    """Name of the router that carries NAT; None where nodes have public addresses."""
    nat: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExistingNetworkPlan:
    """A network that is there already; GKE makes the secondary ranges in it."""

    place: Place
    name: str
    subnetwork: str


NetworkPlan = CreatedNetworkPlan | ExistingNetworkPlan


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeIdentityPlan:
    """The service account that nodes run as."""

    account_id: str
    email: str
    member: str
    """How IAM policies name it."""
    roles: tuple[str, ...]
    scopes: tuple[str, ...]
    """OAuth scopes of the nodes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterPlan:
    """The GKE cluster."""

    place: Place
    name: str
    mode: ClusterMode
    location: str
    region: str
    release_channel: str
    minimum_version: str | None
    private_nodes: bool
    control_plane_cidr: str | None
    """None where nodes are public and the stack file states none."""
    workload_pool: str
    """The cluster's namespace of workload identities."""
    identity: NodeIdentityPlan
    deletion_protection: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class OrdinaryPoolPlan:
    """A node pool without accelerators."""

    place: Place
    name: str
    machine_type: str
    nodes_per_zone: int
    nodes: int
    """Over all zones."""
    zones: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SlicePoolPlan:
    """A node pool of TPU hosts: one multi-host slice, or single-host slices that are one node each."""

    place: Place
    name: str
    machine_type: str
    topology: str
    zone: str
    is_multi_host: bool
    slices: int
    nodes: int
    """0 where the machine type or the topology does not exist."""
    chips: int
    """Over all nodes."""
    labels: Mapping[str, str]
    """Node labels by which queues and workloads find it."""
    disk_type: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleasePlan:
    """A controller's Helm release."""

    place: Place
    name: str
    chart: str
    version: str
    namespace: str
    image: str
    tag: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FirewallPlan:
    """Lets a private control plane reach servers on the nodes."""

    name: str
    source: str
    ports: tuple[int, ...]
    """TCP."""
    target_account: str
    """Service account of the nodes it opens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ControllersPlan:
    """JobSet, and Kueue after it."""

    jobset: ReleasePlan
    kueue: ReleasePlan
    frameworks: tuple[str, ...]
    """Kinds of jobs that Kueue manages."""
    firewall: FirewallPlan | None
    """None where the control plane reaches the nodes anyway."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FlavorPlan:
    """A ResourceFlavor: the pools whose nodes carry all of its labels serve it."""

    place: Place
    name: str
    machine_type: str
    topology: str
    labels: Mapping[str, str]
    """Empty where the machine type does not exist."""
    hosts: int
    """Of one slice; 0 where the shape does not exist."""
    chips_per_slice: int
    pools: tuple[str, ...]
    """Names of the pools that serve it."""
    chips: int
    """Of those pools together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueFlavorPlan:
    """A ClusterQueue's quota of one flavor."""

    place: Place
    name: str
    chips: int
    is_derived: bool
    """Whether the quota comes from the pools rather than from the stack file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalQueuePlan:
    """A LocalQueue and the ClusterQueue it leads to."""

    place: Place
    name: str
    namespace: str
    queue: str


@dataclass(frozen=True, slots=True, kw_only=True)
class QueuePlan:
    """A ClusterQueue."""

    place: Place
    name: str
    strategy: str
    within_cluster_queue: str
    flavors: tuple[QueueFlavorPlan, ...]
    local_queues: tuple[LocalQueuePlan, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PriorityPlan:
    """A PriorityClass and the WorkloadPriorityClass of the same name and value."""

    place: Place
    name: str
    value: int
    description: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class JobSetPlan:
    """A multislice workload."""

    place: Place
    name: str
    namespace: str
    queue: str
    priority: str | None
    flavor: str
    slices: int
    hosts: int
    """Of one slice, each with one pod."""
    chips_per_host: int
    chips: int
    """Over all slices."""
    node_selector: Mapping[str, str]
    exclusive_topology: str | None
    """Node label in each of whose values at most one slice runs; None where a slice is one host."""
    image: str
    script: str
    ports: tuple[int, ...]
    max_restarts: int
    is_on_host_network: bool
    is_privileged: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One platform. Lists are in the order of the stack file."""

    place: Place
    project: str
    network: NetworkPlan
    cluster: ClusterPlan
    node_pools: tuple[OrdinaryPoolPlan, ...]
    slice_pools: tuple[SlicePoolPlan, ...]
    controllers: ControllersPlan
    namespaces: tuple[str, ...]
    """Namespaces to create, sorted."""
    flavors: tuple[FlavorPlan, ...]
    queues: tuple[QueuePlan, ...]
    priorities: tuple[PriorityPlan, ...]
    workloads: tuple[JobSetPlan, ...]

    @property
    def has_whole_ledger(self) -> bool:
        """Whether every slice's chips are known; sums over pools mean nothing while one is not."""
        return all(pool.chips for pool in self.slice_pools)
