"""The inputs of the components: mappings with the keys of stack files, described for readers of the schema.

The classes of `components/model/config/`, which have the same keys, check the values. They are known at preview.
"""

from typing import NotRequired, TypedDict


class ExistingCluster(TypedDict):
    """A GKE cluster that exists; the component neither creates, changes nor destroys it."""

    name: str
    """Name of the cluster."""
    location: str
    """Its region, or its zone."""
    mode: NotRequired[str]
    """`standard`, which is the default, or `autopilot`."""
    node_service_account: NotRequired[str]
    """Address of the service account that nodes run as; node pools need it."""
    project: NotRequired[str]
    """Google Cloud project of the cluster; left out, it is the stack's `gcp:project`."""


class Reservation(TypedDict):
    """Capacity that is reserved and paid for."""

    name: str
    """Name of the reservation."""
    project: NotRequired[str]
    """The project that shares it, where it is not this one."""
    block: NotRequired[str]
    """A block of it."""


class Upgrade(TypedDict):
    """How GKE upgrades the nodes of a pool; settings that are left out are GKE's own."""

    strategy: NotRequired[str]
    """`SURGE`, which is the default, or `BLUE_GREEN`."""
    max_surge: NotRequired[int]
    """Nodes that SURGE adds during the upgrade."""
    max_unavailable: NotRequired[int]
    """Nodes that may be unavailable during the upgrade with SURGE."""
    batch_nodes: NotRequired[int]
    """Nodes that BLUE_GREEN drains at once."""
    soak_seconds: NotRequired[int]
    """How long BLUE_GREEN keeps old nodes after all are drained."""


class SliceGroup(TypedDict):
    """TPU slices of one shape: a node pool for each slice of several hosts, or one for all slices of one host."""

    name: str
    """Name of the node pool, or the prefix of the pools' names."""
    machine_type: str
    """Machine type of a host, such as `ct5lp-hightpu-4t`."""
    topology: str
    """Chips of a slice along each axis, such as `2x4`."""
    slices: NotRequired[int]
    """How many slices. A stated number, even 1, numbers the pools of multi-host slices (name1, name2 ...); left out,
    there is one slice in a pool of exactly this name. Slices of one host are counted in each zone."""
    zone: NotRequired[str]
    """Zone of the slices; either this or, for slices of one host, `zones`."""
    zones: NotRequired[list[str]]
    """Zones that slices of one host are spread over."""
    capacity: NotRequired[str]
    """The capacity type: `on-demand`, which is the default, `spot`, `reservation` or `flex-start`."""
    autoscaled: NotRequired[bool]
    """Whether GKE adds nodes when pods wait for them, and removes them afterwards; flex-start always does."""
    reservation: NotRequired[Reservation]
    """The reservation, for reserved capacity."""
    max_run_seconds: NotRequired[int]
    """When a node ends everything that runs on it, in seconds after its start."""
    queued: NotRequired[bool]
    """Whether flex-start nodes come only for Kueue's ProvisioningRequests."""
    host_maintenance: NotRequired[str]
    """`PERIODIC` or `AS_NEEDED`."""
    labels: NotRequired[dict[str, str]]
    """Kubernetes labels of the nodes, beside those that GKE sets."""
    upgrade: NotRequired[Upgrade]
    """How nodes are upgraded."""
    protect: NotRequired[bool]
    """Whether the engine refuses to delete the pools."""


class TpuSlicesArgs(TypedDict):
    """The inputs of TpuSlices."""

    cluster: ExistingCluster
    """The cluster that the slices are added to."""
    groups: list[SliceGroup]
    """The slices, by shape."""
    billing_labels: NotRequired[dict[str, str]]
    """Labels on every node that bills show."""


class Flavor(TypedDict):
    """Interchangeable slices, as queues count them, or ordinary resources: a ResourceFlavor."""

    name: str
    """Name of the flavor."""
    machine_type: NotRequired[str]
    """Machine type of a host; left out, with `topology`, the flavor counts ordinary resources."""
    topology: NotRequired[str]
    """Chips of a slice along each axis."""
    labels: NotRequired[dict[str, str]]
    """Of ordinary resources: labels of the nodes that admitted pods select."""
    capacity: NotRequired[str]
    """The capacity type, as in a group of slices; `on-demand` is the default."""
    reservation: NotRequired[str]
    """Name of the reservation, for reserved capacity."""


class Cohort(TypedDict):
    """Queues, and cohorts of them, that lend each other idle quota."""

    name: str
    """Name of the cohort."""
    parent: NotRequired[str]
    """The cohort that it belongs to."""
    fair_share_weight: NotRequired[float]
    """Its fair-sharing weight among its siblings."""


class AdmissionCheck(TypedDict):
    """A ProvisioningRequest, which asks for all nodes of a workload before it starts."""

    name: str
    """Name of the check."""


class Share(TypedDict):
    """A queue's quota of a flavor."""

    name: str
    """Name of the flavor."""
    chips: NotRequired[int]
    """Chips of the queue's own quota. Left out, they are all chips of the flavor's slices."""
    borrow: NotRequired[int]
    """Chips beyond its quota that it may borrow from its cohort; left out, there is no limit."""
    lend: NotRequired[int]
    """Idle chips of its quota that others may borrow; left out, they may borrow all."""
    admission_checks: NotRequired[list[str]]
    """Names of the admission checks that a workload passes before it starts."""
    resources: NotRequired[dict[str, str]]
    """The queue's own quota of a flavor of ordinary resources, such as `cpu`."""


class Preemption(TypedDict):
    """Which workloads a queue may evict."""

    within_cluster_queue: NotRequired[str]
    """`Never`, which is the default, `LowerPriority` or `LowerOrNewerEqualPriority`."""
    reclaim_within_cohort: NotRequired[str]
    """Which workloads that borrow this queue's quota: `Never`, which is the default, `LowerPriority` or `Any`."""
    borrow_within_cohort: NotRequired[str]
    """Which workloads, to borrow their quota: `Never`, which is the default, or `LowerPriority`."""


class Fungibility(TypedDict):
    """When a queue tries its next flavor instead of waiting, borrowing or evicting in this one."""

    when_can_borrow: NotRequired[str]
    """`MayStopSearch`, which is the default, or `TryNextFlavor`."""
    when_can_preempt: NotRequired[str]
    """`TryNextFlavor`, which is the default, or `MayStopSearch`."""


class ConcurrentAdmission(TypedDict):
    """How Kueue tries all flavors of a queue at once for each workload, and starts it on the first that admits it."""

    mode: NotRequired[str]
    """`TryPreferredFlavors`, which is the default: a running workload moves to an earlier flavor that admits it. Or
    `RetainFirstAdmission`: it stays where it is."""
    last_acceptable_flavor: NotRequired[str]
    """The last flavor for which a running workload moves; left out, any flavor before its own."""


class LocalQueue(TypedDict):
    """The LocalQueue of one namespace."""

    name: str
    """Name of the queue in its namespace, to which workloads are submitted."""
    namespace: NotRequired[str]
    """The namespace; left out, it is `default`."""


class Queue(TypedDict):
    """A ClusterQueue with the LocalQueues that lead to it."""

    name: str
    """Name of the ClusterQueue."""
    flavors: list[Share]
    """Its quota of each flavor; flavors are tried in this order."""
    cohort: NotRequired[str]
    """The cohort with which it lends and borrows."""
    fair_share_weight: NotRequired[float]
    """Its fair-sharing weight among the queues of the cohort."""
    strategy: NotRequired[str]
    """`BestEffortFIFO`, which is the default, or `StrictFIFO`."""
    preemption: NotRequired[Preemption]
    """Which workloads it may evict."""
    fungibility: NotRequired[Fungibility]
    """When it tries its next flavor."""
    concurrent_admission: NotRequired[ConcurrentAdmission]
    """How it tries all of its flavors at once; left out, it tries one after the other."""
    stop: NotRequired[str]
    """`hold` admits no more workloads; `drain` also evicts the running ones."""
    local_queues: NotRequired[list[LocalQueue]]
    """The LocalQueues that lead to it."""


class Priority(TypedDict):
    """A PriorityClass and the WorkloadPriorityClass of the same name and value."""

    name: str
    """Name of both classes."""
    value: int
    """Higher values come first."""
    description: NotRequired[str]
    """Its purpose."""


class QueuesArgs(TypedDict):
    """The inputs of Queues."""

    cluster: ExistingCluster
    """The cluster, in which Kueue is installed."""
    slices: NotRequired[list[SliceGroup]]
    """The slices whose chips the queues have as quota, such as the output `groups` of TpuSlices. Queues cannot have
    more. Left out, the cluster's slices are not known, and every quota must be stated."""
    flavors: list[Flavor]
    """Kinds of slices."""
    cohorts: NotRequired[list[Cohort]]
    """Cohorts that queues may be in."""
    admission_checks: NotRequired[list[AdmissionCheck]]
    """Checks that queues may name."""
    queues: list[Queue]
    """The queues."""
    priorities: NotRequired[list[Priority]]
    """Priorities that workloads may have."""
    existing_namespaces: NotRequired[list[str]]
    """Namespaces of LocalQueues that exist already; the others are created."""
