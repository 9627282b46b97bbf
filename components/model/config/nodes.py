"""What can be configured of nodes: ordinary pools, TPU slices, node auto-provisioning, and quota that bounds them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Discriminator, Field, Tag

from components.model.config.section import Count, OptionalCount, Section, Variant, Variants
from components.model.config.values import GcpName, Location, NodeLabelKey, NodeLabelValue, Text, Zone

NodeLabels = dict[NodeLabelKey, NodeLabelValue]
"""Kubernetes labels of nodes, beside those that GKE sets."""
Zones = Annotated[tuple[Zone, ...], Field(min_length=1)]


class Autoscaling(Section):
    """How few and how many nodes a pool has in each zone."""

    min: OptionalCount
    """Nodes that are always there."""
    max: Count
    """Nodes at most."""


class Gpu(Section):
    """GPUs of each node."""

    type: Text
    """The model, as nodes are labelled with it."""
    count: Count = 1
    """GPUs of one node."""
    driver: Literal["default", "latest", "disabled"] = "default"
    """Which driver GKE installs on the nodes."""


class Upgrade(Section):
    """How GKE brings the nodes of a pool to another version; what is left out is GKE's own."""

    strategy: Literal["SURGE", "BLUE_GREEN"] = "SURGE"
    """SURGE adds nodes or does without some for a while; BLUE_GREEN makes all new nodes before it drains the old."""
    max_surge: OptionalCount | None = None
    """Nodes that are added meanwhile, by SURGE."""
    max_unavailable: OptionalCount | None = None
    """Nodes that may be gone meanwhile, by SURGE."""
    batch_nodes: Count | None = None
    """Nodes that are drained at once, by BLUE_GREEN."""
    soak_seconds: OptionalCount | None = None
    """How long old nodes are kept after all are drained, by BLUE_GREEN."""


class OrdinaryPool(Section):
    """Nodes without TPUs: for the system and the controllers, or with GPUs."""

    name: GcpName
    """Name of the node pool."""
    machine_type: Text
    """Machine type of its nodes, such as e2-standard-4."""
    nodes: OptionalCount | None = None
    """In each zone; either this or `autoscaling` is stated."""
    autoscaling: Autoscaling | None = None
    """How few and how many nodes it has in each zone; instead of `nodes`."""
    zones: Zones
    """Where its nodes are, each zone with as many."""
    spot: bool = False
    """Nodes that are cheap and may be taken away at any moment."""
    gpu: Gpu | None = None
    labels: NodeLabels = Field(default_factory=dict[str, str])
    """Labels of its nodes, beside those that GKE sets."""
    upgrade: Upgrade | None = None


class Reservation(Section):
    """Capacity that is reserved and paid for."""

    name: GcpName
    """Name of the reservation."""
    project: Text | None = None
    """The project that shares it, where it is not this one."""
    block: Text | None = None
    """A block of it."""


Capacity = Literal["on-demand", "spot", "reservation", "flex-start"]
"""The capacity type: how you get and pay for the chips."""


class TpuSlices(Section):
    """TPU slices of one shape."""

    name: GcpName
    """Name of the node pools, or the beginning of their names."""
    slices: Count | None = None
    """Stated, even as 1, it numbers the pools of multi-host slices (name1, name2 ...), so that it can grow without
    renaming one; left out, there is one slice in a pool of exactly this name. Single-host slices are counted in each
    zone."""
    machine_type: Text
    """TPU machine type of its hosts, such as ct5lp-hightpu-4t."""
    topology: Text
    """Chips along each side of a slice, such as 2x4; the machine type decides which there are."""
    zone: Zone | None = None
    """Either this or, for single-host slices, `zones` is stated."""
    zones: Zones | None = None
    """The zones of single-host slices, instead of `zone`."""
    capacity: Capacity = "on-demand"
    """The capacity type: how you get and pay for the chips."""
    autoscaled: bool = False
    """Nodes come when pods wait for them and go with them; flex-start has no other way."""
    reservation: Reservation | None = None
    """The reservation that the slices are taken from, for capacity that is reserved."""
    max_run_seconds: Count | None = None
    """When a node ends whatever runs on it."""
    queued: bool = False
    """Flex-start nodes come for Kueue's ProvisioningRequests alone."""
    host_maintenance: Literal["PERIODIC", "AS_NEEDED"] | None = None
    """When Google maintains the hosts; PERIODIC belongs to reservations."""
    labels: NodeLabels = Field(default_factory=dict[str, str])
    """Labels of its nodes, beside those that GKE sets."""
    upgrade: Upgrade | None = None
    protect: bool = False
    """The engine refuses to delete the pools."""


class AutoProvisioning(Section):
    """GKE makes node pools for pods that no declared pool can take, within limits over the whole cluster."""

    limits: Annotated[dict[Text, Count], Field(min_length=1)]
    """`cpu`, `memory_gb`, and accelerators by the name of their node label (GPUs, chips)."""
    zones: Zones
    """Where such nodes may be."""


QuotaClass = Literal["on-demand", "preemptible"]
"""Spot and flex-start take from the second."""


class TpuQuota(Section):
    """Chips that the project may have in a region."""

    region: Location
    """The region that the quota is of."""
    family: Text
    """TPU generation, such as v5e."""
    class_: Annotated[QuotaClass, Field(alias="class")] = "on-demand"
    """Of which capacity: spot and flex-start take from preemptible."""
    chips: OptionalCount
    """Chips that may be had at one time."""


class GpuQuota(Section):
    """GPUs that the project may have in a region."""

    region: Location
    """The region that the quota is of."""
    gpu: Text
    """Model of GPU, as nodes are labelled with it."""
    class_: Annotated[QuotaClass, Field(alias="class")] = "on-demand"
    """Of which capacity: spot takes from preemptible."""
    count: OptionalCount
    """GPUs that may be had at one time."""


Quota = Annotated[
    Annotated[TpuQuota, Tag("|TpuQuota")] | Annotated[GpuQuota, Tag("|GpuQuota")],
    Discriminator(Variants(Variant(GpuQuota, ("gpu",)), Variant(TpuQuota))),
]
