"""What can be configured of nodes: ordinary pools, TPU slices, node auto-provisioning, and quota that bounds them."""

from __future__ import annotations

from typing import Annotated, Literal, cast

from pydantic import Discriminator, Field, Tag

from components.model.config.section import Count, OptionalCount, Section
from components.model.config.values import GcpName, Location, NodeLabelKey, NodeLabelValue, Text, Zone

NodeLabels = dict[NodeLabelKey, NodeLabelValue]
"""Kubernetes labels of nodes, beside those that GKE sets."""
Zones = Annotated[tuple[Zone, ...], Field(min_length=1)]


class Autoscaling(Section):
    """How few and how many nodes a pool has in each zone."""

    min: OptionalCount
    max: Count


class Gpu(Section):
    """GPUs of each node."""

    type: Text
    count: Count = 1
    driver: Literal["default", "latest", "disabled"] = "default"
    """Which driver GKE installs on the nodes."""


class Upgrade(Section):
    """How GKE brings the nodes of a pool to another version; what is left out is GKE's own."""

    strategy: Literal["SURGE", "BLUE_GREEN"] = "SURGE"
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
    machine_type: Text
    nodes: OptionalCount | None = None
    """In each zone; either this or `autoscaling` is stated."""
    autoscaling: Autoscaling | None = None
    zones: Zones
    spot: bool = False
    gpu: Gpu | None = None
    labels: NodeLabels = Field(default_factory=dict[str, str])
    upgrade: Upgrade | None = None


class Reservation(Section):
    """Capacity that is reserved and paid for."""

    name: GcpName
    project: Text | None = None
    """The project that shares it, where it is not this one."""
    block: Text | None = None
    """A block of it."""


Capacity = Literal["on-demand", "spot", "reservation", "flex-start"]
"""How chips are come by and paid for."""


class TpuSlices(Section):
    """TPU slices of one shape."""

    name: GcpName
    slices: Count | None = None
    """Stated, even as 1, it numbers the pools of multi-host slices (name1, name2 ...), so that it can grow without
    renaming one; left out, there is one slice in a pool of exactly this name. Single-host slices are counted in each
    zone."""
    machine_type: Text
    topology: Text
    zone: Zone | None = None
    """Either this or, for single-host slices, `zones` is stated."""
    zones: Zones | None = None
    capacity: Capacity = "on-demand"
    autoscaled: bool = False
    """Nodes come when pods wait for them and go with them; flex-start has no other way."""
    reservation: Reservation | None = None
    max_run_seconds: Count | None = None
    """When a node ends whatever runs on it."""
    queued: bool = False
    """Flex-start nodes come for Kueue's ProvisioningRequests alone."""
    host_maintenance: Literal["PERIODIC", "AS_NEEDED"] | None = None
    labels: NodeLabels = Field(default_factory=dict[str, str])
    upgrade: Upgrade | None = None
    protect: bool = False
    """The engine refuses to delete the pools."""


class AutoProvisioning(Section):
    """GKE makes node pools for pods that no declared pool can take, within limits over the whole cluster."""

    limits: Annotated[dict[Text, Count], Field(min_length=1)]
    """`cpu`, `memory_gb`, and accelerators by the name of their node label (GPUs, chips)."""
    zones: Zones


QuotaClass = Literal["on-demand", "preemptible"]
"""Spot and flex-start take from the second."""


class TpuQuota(Section):
    """Chips that the project may have in a region."""

    region: Location
    family: Text
    class_: Annotated[QuotaClass, Field(alias="class")] = "on-demand"
    chips: OptionalCount


class GpuQuota(Section):
    """GPUs that the project may have in a region."""

    region: Location
    gpu: Text
    class_: Annotated[QuotaClass, Field(alias="class")] = "on-demand"
    count: OptionalCount


def _quota_kind(value: object) -> str:
    written = cast("dict[str, object]", value) if isinstance(value, dict) else {}
    return "|GpuQuota" if isinstance(value, GpuQuota) or "gpu" in written else "|TpuQuota"


Quota = Annotated[
    Annotated[TpuQuota, Tag("|TpuQuota")] | Annotated[GpuQuota, Tag("|GpuQuota")], Discriminator(_quota_kind)
]
