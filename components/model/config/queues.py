"""What can be configured of queueing: controllers, flavors, cohorts, queues, admission checks, priorities."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Discriminator, Field, Tag

from components.model.config.nodes import Capacity
from components.model.config.section import OptionalCount, Section, Share, Variant, Variants
from components.model.config.values import (
    AmountText,
    KubernetesName,
    NodeLabelKey,
    NodeLabelValue,
    ReleaseNumber,
    ResourceName,
    Text,
)
from components.model.facts import gke, versions

# --- controllers


class NotInstalled(Section):
    """A controller that the cluster does without."""

    install: bool
    """False."""


class JobSetController(Section):
    """JobSet, which runs a job of several slices as one."""

    install: bool = True
    """False for a cluster that does without."""
    version: ReleaseNumber = versions.JOBSET.version
    """Release of JobSet; its default is the tested one."""


class KueueController(Section):
    """Kueue, which holds work back until there is quota for it."""

    install: bool = True
    """False for a cluster that does without."""
    version: ReleaseNumber = versions.KUEUE.version
    """Release of Kueue; its default is the tested one."""
    fair_sharing: bool = False
    """Whether queues of a cohort that use the least of their weighted share come first, and may evict from those that
    use more."""


_NotInstalled = Annotated[NotInstalled, Tag("|NotInstalled")]
JobSetInstallation = Annotated[
    _NotInstalled | Annotated[JobSetController, Tag("|JobSetController")],
    Discriminator(Variants(Variant(NotInstalled, ("install",), value=False), Variant(JobSetController))),
]
KueueInstallation = Annotated[
    _NotInstalled | Annotated[KueueController, Tag("|KueueController")],
    Discriminator(Variants(Variant(NotInstalled, ("install",), value=False), Variant(KueueController))),
]


class Controllers(Section):
    """The controllers that queue and run workloads; both are installed unless they are told not to be."""

    jobset: JobSetInstallation = JobSetController()
    """JobSet, which runs a job of several slices as one."""
    kueue: KueueInstallation = KueueController()
    """Kueue, which holds work back until there is quota for it."""


# --- flavors


class Flavor(Section):
    """Slices that are as good as each other, as queues count them."""

    name: KubernetesName
    """Name of the ResourceFlavor."""
    machine_type: Text
    """TPU machine type of the slices' hosts."""
    topology: Text
    """Topology of the slices."""
    capacity: Capacity = "on-demand"
    """The capacity type: how you get and pay for the chips."""
    reservation: Text | None = None
    """Name of the reservation, for capacity that is reserved."""


class NodeFlavor(Section):
    """Ordinary resources as queues count them: of nodes with these labels, or of any node."""

    name: KubernetesName
    """Name of the ResourceFlavor."""
    labels: dict[NodeLabelKey, NodeLabelValue] = Field(default_factory=dict[NodeLabelKey, NodeLabelValue])
    """What admitted pods select their nodes by."""


AnyFlavor = Annotated[
    Annotated[Flavor, Tag("|Flavor")] | Annotated[NodeFlavor, Tag("|NodeFlavor")],
    Discriminator(Variants(Variant(Flavor, ("machine_type", "topology")), Variant(NodeFlavor))),
]


# --- queues


class Provisioning(Section):
    """Nodes are asked for as a whole, by a ProvisioningRequest, before a workload starts."""

    class_name: Text = gke.QUEUED_PROVISIONING_CLASS
    """Who makes the nodes: the class of the ProvisioningRequests."""
    managed_resources: Annotated[tuple[ResourceName, ...], Field(min_length=1)] = (gke.RESOURCE_TPU,)
    """Requests are made for pods that ask for one of these."""
    parameters: dict[Text, Text] = Field(default_factory=dict[Text, Text])
    """What the class is told."""
    retries: OptionalCount | None = None
    """How often a request that failed is made again; left out, Kueue decides."""


class AdmissionCheck(Section):
    """A condition beside quota, which work passes before it starts."""

    name: KubernetesName
    """Name of the AdmissionCheck."""
    provisioning: Provisioning = Provisioning()
    """What is asked for before the work starts."""


class ChipsShare(Section):
    """A queue's share of a flavor of slices."""

    name: KubernetesName
    """Name of a flavor of slices."""
    chips: OptionalCount | None = None
    """The quota; left out, it is derived: all chips of the pools that serve the flavor."""
    borrow: OptionalCount | None = None
    """Chips beyond `chips` that it may take from its cohort; left out, there is no limit."""
    lend: OptionalCount | None = None
    """Chips of `chips` that others of its cohort may take while they are idle; left out, all are lent."""
    admission_checks: tuple[KubernetesName, ...] = ()
    """Names of admission checks that work of this flavor passes."""


class ResourcesShare(Section):
    """A queue's share of a flavor of ordinary resources."""

    name: KubernetesName
    """Name of a flavor of ordinary resources."""
    resources: Annotated[dict[ResourceName, AmountText], Field(min_length=1)]
    """The quota: an amount of each resource."""
    admission_checks: tuple[KubernetesName, ...] = ()
    """Names of admission checks that work of this flavor passes."""


QueueFlavor = Annotated[
    Annotated[ChipsShare, Tag("|ChipsShare")] | Annotated[ResourcesShare, Tag("|ResourcesShare")],
    Discriminator(Variants(Variant(ResourcesShare, ("resources",)), Variant(ChipsShare))),
]


class Preemption(Section):
    """Whom a queue may evict."""

    within_cluster_queue: Literal["Never", "LowerPriority", "LowerOrNewerEqualPriority"] = "Never"
    """Who in the queue itself."""
    reclaim_within_cohort: Literal["Never", "LowerPriority", "Any"] = "Never"
    """Who in the cohort, of those that borrow what is this queue's."""
    borrow_within_cohort: Literal["Never", "LowerPriority"] = "Never"
    """Who in the cohort, to borrow what they hold."""


class Fungibility(Section):
    """When a queue tries its next flavor rather than wait for, borrow of or evict in this one."""

    when_can_borrow: Literal["MayStopSearch", "TryNextFlavor"] = "MayStopSearch"
    """Whether it stays with a flavor in which it would have to borrow."""
    when_can_preempt: Literal["MayStopSearch", "TryNextFlavor"] = "TryNextFlavor"
    """Whether it stays with a flavor in which it would have to evict."""


class LocalQueue(Section):
    """Where users of one namespace submit."""

    name: KubernetesName
    """Name of the LocalQueue, which work names in its label kueue.x-k8s.io/queue-name."""
    namespace: KubernetesName = gke.DEFAULT_NAMESPACE
    """Namespace of those who submit to it."""


class Queue(Section):
    """A ClusterQueue with the LocalQueues that lead to it."""

    name: KubernetesName
    """Name of the ClusterQueue."""
    cohort: KubernetesName | None = None
    """Queues of a cohort borrow from each other what is idle."""
    fair_share_weight: Share | None = None
    """Among the queues of the cohort, where fair sharing is on; left out, it counts as 1."""
    strategy: Literal["BestEffortFIFO", "StrictFIFO"] = "BestEffortFIFO"
    """StrictFIFO lets nothing pass work that waits; BestEffortFIFO lets pass what fits."""
    flavors: Annotated[tuple[QueueFlavor, ...], Field(min_length=1)]
    """Tried in this order."""
    preemption: Preemption = Preemption()
    fungibility: Fungibility | None = None
    stop: Literal["hold", "drain"] | None = None
    """`hold` admits nothing more; `drain` evicts what runs as well, which makes a queue ready to be removed."""
    local_queues: tuple[LocalQueue, ...] = ()
    """Where its users submit."""


class Cohort(Section):
    """Queues, and cohorts of them, that lend each other what is idle."""

    name: KubernetesName
    """Name of the Cohort."""
    parent: KubernetesName | None = None
    """The cohort that this one is part of."""
    fair_share_weight: Share | None = None
    """Among the members of its parent, where fair sharing is on; left out, it counts as 1."""


class Priority(Section):
    """A PriorityClass and the WorkloadPriorityClass of the same name and value."""

    name: KubernetesName
    """Name of the class, which work names."""
    value: Annotated[int, Field(ge=-(2**31), lt=2**31)]
    """The higher goes first."""
    description: Text | None = None
    """Who should use it, for those who read the cluster."""
