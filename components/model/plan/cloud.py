"""The plan of the cloud's frame: APIs, network, cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Mapping

    from components.model.places import Place

ClusterMode = Literal["standard", "autopilot"]


class ServicePlan(Struct, frozen=True, kw_only=True):
    """An API of the project that is switched on, and stays on when the stack is destroyed."""

    place: Place
    name: str
    host: str
    """Its full name, as the API of APIs knows it."""


class PrivateServicesPlan(Struct, frozen=True, kw_only=True):
    """The way from a network to Google's services without public addresses, for Managed Lustre."""

    range_name: str
    """Name of the reserved range of addresses."""
    cidr: str | None
    """None leaves the choice to Google."""
    prefix_length: int
    firewall: str
    """Name of the firewall rule that lets the instances reach the nodes."""
    ports: tuple[int, ...]


class CreatedNetworkPlan(Struct, frozen=True, kw_only=True):
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
    private_services: PrivateServicesPlan | None = None
    """None where nothing needs it."""


class ExistingNetworkPlan(Struct, frozen=True, kw_only=True):
    """An existing network; GKE makes the secondary ranges in it."""

    place: Place
    name: str
    subnetwork: str | None
    """None leaves it to GKE, which takes the network's own one of the region."""


class ClustersNetworkPlan(Struct, frozen=True, kw_only=True):
    """The network of an existing cluster, by whatever name: the cluster is asked."""

    place: Place


NetworkPlan = CreatedNetworkPlan | ExistingNetworkPlan | ClustersNetworkPlan


class NodeIdentityPlan(Struct, frozen=True, kw_only=True):
    """The service account that nodes run as."""

    account_id: str | None
    """None for an account that exists; it is granted nothing."""
    email: str
    member: str
    """How IAM policies name it."""
    roles: tuple[str, ...]
    scopes: tuple[str, ...]
    """OAuth scopes of the nodes."""


class AuthorizedNetworkPlan(Struct, frozen=True, kw_only=True):
    """Addresses from which the control plane may be reached."""

    place: Place
    name: str
    cidr: str


class MaintenanceWindowPlan(Struct, frozen=True, kw_only=True):
    """When the cluster may be worked on."""

    place: Place
    start: str
    end: str
    recurrence: str


class MaintenanceExclusionPlan(Struct, frozen=True, kw_only=True):
    """When it may not, and which upgrades are excluded."""

    place: Place
    name: str
    start: str
    end: str
    scope: str


class AutoProvisioningPlan(Struct, frozen=True, kw_only=True):
    """GKE's making of node pools for pods that nothing declared can take."""

    place: Place
    limits: Mapping[str, int]
    """The most of each resource over the whole cluster, by the name that the API gives it."""
    accelerators: tuple[str, ...]
    """Which of the resources are accelerators."""
    zones: tuple[str, ...]


class CheckpointsPlan(Struct, frozen=True, kw_only=True):
    """Multi-tier checkpointing."""

    place: Place
    name: str
    """The name of the object that configures it."""
    bucket: str
    local_gib: int
    """Memory of each host that holds checkpoints, in GiB."""
    local: str
    """The same as a quantity."""
    machine_type: str
    """The machine type of the hosts that hold checkpoints; empty where the stack file leaves it open."""
    member: str
    """How IAM policies name the driver that writes to the bucket."""
    has_queued_hosts: bool = False
    """Whether hosts that come for ProvisioningRequests alone, which have a taint of their own, hold checkpoints too."""


class ClusterPlan(Struct, frozen=True, kw_only=True):
    """The GKE cluster."""

    place: Place
    name: str
    mode: ClusterMode
    is_existing: bool
    """Whether it exists already; then only name, location, mode and the nodes' identity are known."""
    has_other_slices: bool
    """Whether an existing cluster may have slices that are not declared."""
    location: str
    region: str
    release_channel: str | None
    minimum_version: str | None
    private_nodes: bool
    private_endpoint: bool
    control_plane_cidr: str | None
    """None where nodes are public and the stack file states none."""
    authorized_networks: tuple[AuthorizedNetworkPlan, ...]
    window: MaintenanceWindowPlan | None
    exclusions: tuple[MaintenanceExclusionPlan, ...]
    auto_provisioning: AutoProvisioningPlan | None
    has_filestore_driver: bool
    """Whether the stack switches on the add-on; Autopilot has both anyway."""
    has_gcs_fuse_driver: bool
    has_ray_operator: bool = False
    """Whether the cluster has GKE's Ray operator, which the stack switches on in a cluster that it makes."""
    has_secret_manager: bool = False
    """Whether the stack switches on the add-on, because pods mount secrets of Secret Manager."""
    workload_pool: str
    """The cluster's namespace of workload identities."""
    identity: NodeIdentityPlan | None
    """None for an existing cluster whose nodes' account is not stated."""
    billing_labels: Mapping[str, str]
    deletion_protection: bool
    has_lustre_driver: bool = False
    """Whether the stack switches on the add-on, which no cluster has by itself."""
    checkpoints: CheckpointsPlan | None = None
