"""What can be configured of queueing: controllers, flavors, cohorts, queues, admission checks, priorities."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import Discriminator, Field, Tag

from components.model import gke, versions
from components.model.config.nodes import Capacity
from components.model.config.section import OptionalCount, Section, Share, is_variant
from components.model.config.values import (
    AmountText,
    KubernetesName,
    NodeLabelKey,
    NodeLabelValue,
    ReleaseNumber,
    ResourceName,
    Text,
)

# --- controllers


class NotInstalled(Section):
    """A controller that the cluster does without."""

    install: bool
    """False."""


class JobSetController(Section):
    """JobSet, which runs a job of several slices as one."""

    install: bool = True
    version: ReleaseNumber = versions.JOBSET.version


class KueueController(Section):
    """Kueue, which holds work back until there is quota for it."""

    install: bool = True
    version: ReleaseNumber = versions.KUEUE.version
    fair_sharing: bool = False
    """Whether queues of a cohort that use the least of their weighted share come first, and may evict from those that
    use more."""


def _jobset_kind(value: object) -> str:
    return "|NotInstalled" if is_variant(value, NotInstalled, install=False) else "|JobSetController"


def _kueue_kind(value: object) -> str:
    return "|NotInstalled" if is_variant(value, NotInstalled, install=False) else "|KueueController"


_NotInstalled = Annotated[NotInstalled, Tag("|NotInstalled")]
JobSetInstallation = Annotated[
    _NotInstalled | Annotated[JobSetController, Tag("|JobSetController")], Discriminator(_jobset_kind)
]
KueueInstallation = Annotated[
    _NotInstalled | Annotated[KueueController, Tag("|KueueController")], Discriminator(_kueue_kind)
]


class Controllers(Section):
    """The controllers that queue and run workloads; both are installed unless they are told not to be."""

    jobset: JobSetInstallation = JobSetController()
    kueue: KueueInstallation = KueueController()


# --- flavors


class Flavor(Section):
    """Slices that are as good as each other, as queues count them."""

    name: KubernetesName
    machine_type: Text
    topology: Text
    capacity: Capacity = "on-demand"
    reservation: Text | None = None
    """Name of the reservation, for capacity that is reserved."""


class NodeFlavor(Section):
    """Ordinary resources as queues count them: of nodes with these labels, or of any node."""

    name: KubernetesName
    labels: dict[NodeLabelKey, NodeLabelValue] = Field(default_factory=dict[NodeLabelKey, NodeLabelValue])
    """What admitted pods select their nodes by."""


def _flavor_kind(value: object) -> str:
    is_tpu = isinstance(value, Flavor) or (isinstance(value, dict) and not value.keys().isdisjoint(_TPU_KEYS))
    return "|Flavor" if is_tpu else "|NodeFlavor"


_TPU_KEYS: Final = ("machine_type", "topology")
AnyFlavor = Annotated[
    Annotated[Flavor, Tag("|Flavor")] | Annotated[NodeFlavor, Tag("|NodeFlavor")], Discriminator(_flavor_kind)
]


# --- queues


class Provisioning(Section):
    """Nodes are asked for as a whole, by a ProvisioningRequest, before a workload starts."""

    class_name: Text = gke.QUEUED_PROVISIONING_CLASS
    managed_resources: Annotated[tuple[ResourceName, ...], Field(min_length=1)] = (gke.RESOURCE_TPU,)
    """Requests are made for pods that ask for one of these."""
    parameters: dict[Text, Text] = Field(default_factory=dict[Text, Text])
    """What the class is told."""
    retries: OptionalCount | None = None
    """How often a request that failed is made again; None leaves it to Kueue."""


class AdmissionCheck(Section):
    """A condition beside quota, which work passes before it starts."""

    name: KubernetesName
    provisioning: Provisioning = Provisioning()


class ChipsShare(Section):
    """A queue's share of a flavor of slices."""

    name: KubernetesName
    chips: OptionalCount | None = None
    """None derives it: all chips of the pools that serve the flavor."""
    borrow: OptionalCount | None = None
    """Chips beyond `chips` that it may take from its cohort; None does not limit it."""
    lend: OptionalCount | None = None
    """Chips of `chips` that others of its cohort may take while they are idle; None lends all."""
    admission_checks: tuple[KubernetesName, ...] = ()


class ResourcesShare(Section):
    """A queue's share of a flavor of ordinary resources."""

    name: KubernetesName
    resources: Annotated[dict[ResourceName, AmountText], Field(min_length=1)]
    admission_checks: tuple[KubernetesName, ...] = ()


def _share_kind(value: object) -> str:
    is_resources = isinstance(value, ResourcesShare) or (isinstance(value, dict) and "resources" in value)
    return "|ResourcesShare" if is_resources else "|ChipsShare"


QueueFlavor = Annotated[
    Annotated[ChipsShare, Tag("|ChipsShare")] | Annotated[ResourcesShare, Tag("|ResourcesShare")],
    Discriminator(_share_kind),
]


class Preemption(Section):
    """Whom a queue may evict."""

    within_cluster_queue: Literal["Never", "LowerPriority", "LowerOrNewerEqualPriority"] = "Never"
    reclaim_within_cohort: Literal["Never", "LowerPriority", "Any"] = "Never"
    """Who in the cohort, of those that borrow what is this queue's."""
    borrow_within_cohort: Literal["Never", "LowerPriority"] = "Never"
    """Who in the cohort, to borrow what they hold."""


class Fungibility(Section):
    """When a queue tries its next flavor rather than wait for, borrow of or evict in this one."""

    when_can_borrow: Literal["MayStopSearch", "TryNextFlavor"] = "MayStopSearch"
    when_can_preempt: Literal["MayStopSearch", "TryNextFlavor"] = "TryNextFlavor"


class LocalQueue(Section):
    """Where users of one namespace submit."""

    name: KubernetesName
    namespace: KubernetesName = gke.DEFAULT_NAMESPACE


class Queue(Section):
    """A ClusterQueue with the LocalQueues that lead to it."""

    name: KubernetesName
    cohort: KubernetesName | None = None
    """Queues of a cohort borrow from each other what is idle."""
    fair_share_weight: Share | None = None
    """Among the queues of the cohort, where fair sharing is on; None counts as 1."""
    strategy: Literal["BestEffortFIFO", "StrictFIFO"] = "BestEffortFIFO"
    flavors: Annotated[tuple[QueueFlavor, ...], Field(min_length=1)]
    """Tried in this order."""
    preemption: Preemption = Preemption()
    fungibility: Fungibility | None = None
    stop: Literal["hold", "drain"] | None = None
    """`hold` admits nothing more; `drain` evicts what runs as well, which makes a queue ready to be removed."""
    local_queues: tuple[LocalQueue, ...] = ()


class Cohort(Section):
    """Queues, and cohorts of them, that lend each other what is idle."""

    name: KubernetesName
    parent: KubernetesName | None = None
    fair_share_weight: Share | None = None


class Priority(Section):
    """A PriorityClass and the WorkloadPriorityClass of the same name and value."""

    name: KubernetesName
    value: Annotated[int, Field(ge=-(2**31), lt=2**31)]
    description: Text | None = None
