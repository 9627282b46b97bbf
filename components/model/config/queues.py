"""What can be configured of queueing: controllers, flavors, queues, priorities."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from components.model import versions
from components.model.config.nodes import Capacity
from components.model.config.section import OptionalCount, Section
from components.model.config.values import KubernetesName, ReleaseNumber, Text
from components.model.gke import DEFAULT_NAMESPACE


class ControllerRelease(Section):
    """Which release of a controller is installed."""

    version: ReleaseNumber


class Controllers(Section):
    """The controllers that queue and run workloads."""

    jobset: ControllerRelease = ControllerRelease(version=versions.JOBSET.version)
    kueue: ControllerRelease = ControllerRelease(version=versions.KUEUE.version)


class Flavor(Section):
    """Slices that are as good as each other, as queues count them."""

    name: KubernetesName
    machine_type: Text
    topology: Text
    capacity: Capacity = "on-demand"
    reservation: Text | None = None
    """Name of the reservation, for capacity that is reserved."""


class QueueFlavor(Section):
    """A queue's share of a flavor."""

    name: KubernetesName
    chips: OptionalCount | None = None
    """None derives it: all chips of the pools that serve the flavor."""


class Preemption(Section):
    """Whom a queue may evict."""

    within_cluster_queue: Literal["Never", "LowerPriority", "LowerOrNewerEqualPriority"] = "Never"


class LocalQueue(Section):
    """Where users of one namespace submit."""

    name: KubernetesName
    namespace: KubernetesName = DEFAULT_NAMESPACE


class Queue(Section):
    """A ClusterQueue with the LocalQueues that lead to it."""

    name: KubernetesName
    strategy: Literal["BestEffortFIFO", "StrictFIFO"] = "BestEffortFIFO"
    flavors: Annotated[tuple[QueueFlavor, ...], Field(min_length=1)]
    """Tried in this order."""
    preemption: Preemption = Preemption()
    local_queues: tuple[LocalQueue, ...] = ()


class Priority(Section):
    """A PriorityClass and the WorkloadPriorityClass of the same name and value."""

    name: KubernetesName
    value: Annotated[int, Field(ge=-(2**31), lt=2**31)]
    description: Text | None = None
