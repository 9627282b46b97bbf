"""What can be configured: the shape of the stack file's one object, `tpu-platform:platform`.

Shapes and ranges only, one value at a time. Which topology a machine has is a fact (`tpu.py`); how parts relate is a
rule (`rules.py`). Everything is strict: an unknown key or a number in quotes is an error. A key that is left out is
None or the default written here; 0, "" and [] are values. Every list keeps the order of the file.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag

from components.model import versions
from components.model.config_values import (
    GcpName,
    GkeVersion,
    Ipv4Range,
    KubernetesName,
    Location,
    ReleaseNumber,
    Text,
    Zone,
)
from components.model.gke import DEFAULT_NAMESPACE

Count = Annotated[int, Field(ge=1)]
"""A whole number of things, at least one."""
OptionalCount = Annotated[int, Field(ge=0)]
"""A whole number of things, or none."""

VARIANT_MARK = "|"
"""First character of a variant's tag, which the class's name follows: pydantic puts it into the path of an error, where
it is no key of the file."""


class _Section(BaseModel):
    """A mapping of the stack file."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class CreatedNetwork(_Section):
    """A network of our own: one subnetwork, and NAT where nodes are private."""

    name: GcpName
    nodes_cidr: Ipv4Range
    pods_cidr: Ipv4Range
    services_cidr: Ipv4Range
    mtu: Annotated[int, Field(ge=1300, le=8896)] = 8896
    """Bytes; the largest is what Google advises for traffic between slices."""


class ExistingNetwork(_Section):
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


class Cluster(_Section):
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


class OrdinaryPool(_Section):
    """Nodes without accelerators, for the system and the controllers."""

    name: GcpName
    machine_type: Text
    nodes: OptionalCount
    """In each zone."""
    zones: Annotated[tuple[Zone, ...], Field(min_length=1)]


class TpuSlices(_Section):
    """TPU slices of one shape."""

    name: GcpName
    slices: Count | None = None
    """Stated, even as 1, it numbers the pools of multi-host slices (name1, name2 ...), so that it can grow without
    renaming one; left out, there is one slice in a pool of exactly this name."""
    machine_type: Text
    topology: Text
    zone: Zone


class ControllerRelease(_Section):
    """Which release of a controller is installed."""

    version: ReleaseNumber


class Controllers(_Section):
    """The controllers that queue and run workloads."""

    jobset: ControllerRelease = ControllerRelease(version=versions.JOBSET.version)
    kueue: ControllerRelease = ControllerRelease(version=versions.KUEUE.version)


class Flavor(_Section):
    """Slices that are as good as each other, as queues count them."""

    name: KubernetesName
    machine_type: Text
    topology: Text


class QueueFlavor(_Section):
    """A queue's share of a flavor."""

    name: KubernetesName
    chips: OptionalCount | None = None
    """None derives it: all chips of the pools that serve the flavor."""


class Preemption(_Section):
    """Whom a queue may evict."""

    within_cluster_queue: Literal["Never", "LowerPriority", "LowerOrNewerEqualPriority"] = "Never"


class LocalQueue(_Section):
    """Where users of one namespace submit."""

    name: KubernetesName
    namespace: KubernetesName = DEFAULT_NAMESPACE


class Queue(_Section):
    """A ClusterQueue with the LocalQueues that lead to it."""

    name: KubernetesName
    strategy: Literal["BestEffortFIFO", "StrictFIFO"] = "BestEffortFIFO"
    flavors: Annotated[tuple[QueueFlavor, ...], Field(min_length=1)]
    """Tried in this order."""
    preemption: Preemption = Preemption()
    local_queues: tuple[LocalQueue, ...] = ()


class Priority(_Section):
    """A PriorityClass and the WorkloadPriorityClass of the same name and value."""

    name: KubernetesName
    value: Annotated[int, Field(ge=-(2**31), lt=2**31)]
    description: Text | None = None


class JobSet(_Section):
    """A multislice workload: one Job per slice, one pod per host."""

    kind: Literal["jobset"]
    name: KubernetesName
    namespace: KubernetesName = DEFAULT_NAMESPACE
    queue: KubernetesName
    """A LocalQueue of the namespace."""
    priority: KubernetesName | None = None
    flavor: KubernetesName
    """What its slices are, by the name of a flavor."""
    slices: Count
    image: Text
    script: Text
    """Lines for bash, run on every host."""
    max_restarts: OptionalCount = 0
    """How often a failed run starts again, all slices together."""


class Platform(_Section):
    """Everything one stack declares."""

    network: Network
    cluster: Cluster
    node_pools: tuple[OrdinaryPool, ...] = ()
    tpu_slices: tuple[TpuSlices, ...] = ()
    controllers: Controllers = Controllers()
    flavors: tuple[Flavor, ...] = ()
    queues: tuple[Queue, ...] = ()
    priorities: tuple[Priority, ...] = ()
    workloads: tuple[JobSet, ...] = ()
    """Created in this order, each after the one before it exists."""
