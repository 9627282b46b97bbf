"""What will exist in the cloud: network, cluster, node pools."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from components.model.findings import Place

ClusterMode = Literal["standard", "autopilot"]


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
