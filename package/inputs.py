"""What the components take: mappings with the keys of stack files, described for whoever reads the schema.

The values themselves are checked by `components/model/config/`, whose classes have the same keys: a test compares the
two. Values are plain, which is to say known at preview: every rule is held before anything is made.
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
    """How GKE brings the nodes of a pool to another version; what is left out is GKE's own."""

    strategy: NotRequired[str]
    """`SURGE`, which is the default, or `BLUE_GREEN`."""
    max_surge: NotRequired[int]
    """Nodes that are added meanwhile, by SURGE."""
    max_unavailable: NotRequired[int]
    """Nodes that may be gone meanwhile, by SURGE."""
    batch_nodes: NotRequired[int]
    """Nodes that are drained at once, by BLUE_GREEN."""
    soak_seconds: NotRequired[int]
    """How long old nodes are kept after all are drained, by BLUE_GREEN."""


class SliceGroup(TypedDict):
    """TPU slices of one shape: a node pool for each slice of several hosts, or one for all slices of one host."""

    name: str
    """Name of the node pool, or what the names of the pools begin with."""
    machine_type: str
    """Machine type of a host, such as `ct5lp-hightpu-4t`."""
    topology: str
    """Chips of a slice along each axis, such as `2x4`."""
    slices: NotRequired[int]
    """How many slices. Stated, even as 1, it numbers the pools of slices of several hosts (name1, name2 ...); left out,
    there is one slice in a pool of exactly this name. Slices of one host are counted in each zone."""
    zone: NotRequired[str]
    """Where the slices are; either this or, for slices of one host, `zones`."""
    zones: NotRequired[list[str]]
    """Where slices of one host are spread."""
    capacity: NotRequired[str]
    """The capacity type: `on-demand`, which is the default, `spot`, `reservation` or `flex-start`."""
    autoscaled: NotRequired[bool]
    """Whether nodes come when pods wait for them and go with them; flex-start has no other way."""
    reservation: NotRequired[Reservation]
    """Which reservation, for capacity that is reserved."""
    max_run_seconds: NotRequired[int]
    """When a node ends whatever runs on it, in seconds after its start."""
    queued: NotRequired[bool]
    """Whether flex-start nodes come for Kueue's ProvisioningRequests alone."""
    host_maintenance: NotRequired[str]
    """`PERIODIC` or `AS_NEEDED`."""
    labels: NotRequired[dict[str, str]]
    """Kubernetes labels of the nodes, beside those that GKE sets."""
    upgrade: NotRequired[Upgrade]
    """How nodes are brought to another version."""
    protect: NotRequired[bool]
    """Whether the engine refuses to delete the pools."""


class TpuSlicesArgs(TypedDict):
    """What TpuSlices takes."""

    cluster: ExistingCluster
    """The cluster that the slices are added to."""
    groups: list[SliceGroup]
    """The slices, by shape."""
    billing_labels: NotRequired[dict[str, str]]
    """Labels by which bills are told apart, on every node."""


class Flavor(TypedDict):
    """Slices that are as good as each other, as queues count them: a ResourceFlavor."""

    name: str
    """Name of the flavor."""
    machine_type: str
    """Machine type of a host."""
    topology: str
    """Chips of a slice along each axis."""
    capacity: NotRequired[str]
    """The capacity type, as in a group of slices; `on-demand` is the default."""
    reservation: NotRequired[str]
    """Name of the reservation, for capacity that is reserved."""


class Cohort(TypedDict):
    """Queues, and cohorts of them, that lend each other what is idle."""

    name: str
    """Name of the cohort."""
    parent: NotRequired[str]
    """The cohort that it is a part of."""
    fair_share_weight: NotRequired[float]
    """Its share among its siblings, where Kueue shares fairly."""


class AdmissionCheck(TypedDict):
    """A ProvisioningRequest, which asks for all nodes of a workload before it starts."""

    name: str
    """Name of the check."""


class Share(TypedDict):
    """A queue's share of a flavor."""

    name: str
    """Name of the flavor."""
    chips: NotRequired[int]
    """Chips that are the queue's own. Left out, they are all chips of the slices that serve the flavor."""
    borrow: NotRequired[int]
    """Chips beyond these that it may take from its cohort; left out, there is no limit."""
    lend: NotRequired[int]
    """Its own chips that others may take while they are idle; left out, they may take all."""
    admission_checks: NotRequired[list[str]]
    """Names of the admission checks that work passes before it starts."""


class Preemption(TypedDict):
    """Whom a queue may evict."""

    within_cluster_queue: NotRequired[str]
    """`Never`, which is the default, `LowerPriority` or `LowerOrNewerEqualPriority`."""
    reclaim_within_cohort: NotRequired[str]
    """Who, of those that borrow what is this queue's: `Never`, which is the default, `LowerPriority` or `Any`."""
    borrow_within_cohort: NotRequired[str]
    """Who, to borrow what they hold: `Never`, which is the default, or `LowerPriority`."""


class Fungibility(TypedDict):
    """When a queue tries its next flavor rather than wait for, borrow of or evict in this one."""

    when_can_borrow: NotRequired[str]
    """`MayStopSearch`, which is the default, or `TryNextFlavor`."""
    when_can_preempt: NotRequired[str]
    """`TryNextFlavor`, which is the default, or `MayStopSearch`."""


class LocalQueue(TypedDict):
    """Where users of one namespace submit."""

    name: str
    """Name of the queue in its namespace, to which workloads are submitted."""
    namespace: NotRequired[str]
    """The namespace; left out, it is `default`."""


class Queue(TypedDict):
    """A ClusterQueue with the LocalQueues that lead to it."""

    name: str
    """Name of the ClusterQueue."""
    flavors: list[Share]
    """What it has of each flavor; flavors are tried in this order."""
    cohort: NotRequired[str]
    """The cohort with which it lends and borrows."""
    fair_share_weight: NotRequired[float]
    """Its share among the queues of the cohort, where Kueue shares fairly."""
    strategy: NotRequired[str]
    """`BestEffortFIFO`, which is the default, or `StrictFIFO`."""
    preemption: NotRequired[Preemption]
    """Whom it may evict."""
    fungibility: NotRequired[Fungibility]
    """When it tries its next flavor."""
    stop: NotRequired[str]
    """`hold` admits nothing more; `drain` evicts what runs as well."""
    local_queues: NotRequired[list[LocalQueue]]
    """The LocalQueues that lead to it."""


class Priority(TypedDict):
    """A PriorityClass and the WorkloadPriorityClass of the same name and value."""

    name: str
    """Name of both classes."""
    value: int
    """What is higher comes first."""
    description: NotRequired[str]
    """What it is for."""


class QueuesArgs(TypedDict):
    """What Queues takes."""

    cluster: ExistingCluster
    """The cluster, in which Kueue is installed."""
    slices: NotRequired[list[SliceGroup]]
    """The slices that the queues hand out, such as the output `groups` of TpuSlices. No queue may promise more than
    there are. Left out, the cluster's slices are not known, and every quota is stated."""
    flavors: list[Flavor]
    """Kinds of slices."""
    cohorts: NotRequired[list[Cohort]]
    """Cohorts that queues may be in."""
    admission_checks: NotRequired[list[AdmissionCheck]]
    """Checks that queues may name."""
    queues: list[Queue]
    """The queues."""
    priorities: NotRequired[list[Priority]]
    """Priorities that work may have."""
    existing_namespaces: NotRequired[list[str]]
    """Namespaces of LocalQueues that are there already; the others are created."""


class Ledger(TypedDict):
    """The queues and what they serve, against which a JobSet is checked."""

    slices: NotRequired[list[SliceGroup]]
    """The slices that the queues hand out; left out, they are not known."""
    flavors: list[Flavor]
    """Kinds of slices."""
    cohorts: NotRequired[list[Cohort]]
    """Cohorts that the queues are in."""
    admission_checks: NotRequired[list[AdmissionCheck]]
    """Checks that the queues name."""
    queues: list[Queue]
    """The queues."""
    priorities: NotRequired[list[Priority]]
    """Priorities that work may have."""


class JobSetArgs(TypedDict):
    """What JobSet takes."""

    cluster: ExistingCluster
    """The cluster, in which JobSet and Kueue are installed."""
    ledger: Ledger
    """Where the workload is queued: the output `ledger` of Queues, or the same written out."""
    name: NotRequired[str]
    """Name of the JobSet in Kubernetes; left out, it is the component's."""
    namespace: NotRequired[str]
    """The namespace, which is there already; left out, it is `default`."""
    queue: str
    """A LocalQueue of the namespace."""
    priority: NotRequired[str]
    """Name of a priority."""
    flavor: NotRequired[str]
    """What its slices are; either this or `flavors`."""
    flavors: NotRequired[list[str]]
    """Any of these will do, and Kueue picks the first of its queue that has room."""
    slices: int
    """How many slices it runs on, all at once."""
    image: str
    """Container image of every host."""
    script: NotRequired[str]
    """Lines for bash, run on every host; either this or `command`."""
    command: NotRequired[list[str]]
    """A program and its arguments, run on every host."""
    max_restarts: NotRequired[int]
    """How often a failed run starts again, all slices together; 0 is the default."""
    restart_strategy: NotRequired[str]
    """`Recreate`, or `BlockingRecreate`, which makes no pod of the new start before all of the old are gone; left out,
    it is JobSet's own."""
