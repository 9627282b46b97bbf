"""What will exist to queue work: controllers, flavors, queues, priorities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from components.model.findings import Place


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleasePlan:
    """A controller's Helm release."""

    place: Place
    name: str
    chart: str
    version: str
    namespace: str
    image: str
    tag: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FirewallPlan:
    """Lets a private control plane reach servers on the nodes."""

    name: str
    source: str
    ports: tuple[int, ...]
    """TCP."""
    target_account: str
    """Service account of the nodes it opens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ControllersPlan:
    """JobSet, and Kueue after it."""

    jobset: ReleasePlan
    kueue: ReleasePlan
    frameworks: tuple[str, ...]
    """Kinds of jobs that Kueue manages."""
    firewall: FirewallPlan | None
    """None where the control plane reaches the nodes anyway."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FlavorPlan:
    """A ResourceFlavor: the pools whose nodes carry all of its labels serve it."""

    place: Place
    name: str
    machine_type: str
    topology: str
    capacity: str
    reservation: str | None
    labels: Mapping[str, str]
    """Empty where the machine type does not exist."""
    hosts: int
    """Of one slice; 0 where the shape does not exist."""
    chips_per_slice: int
    pools: tuple[str, ...]
    """Names of the pools that serve it."""
    chips: int
    """Of those pools together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueFlavorPlan:
    """A ClusterQueue's quota of one flavor."""

    place: Place
    name: str
    chips: int
    is_derived: bool
    """Whether the quota comes from the pools rather than from the stack file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalQueuePlan:
    """A LocalQueue and the ClusterQueue it leads to."""

    place: Place
    name: str
    namespace: str
    queue: str


@dataclass(frozen=True, slots=True, kw_only=True)
class QueuePlan:
    """A ClusterQueue."""

    place: Place
    name: str
    strategy: str
    within_cluster_queue: str
    flavors: tuple[QueueFlavorPlan, ...]
    local_queues: tuple[LocalQueuePlan, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PriorityPlan:
    """A PriorityClass and the WorkloadPriorityClass of the same name and value."""

    place: Place
    name: str
    value: int
    description: str | None
