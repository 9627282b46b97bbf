"""What can be configured of the cloud's frame: APIs, labels, network, cluster."""

from __future__ import annotations

from typing import Annotated, Literal, cast

from pydantic import Discriminator, Field, Tag

from components.model.config.section import Section
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

BillingLabels = dict[BillingKey, BillingValue]
"""Labels by which bills are told apart, on everything that can carry some."""


class CreatedNetwork(Section):
    """A network of our own: one subnetwork, and NAT where nodes are private."""

    name: GcpName
    nodes_cidr: Ipv4Range
    pods_cidr: Ipv4Range
    services_cidr: Ipv4Range
    mtu: Annotated[int, Field(ge=1300, le=8896)] = 8896
    """Bytes; the largest is what Google advises for traffic between slices."""


class ExistingNetwork(Section):
    """A network that this stack neither creates nor destroys."""

    existing: Text
    """Its name, or its self link when another project owns it."""
    subnetwork: Text | None = None
    """None where the network makes its subnetworks itself: GKE then takes the one of the cluster's region."""


def _network_kind(value: object) -> str:
    is_existing = isinstance(value, ExistingNetwork) or (isinstance(value, dict) and "existing" in value)
    return "|ExistingNetwork" if is_existing else "|CreatedNetwork"


Network = Annotated[
    Annotated[CreatedNetwork, Tag("|CreatedNetwork")] | Annotated[ExistingNetwork, Tag("|ExistingNetwork")],
    Discriminator(_network_kind),
]


class AuthorizedNetwork(Section):
    """Addresses from which the control plane may be reached."""

    name: Text
    cidr: Ipv4Range


class MaintenanceWindow(Section):
    """When Google may upgrade and repair: a first time, and how it recurs."""

    start: Timestamp
    end: Timestamp
    recurrence: Text
    """An RRULE of RFC 5545, such as FREQ=WEEKLY;BYDAY=SA,SU."""


class MaintenanceExclusion(Section):
    """When Google may not."""

    name: Text
    start: Timestamp
    end: Timestamp
    scope: Literal["NO_UPGRADES", "NO_MINOR_UPGRADES", "NO_MINOR_OR_NODE_UPGRADES"]
    """What is kept off: all upgrades, those to another minor version, or these and all of nodes."""


class Maintenance(Section):
    """When the cluster may be worked on."""

    window: MaintenanceWindow | None = None
    exclusions: tuple[MaintenanceExclusion, ...] = ()


class Addons(Section):
    """What GKE installs into the cluster beside what the stack needs anyway."""

    gcs_fuse: bool = False
    """Mounts Cloud Storage buckets into pods."""


class _CreatedCluster(Section):
    name: GcpName
    mode: Literal["standard", "autopilot"]
    """Which of the two classes below it is was decided by it."""
    location: Location
    """A region, or a zone for a cluster with one control plane."""
    release_channel: Literal["RAPID", "REGULAR", "STABLE", "EXTENDED"]
    minimum_version: GkeVersion | None = None
    """Floor of the control plane's version; None leaves it to the release channel."""
    private_nodes: bool = True
    """Nodes have no public addresses and leave through NAT."""
    control_plane_cidr: Ipv4Range | None = None
    """A /28 for the control plane's side of a private cluster; None plans one."""
    private_endpoint: bool = False
    """The control plane has no public address; who runs this program must be in one of the authorized networks."""
    authorized_networks: tuple[AuthorizedNetwork, ...] = ()
    """None lets every address try."""
    maintenance: Maintenance = Maintenance()
    deletion_protection: bool = True


class StandardCluster(_CreatedCluster):
    """A GKE cluster whose nodes are declared."""

    addons: Addons = Addons()


class AutopilotCluster(_CreatedCluster):
    """A GKE cluster that makes the nodes that its pods select."""


class ClusterName(Section):
    """Which cluster."""

    name: GcpName
    location: Location


class ExistingCluster(Section):
    """A cluster that this stack neither creates, changes nor destroys; it is in the network that it is in."""

    existing: ClusterName
    mode: Literal["standard", "autopilot"]
    node_service_account: AccountEmail | None = None
    """Whom the nodes of the pools that the stack adds run as."""
    other_slices: bool = True
    """Whether it has slices, or makes some for pods that select them, that are not declared here; false holds queues to
    those that are."""
    control_plane_cidr: Ipv4Range | None = None
    """Stated, the stack opens the firewall from it to the controllers on nodes of `node_service_account`; left out,
    that is the affair of whoever made the cluster."""


def _cluster_kind(value: object) -> str:
    if isinstance(value, Section):
        return f"|{type(value).__name__}"
    written = cast("dict[str, object]", value) if isinstance(value, dict) else {}
    if "existing" in written:
        return "|ExistingCluster"
    return "|AutopilotCluster" if written.get("mode") == "autopilot" else "|StandardCluster"


Cluster = Annotated[
    Annotated[StandardCluster, Tag("|StandardCluster")]
    | Annotated[AutopilotCluster, Tag("|AutopilotCluster")]
    | Annotated[ExistingCluster, Tag("|ExistingCluster")],
    Discriminator(_cluster_kind),
]
