"""What can be configured of the cloud: network, cluster, node pools, slices."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Discriminator, Field, Tag

from components.model.config.section import Count, OptionalCount, Section
from components.model.config.values import GcpName, GkeVersion, Ipv4Range, Location, Text, Zone


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
    subnetwork: Text


def _network_kind(value: object) -> str:
    is_existing = isinstance(value, ExistingNetwork) or (isinstance(value, dict) and "existing" in value)
    return "|ExistingNetwork" if is_existing else "|CreatedNetwork"


Network = Annotated[
    Annotated[CreatedNetwork, Tag("|CreatedNetwork")] | Annotated[ExistingNetwork, Tag("|ExistingNetwork")],
    Discriminator(_network_kind),
]


class Cluster(Section):
    """The GKE cluster."""

    name: GcpName
    mode: Literal["standard"]
    location: Location
    """A region, or a zone for a cluster with one control plane."""
    release_channel: Literal["RAPID", "REGULAR", "STABLE", "EXTENDED"]
    minimum_version: GkeVersion | None = None
    """Floor of the control plane's version; None leaves it to the release channel."""
    private_nodes: bool = True
    """Nodes have no public addresses and leave through NAT."""
    control_plane_cidr: Ipv4Range | None = None
    """A /28 for the control plane's side of a private cluster; None plans one."""
    deletion_protection: bool = True


class OrdinaryPool(Section):
    """Nodes without accelerators, for the system and the controllers."""

    name: GcpName
    machine_type: Text
    nodes: OptionalCount
    """In each zone."""
    zones: Annotated[tuple[Zone, ...], Field(min_length=1)]


class TpuSlices(Section):
    """TPU slices of one shape."""

    name: GcpName
    slices: Count | None = None
    """Stated, even as 1, it numbers the pools of multi-host slices (name1, name2 ...), so that it can grow without
    renaming one; left out, there is one slice in a pool of exactly this name."""
    machine_type: Text
    topology: Text
    zone: Zone
