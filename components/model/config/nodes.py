"""Configuration of nodes: ordinary pools, TPU slices, node auto-provisioning, and quota that bounds them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Discriminator, Field, Tag

from components.model.config.section import Count, OptionalCount, Section, Variant, Variants
from components.model.config.values import GcpName, NodeLabelKey, NodeLabelValue, Region, Text, Zone

NodeLabels = dict[NodeLabelKey, NodeLabelValue]
"""Kubernetes labels of nodes, beside those that GKE sets."""
Zones = Annotated[tuple[Zone, ...], Field(min_length=1)]


class Autoscaling(Section):
    """The minimum and maximum number of nodes of a pool in each zone."""

    min: OptionalCount
    """Nodes that are always there."""
    max: Count
    """The most nodes."""


class Gpu(Section):
    """GPUs of each node."""

    type: Text
    """The model, as in the node label cloud.google.com/gke-accelerator."""
    count: Count = 1
    """GPUs of one node."""
    driver: Literal["default", "latest", "disabled"] = "default"
    """Which driver GKE installs on the nodes."""


class Upgrade(Section):
    """How GKE upgrades the nodes of a pool; for keys that are left out, GKE decides."""

    strategy: Literal["SURGE", "BLUE_GREEN"] = "SURGE"
    """SURGE adds nodes, or removes some, for a while; BLUE_GREEN creates all new nodes before it drains the old
    ones."""
    max_surge: OptionalCount | None = None
    """How many nodes SURGE may add meanwhile."""
    max_unavailable: OptionalCount | None = None
    """How many nodes may be unavailable meanwhile, with SURGE."""
    batch_nodes: Count | None = None
    """How many nodes BLUE_GREEN drains at once."""
    soak_seconds: OptionalCount | None = None
    """How many seconds BLUE_GREEN keeps the old nodes after it has drained all of them."""


class FlexStart(Section):
    """How flex-start nodes come and go."""

    queued: bool = False
    """GKE provisions the nodes only for Kueue's ProvisioningRequests, all nodes of a workload at once."""
    max_run_seconds: Count | None = None
    """The longest life of a node, in seconds; then GKE deletes it, and whatever runs on it ends."""


class OrdinaryPool(Section):
    """Nodes without TPUs: for the system and the controllers, or with GPUs."""

    name: GcpName
    """Name of the node pool."""
    machine_type: Text
    """Machine type of its nodes, such as e2-standard-4."""
    nodes: OptionalCount | None = None
    """Number of nodes in each zone; state either this or `autoscaling`."""
    autoscaling: Autoscaling | None = None
    """The minimum and maximum number of nodes in each zone; instead of `nodes`."""
    zones: Zones
    """The zones of its nodes; each zone has the same number."""
    spot: bool = False
    """Spot nodes: they are cheap, and Google may take them away at any moment."""
    gpu: Gpu | None = None
    flex_start: FlexStart | None = None
    """Flex-start nodes with GPUs: GKE adds them when pods wait, and deletes them after seven days at the latest."""
    labels: NodeLabels = Field(default_factory=dict[str, str])
    """Labels of its nodes, beside those that GKE sets."""
    upgrade: Upgrade | None = None


class Reservation(Section):
    """Capacity that is reserved and paid for."""

    name: GcpName
    """Name of the reservation."""
    project: Text | None = None
    """The project that owns the reservation, if it is not this one."""
    block: Text | None = None
    """A block of the reservation."""


Capacity = Literal["on-demand", "spot", "reservation", "flex-start"]
"""The capacity type: how you get and pay for the chips."""


class TpuSlices(Section):
    """TPU slices of one shape."""

    name: GcpName
    """Name of the node pools, or the beginning of their names."""
    slices: Count | None = None
    """Number of slices; of single-host slices, in each zone. If it is stated, even as 1, the pools of multi-host slices
    are numbered (name1, name2 ...), so that you can add slices without renaming a pool. If it is left out, there is one
    slice, in a pool of exactly this name."""
    machine_type: Text
    """TPU machine type of its hosts, such as ct5lp-hightpu-4t."""
    topology: Text
    """Chips along each side of a slice, such as 2x4; the machine type decides which are valid."""
    zone: Zone | None = None
    """The zone of the slices; for single-host slices, state either this or `zones`."""
    zones: Zones | None = None
    """The zones of single-host slices, instead of `zone`."""
    capacity: Capacity = "on-demand"
    """The capacity type: how you get and pay for the chips."""
    autoscaled: bool = False
    """GKE adds nodes when pods wait for them, and removes them afterwards; always so for flex-start."""
    reservation: Reservation | None = None
    """The reservation of the slices, for capacity that is reserved."""
    max_run_seconds: Count | None = None
    """The longest life of a node, in seconds; then GKE deletes it, and whatever runs on it ends."""
    queued: bool = False
    """GKE provisions these flex-start nodes only for Kueue's ProvisioningRequests."""
    host_maintenance: Literal["PERIODIC", "AS_NEEDED"] | None = None
    """When Google maintains the hosts; PERIODIC is for reservations."""
    labels: NodeLabels = Field(default_factory=dict[str, str])
    """Labels of its nodes, beside those that GKE sets."""
    upgrade: Upgrade | None = None
    protect: bool = False
    """The engine refuses to delete the pools."""


class AutoProvisioning(Section):
    """GKE creates node pools for pods that fit no declared pool, within limits for the whole cluster."""

    limits: Annotated[dict[Text, Count], Field(min_length=1)]
    """`cpu`, `memory_gb`, and accelerators by the name of their node label (GPUs, chips)."""
    zones: Zones
    """The zones of such nodes."""


QuotaClass = Literal["on-demand", "preemptible"]
"""Spot and flex-start use the second."""


class TpuQuota(Section):
    """Quota of the project for chips in a region."""

    region: Region
    """The region of the quota."""
    family: Text
    """TPU generation, such as v5e."""
    class_: Annotated[QuotaClass, Field(alias="class")] = "on-demand"
    """Which quota: spot and flex-start use the preemptible one."""
    chips: OptionalCount
    """The most chips at one time."""


class GpuQuota(Section):
    """Quota of the project for GPUs in a region."""

    region: Region
    """The region of the quota."""
    gpu: Text
    """Model of GPU, as in the node label cloud.google.com/gke-accelerator."""
    class_: Annotated[QuotaClass, Field(alias="class")] = "on-demand"
    """Which quota: spot and flex-start use the preemptible one."""
    count: OptionalCount
    """The most GPUs at one time."""


Quota = Annotated[
    Annotated[TpuQuota, Tag("|TpuQuota")] | Annotated[GpuQuota, Tag("|GpuQuota")],
    Discriminator(Variants(Variant(GpuQuota, ("gpu",)), Variant(TpuQuota))),
]
