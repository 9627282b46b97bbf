"""Configuration of the cloud's frame: APIs, labels, network, cluster."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Discriminator, Field, Tag

from components.model.config.section import Count, Section, Variant, Variants
from components.model.config.values import (
    AccountEmail,
    BillingKey,
    BillingValue,
    BucketName,
    GcpName,
    GkeVersion,
    Ipv4Range,
    Location,
    Text,
    Timestamp,
)

ReleaseChannel = Literal["RAPID", "REGULAR", "STABLE", "EXTENDED"]
ExclusionScope = Literal["NO_UPGRADES", "NO_MINOR_UPGRADES", "NO_MINOR_OR_NODE_UPGRADES"]
BillingLabels = dict[BillingKey, BillingValue]
"""Labels that split the bill, on everything that can have labels."""


class CreatedNetwork(Section):
    """A network of our own: one subnetwork, and NAT where nodes are private."""

    name: GcpName
    """Name of the network."""
    nodes_cidr: Ipv4Range
    """Addresses of the nodes: the subnetwork's own range. It can be widened; any other range replaces the cluster."""
    pods_cidr: Ipv4Range
    """Addresses of the pods; each node takes a block of them, by default a /24."""
    services_cidr: Ipv4Range
    """Addresses of the cluster's Services."""
    mtu: Annotated[int, Field(ge=1300, le=8896)] = 8896
    """The largest packet, in bytes; Google advises the maximum for traffic between slices."""
    private_services_cidr: Ipv4Range | None = None
    """Addresses of Google's services that are reached without public addresses, such as Managed Lustre; by default
    Google chooses a free /20 when the stack has such a service."""


class ExistingNetwork(Section):
    """A network that this stack neither creates nor destroys."""

    existing: Text
    """Its name, or its self link when another project owns it."""
    subnetwork: Text | None = None
    """Name of the subnetwork. Leave it out if the network creates its subnetworks automatically: GKE then uses the one
    of the cluster's region."""


Network = Annotated[
    Annotated[CreatedNetwork, Tag("|CreatedNetwork")] | Annotated[ExistingNetwork, Tag("|ExistingNetwork")],
    Discriminator(Variants(Variant(ExistingNetwork, ("existing",)), Variant(CreatedNetwork))),
]


class AuthorizedNetwork(Section):
    """Addresses from which the control plane may be reached."""

    name: Text
    """How the range is shown in the console."""
    cidr: Ipv4Range
    """The range of addresses."""


class MaintenanceWindow(Section):
    """When Google may upgrade and repair: a first time, and how it recurs."""

    start: Timestamp
    """When the first window begins."""
    end: Timestamp
    """When the first window ends."""
    recurrence: Text
    """An RRULE of RFC 5545, such as FREQ=WEEKLY;BYDAY=SA,SU."""


class MaintenanceExclusion(Section):
    """A time in which Google may not upgrade."""

    name: Text
    """Name of the exclusion."""
    start: Timestamp
    """When the exclusion begins."""
    end: Timestamp
    """When the exclusion ends."""
    scope: ExclusionScope
    """Which upgrades are excluded: all, those to another minor version, or those and all upgrades of nodes."""


class Maintenance(Section):
    """When Google may upgrade and repair the cluster."""

    window: MaintenanceWindow | None = None
    exclusions: tuple[MaintenanceExclusion, ...] = ()
    """Times without upgrades."""


class AutopilotAddons(Section):
    """Add-ons that GKE installs in the cluster, beside those that the stack always needs."""

    ray_operator: bool = False
    """KubeRay, for users who submit RayJobs and Ray clusters. A manifest with Ray's kinds brings it too."""


class Addons(AutopilotAddons):
    """Add-ons that GKE installs in the cluster, beside those that the stack always needs."""

    gcs_fuse: bool = False
    """Mounts Cloud Storage buckets into pods."""


class _CreatedCluster(Section):
    name: GcpName
    """Name of the cluster."""
    mode: Literal["standard", "autopilot"]
    """Whether the stack file declares the nodes (standard), or GKE creates them for the pods that select them
    (autopilot)."""
    location: Location
    """A region, or a zone for a cluster with one control plane."""
    release_channel: ReleaseChannel
    """The release channel of the cluster's versions, newest first: RAPID, REGULAR, STABLE; EXTENDED keeps a version
    longest."""
    minimum_version: GkeVersion | None = None
    """The minimum version of the control plane; by default the release channel decides."""
    private_nodes: bool = True
    """Nodes have no public addresses and reach the internet through NAT."""
    control_plane_cidr: Ipv4Range | None = None
    """A /28 for the control plane's side of a private cluster; by default the program chooses one."""
    private_endpoint: bool = False
    """The control plane has no public address; run this program from one of the authorized networks."""
    authorized_networks: tuple[AuthorizedNetwork, ...] = ()
    """The networks that may reach the control plane; without any, every address may try."""
    maintenance: Maintenance = Maintenance()
    deletion_protection: bool = True
    """The provider refuses to delete the cluster."""


class Checkpoints(Section):
    """Multi-tier checkpointing: checkpoints stay in the memory of hosts, are copied to other hosts and to a bucket."""

    bucket: BucketName
    """The bucket that checkpoints are copied to; one of `buckets`."""
    local_gib: Count
    """Memory of each host that holds checkpoints, in GiB."""
    machine_type: Text | None = None
    """The TPU machine type whose hosts hold checkpoints. Leave it out if all slices have the same one."""


class StandardCluster(_CreatedCluster):
    """A GKE cluster whose nodes the stack file declares."""

    addons: Addons = Addons()
    checkpoints: Checkpoints | None = None


class AutopilotCluster(_CreatedCluster):
    """A GKE cluster in which GKE creates the nodes that pods select."""

    addons: AutopilotAddons = AutopilotAddons()


class ClusterName(Section):
    """Name and location of a cluster."""

    name: GcpName
    """Name of the cluster."""
    location: Location
    """The region or zone that it is in."""


class ExistingCluster(Section):
    """A cluster that this stack neither creates, changes nor destroys; it keeps its network."""

    existing: ClusterName
    """The cluster, by name and location."""
    mode: Literal["standard", "autopilot"]
    """Whether the stack file declares the nodes (standard), or GKE creates them (autopilot)."""
    node_service_account: AccountEmail | None = None
    """The service account of the nodes in the pools that the stack adds."""
    other_slices: bool = True
    """Whether the cluster has slices that the stack file does not declare, or creates some for pods that select them.
    If false, queues may count only declared slices."""
    control_plane_cidr: Ipv4Range | None = None
    """The range of the control plane. With it, the stack opens the firewall from this range to the controllers on nodes
    of `node_service_account`. Without it, the owner of the cluster must open the firewall."""


Cluster = Annotated[
    Annotated[StandardCluster, Tag("|StandardCluster")]
    | Annotated[AutopilotCluster, Tag("|AutopilotCluster")]
    | Annotated[ExistingCluster, Tag("|ExistingCluster")],
    Discriminator(
        Variants(
            Variant(ExistingCluster, ("existing",)),
            Variant(AutopilotCluster, ("mode",), "autopilot"),
            Variant(StandardCluster),
        )
    ),
]
