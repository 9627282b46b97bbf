"""Configuration of queueing: controllers, flavors, cohorts, queues, admission checks, priorities."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Discriminator, Field, Tag

from components.model.config.nodes import Capacity
from components.model.config.section import BELOW, Count, OptionalCount, Section, Variant, Variants, Weight
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
    """A controller that the stack does not install."""

    install: bool
    """False."""


class JobSetController(Section):
    """JobSet, which runs a job of several slices as one."""

    install: bool = True
    """Whether the stack installs it."""
    version: ReleaseNumber = versions.JOBSET.version
    """Release of JobSet; by default the tested one."""


class Requeue(Section):
    """When a workload that was evicted because its pods were not ready is queued again."""

    base_seconds: OptionalCount = 60
    """The wait after the first eviction; each further wait is twice as long."""
    max_seconds: OptionalCount = 3600
    """The longest wait."""
    limit: OptionalCount | None = None
    """How often a workload is queued again; then Kueue deactivates it. By default there is no limit."""
    timestamp: Literal["Eviction", "Creation"] = "Eviction"
    """Its place in the queue: that of the moment of its eviction, or its old place, that of its creation."""


class PodsReady(Section):
    """How long an admitted workload may hold quota without running: then Kueue evicts it and queues it again."""

    timeout_seconds: Count
    """The time from the admission of a workload until all its pods are ready."""
    recovery_timeout_seconds: OptionalCount | None = None
    """The same for a workload that ran and lost a pod; 0 means no limit. By default it is `timeout_seconds`."""
    block_admission: bool = False
    """Whether Kueue admits nothing else while an admitted workload is not ready."""
    requeue: Requeue = Requeue()


class KueueController(Section):
    """Kueue, which holds work back until there is quota for it."""

    install: bool = True
    """Whether the stack installs it."""
    version: ReleaseNumber = versions.KUEUE.version
    """Release of Kueue; by default the tested one."""
    fair_sharing: bool = False
    """Fair sharing: queues of a cohort that use the least of their weighted share are served first, and may evict
    workloads of those that use more."""
    pods_ready: PodsReady | None = None
    """How long an admitted workload may wait for its pods to be ready; by default it keeps its quota."""


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
    """The controllers that queue and run workloads; the stack installs both by default."""

    jobset: JobSetInstallation = JobSetController()
    """JobSet, which runs a job of several slices as one."""
    kueue: KueueInstallation = KueueController()
    """Kueue, which holds work back until there is quota for it."""


# --- flavors


class Flavor(Section):
    """Slices that queues count as interchangeable."""

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
    """The node labels that admitted pods select."""


AnyFlavor = Annotated[
    Annotated[Flavor, Tag("|Flavor")] | Annotated[NodeFlavor, Tag("|NodeFlavor")],
    Discriminator(Variants(Variant(Flavor, ("machine_type", "topology")), Variant(NodeFlavor))),
]


# --- queues


class Provisioning(Section):
    """A ProvisioningRequest requests all nodes of a workload together, before the workload starts."""

    class_name: Text = gke.QUEUED_PROVISIONING_CLASS
    """The class of the ProvisioningRequests: it decides who creates the nodes."""
    managed_resources: Annotated[tuple[ResourceName, ...], Field(min_length=1)] = (gke.RESOURCE_TPU,)
    """Kueue makes ProvisioningRequests for pods that request one of these resources."""
    parameters: dict[Text, Text] = Field(default_factory=dict[Text, Text])
    """Parameters of the class."""
    retries: OptionalCount | None = None
    """How often Kueue repeats a failed ProvisioningRequest; by default Kueue decides."""


class AdmissionCheck(Section):
    """A condition beside quota that a workload must meet before it starts."""

    name: KubernetesName
    """Name of the AdmissionCheck."""
    provisioning: Provisioning = Provisioning()
    """The request for nodes before a workload starts."""


class ChipsShare(Section):
    """A queue's quota of a flavor of slices."""

    name: KubernetesName
    """Name of a flavor of slices."""
    chips: OptionalCount | None = None
    """The quota in chips; by default all chips of the pools that serve the flavor."""
    borrow: OptionalCount | None = None
    """The most chips that the queue may borrow from its cohort, beyond `chips`; by default there is no limit."""
    lend: OptionalCount | None = None
    """The most idle chips of `chips` that other queues of the cohort may borrow; by default all."""
    admission_checks: tuple[KubernetesName, ...] = ()
    """Names of the admission checks for workloads of this flavor."""


class ResourcesShare(Section):
    """A queue's quota of a flavor of ordinary resources."""

    name: KubernetesName
    """Name of a flavor of ordinary resources."""
    resources: Annotated[dict[ResourceName, AmountText], Field(min_length=1)]
    """The quota: an amount of each resource."""
    admission_checks: tuple[KubernetesName, ...] = ()
    """Names of the admission checks for workloads of this flavor."""


QueueFlavor = Annotated[
    Annotated[ChipsShare, Tag("|ChipsShare")] | Annotated[ResourcesShare, Tag("|ResourcesShare")],
    Discriminator(Variants(Variant(ResourcesShare, ("resources",)), Variant(ChipsShare))),
]


class Preemption(Section):
    """Which workloads a queue may evict."""

    within_cluster_queue: Literal["Never", "LowerPriority", "LowerOrNewerEqualPriority"] = "Never"
    """Which workloads of the queue itself."""
    reclaim_within_cohort: Literal["Never", "LowerPriority", "Any"] = "Never"
    """Which workloads of the cohort that borrow this queue's quota."""
    borrow_within_cohort: Literal["Never", "LowerPriority"] = "Never"
    """Which workloads of the cohort, to borrow the quota that they use."""


class Fungibility(Section):
    """When a queue tries its next flavor rather than borrow or evict in this one."""

    when_can_borrow: Literal["MayStopSearch", "TryNextFlavor"] = "MayStopSearch"
    """Whether it stays with a flavor in which it would have to borrow."""
    when_can_preempt: Literal["MayStopSearch", "TryNextFlavor"] = "TryNextFlavor"
    """Whether it stays with a flavor in which it would have to evict."""


class ConcurrentAdmission(Section):
    """Kueue tries all flavors of the queue at once for each workload, and starts it on the first that admits it."""

    mode: Literal["TryPreferredFlavors", "RetainFirstAdmission"] = "TryPreferredFlavors"
    """Whether a workload that runs is evicted and started again on a flavor that is earlier in the list, once that
    flavor admits it; or stays where it is."""
    last_acceptable_flavor: KubernetesName | None = None
    """The last flavor of the list for which a running workload moves; by default any flavor before its own."""


class LocalQueue(Section):
    """The queue to which users of one namespace submit."""

    name: KubernetesName
    """Name of the LocalQueue, which workloads name in their label kueue.x-k8s.io/queue-name."""
    namespace: KubernetesName = gke.DEFAULT_NAMESPACE
    """Namespace of those who submit to it."""


class Queue(Section):
    """A ClusterQueue with the LocalQueues that lead to it."""

    name: KubernetesName
    """Name of the ClusterQueue."""
    cohort: KubernetesName | None = None
    """The cohort: its queues lend each other idle quota."""
    fair_share_weight: Weight | None = None
    """Its weight among the queues of the cohort, with fair sharing; by default 1."""
    strategy: Literal["BestEffortFIFO", "StrictFIFO"] = "BestEffortFIFO"
    """With StrictFIFO no workload overtakes one that waits; with BestEffortFIFO those that fit do."""
    flavors: Annotated[tuple[QueueFlavor, ...], Field(min_length=1)]
    """The flavors with their quotas, tried in this order."""
    preemption: Preemption = Preemption()
    fungibility: Fungibility | None = None
    concurrent_admission: ConcurrentAdmission | None = None
    stop: Literal["hold", "drain"] | None = None
    """`hold` admits no more workloads; `drain` also evicts those that run, so that the queue can be removed."""
    local_queues: tuple[LocalQueue, ...] = ()
    """The LocalQueues to which its users submit."""


class Namespace(Section):
    """A namespace, with or without anything in it; one that a queue or a workload names needs no entry."""

    name: KubernetesName
    """Name of the namespace."""
    delete: bool = False
    """Whether the next update that finds the namespace nowhere in the stack file deletes it. By default it stays in the
    cluster for ever."""


class Cohort(Section):
    """Queues and cohorts that lend each other idle quota."""

    name: KubernetesName
    """Name of the Cohort."""
    parent: KubernetesName | None = None
    """The cohort that this one is part of."""
    fair_share_weight: Weight | None = None
    """Its weight among the members of its parent, with fair sharing; by default 1."""


class Priority(Section):
    """A PriorityClass and the WorkloadPriorityClass of the same name and value."""

    name: KubernetesName
    """Name of both classes, which workloads name."""
    value: Annotated[int, Field(ge=-BELOW, lt=BELOW)]
    """Workloads of a higher value run first."""
    description: Text | None = None
    """Who should use it, for those who read the cluster."""
