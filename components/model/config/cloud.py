"""What can be configured of the cloud's frame: APIs, labels, network, cluster."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Discriminator, Field, Tag

from components.model.config.section import Section, Variant, Variants
from components.model.config.values import (
    AccountEmail,
    BillingKey,
    BillingValue,
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
"""Labels by which bills are told apart, on everything that can carry some."""


class CreatedNetwork(Section):
    """A network of our own: one subnetwork, and NAT where nodes are private."""

    name: GcpName
    """Name of the network."""
    nodes_cidr: Ipv4Range
    """Addresses of the nodes: the subnetwork's own range. It can be widened; any other range replaces the cluster."""
    pods_cidr: Ipv4Range
    """Addresses of the pods; each node takes a block of it, a /24 unless GKE is told otherwise."""
    services_cidr: Ipv4Range
    """Addresses of the cluster's Services."""
    mtu: Annotated[int, Field(ge=1300, le=8896)] = 8896
    """Bytes; the largest is what Google advises for traffic between slices."""


class ExistingNetwork(Section):
    """A network that this stack neither creates nor destroys."""

    existing: Text
    """Its name, or its self link when another project owns it."""
    subnetwork: Text | None = None
    """Left out where the network makes its subnetworks itself: GKE then takes the one of the cluster's region."""


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
    """When Google may not."""

    name: Text
    """Name of the exclusion."""
    start: Timestamp
    """From when on."""
    end: Timestamp
    """Until when."""
    scope: ExclusionScope
    """What is kept off: all upgrades, those to another minor version, or these and all of nodes."""


class Maintenance(Section):
    """When the cluster may be worked on."""

    window: MaintenanceWindow | None = None
    exclusions: tuple[MaintenanceExclusion, ...] = ()
    """Times at which the cluster is left alone."""


class Addons(Section):
    """What GKE installs into the cluster beside what the stack needs anyway."""

    gcs_fuse: bool = False
    """Mounts Cloud Storage buckets into pods."""


class _CreatedCluster(Section):
    name: GcpName
    """Name of the cluster."""
    mode: Literal["standard", "autopilot"]
    """Whether nodes are declared (standard), or made by the cluster for the pods that select them (autopilot)."""
    location: Location
    """A region, or a zone for a cluster with one control plane."""
    release_channel: ReleaseChannel
    """Where GKE takes the versions of the cluster from, newest first: RAPID, REGULAR, STABLE; EXTENDED keeps one
    longest."""
    minimum_version: GkeVersion | None = None
    """Floor of the control plane's version; left out, the release channel decides."""
    private_nodes: bool = True
    """Nodes have no public addresses and leave through NAT."""
    control_plane_cidr: Ipv4Range | None = None
    """A /28 for the control plane's side of a private cluster; left out, one is chosen."""
    private_endpoint: bool = False
    """The control plane has no public address; who runs this program must be in one of the authorized networks."""
    authorized_networks: tuple[AuthorizedNetwork, ...] = ()
    """From where the control plane may be reached; without any, every address may try."""
    maintenance: Maintenance = Maintenance()
    deletion_protection: bool = True
    """The provider refuses to delete the cluster."""


class StandardCluster(_CreatedCluster):
    """A GKE cluster whose nodes are declared."""

    addons: Addons = Addons()


class AutopilotCluster(_CreatedCluster):
    """A GKE cluster that makes the nodes that its pods select."""


class ClusterName(Section):
    """Which cluster."""

    name: GcpName
    """Name of the cluster."""
    location: Location
    """The region or zone that it is in."""


class ExistingCluster(Section):
    """A cluster that this stack neither creates, changes nor destroys; it is in the network that it is in."""

    existing: ClusterName
    """The cluster, by name and location."""
    mode: Literal["standard", "autopilot"]
    """What the cluster is: its nodes are declared, or made by it."""
    node_service_account: AccountEmail | None = None
    """Whom the nodes of the pools that the stack adds run as."""
    other_slices: bool = True
    """Whether it has slices, or makes some for pods that select them, that are not declared here; false holds queues to
    those that are."""
    control_plane_cidr: Ipv4Range | None = None
    """Stated, the stack opens the firewall from it to the controllers on nodes of `node_service_account`; left out,
    that is the affair of whoever made the cluster."""


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
