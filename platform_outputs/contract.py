"""The contract: the outputs of a TPU platform's stack for other stacks.

It is plain data: no secret is in it, lists are in the order of the stack file. A field that is None is left out when a
program reads the outputs through the engine. Fields may be added within a version. A field that is removed or renamed,
gets another type or another meaning, or may be absent, makes another version.
"""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003  the reader looks the types up
from dataclasses import dataclass
from typing import Final, Generic, Literal, TypeVar

SCHEMA_VERSION: Final = 1
"""Raised when a consumer would have to change."""

Text = TypeVar("Text")
"""A string that is known once its resource is: an output where the contract is written, a string where it is read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoints:
    """Multi-tier checkpointing: pods mount the memory of their host, and a driver copies checkpoints to a bucket."""

    bucket: str
    local_gib: int
    """Of each host's memory."""
    machine_type: str
    """Of the hosts that hold checkpoints."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """The cluster."""

    name: str
    location: str
    """A region, or a zone."""
    mode: Literal["standard", "autopilot"]
    endpoint: Literal["public", "private"] | None
    """The networks that reach the control plane (address: `kubeconfig`); None for a cluster made before the stack."""
    checkpoints: Checkpoints | None
    """Multi-tier checkpointing, which the stack set up; None without."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PodsReady:
    """How long an admitted workload may hold quota while its pods are not ready; Kueue then evicts it."""

    timeout_seconds: int
    """From its admission until all of its pods are ready."""
    recovery_seconds: int
    """The same after it lost a pod; 0 means no limit."""
    block_admission: bool
    """Whether Kueue admits nothing else meanwhile."""
    requeuing_limit: int | None
    """How often it is queued again before Kueue deactivates it; None means no limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Controller:
    """A controller that the stack installs, as a Helm release."""

    name: str
    chart: str
    version: str
    """Version of the chart."""
    namespace: str
    pods_ready: PodsReady | None
    """Of Kueue; None where an admitted workload keeps its quota while its pods wait."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Keys:
    """Labels, annotations and resources with which a workload states its requests."""

    queue_label: str
    """Label of a Job or JobSet, whose value is the name of a LocalQueue of its namespace."""
    priority_label: str
    """Label of a Job or JobSet, whose value is one of the priorities: the order in queues."""
    exclusive_annotation: str
    """Annotation of a JobSet, whose value is a flavor's `exclusive_topology`."""
    chips_resource: str
    """The resource that a container requests to get chips of its host."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """A node pool of TPU hosts."""

    name: str
    machine_type: str
    topology: str
    zones: tuple[str, ...]
    capacity: str
    """The capacity type of its hosts: on-demand, spot, flex-start or reservation."""
    reservation: str | None
    """The reservation that its hosts come from; None without a reservation."""
    is_autoscaled: bool
    """When true, slices, nodes and chips are maxima."""
    slices: int
    nodes: int
    """Hosts, over all slices."""
    chips: int
    """Over all slices."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A PersistentVolumeClaim, which pods of its namespace mount."""

    namespace: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedStorage(Generic[Text]):
    """A Filestore instance with the claims on its share."""

    name: str
    tier: str
    location: str
    address: Text
    """IP address of its NFS server."""
    path: str
    """Path under which the server exports the share."""
    capacity_gib: int
    claims: tuple[Claim, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lustre(Generic[Text]):
    """A Managed Lustre instance with the claims on it."""

    name: str
    location: str
    """Its zone."""
    filesystem: str
    address: Text
    """IP address of its management server."""
    throughput: int
    """MBps for each TiB."""
    capacity_gib: int
    claims: tuple[Claim, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Disk:
    """A Hyperdisk with the claims on it."""

    name: str
    kind: str
    """ml or balanced."""
    zone: str
    size_gib: int
    access: str
    """Access mode of its claims: ReadOnlyMany for a disk that nobody writes."""
    claims: tuple[Claim, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bucket:
    """A bucket that workloads may write to."""

    name: str
    is_existing: bool
    """Whether it existed before the stack."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceAccount:
    """A Kubernetes ServiceAccount, as which pods of its namespace act."""

    namespace: str
    name: str
    member: str
    """How IAM policies name its pods."""
    roles: tuple[str, ...]
    """Roles of the project that the stack grants it."""
    is_existing: bool
    """Whether somebody else makes the account."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Flavor:
    """A kind of slice as queues count it, and how a workload requests it."""

    name: str
    machine_type: str
    topology: str
    capacity: str
    """The capacity type of its nodes, as for pools."""
    node_labels: Mapping[str, str]
    """The node selector of pods that run only on this flavor; Kueue adds it to pods that select none."""
    exclusive_topology: str | None
    """Node label: at most one slice runs on the nodes of each of its values; None when a slice is one host."""
    hosts: int
    """Hosts of one slice; a workload has one pod for each."""
    chips_per_host: int
    """Chips that each of these pods requests."""
    chips: int
    """Chips of all its pools together; 0 when GKE makes the nodes by itself."""
    pools: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeFlavor:
    """A kind of node without TPUs, as queues count its resources."""

    name: str
    node_labels: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Chips that a queue may borrow and lend; None means no limit."""

    borrow: int | None
    lend: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Namespace:
    """A namespace that the stack made; it stays when nothing of the stack is in it any more."""

    name: str
    delete: bool
    """Whether it is deleted when the stack file no longer names it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalQueue:
    """A LocalQueue: workloads of the namespace name it in the label `keys.queue_label`."""

    namespace: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ConcurrentAdmission:
    """How Kueue tries all flavors of a queue at once for each workload."""

    mode: str
    """TryPreferredFlavors: a running workload moves to an earlier flavor that admits it. RetainFirstAdmission: it stays
    where it is."""
    last_acceptable_flavor: str | None
    """The last flavor for which a running workload moves; None for any before its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """A ClusterQueue: a team's quota, its cohort, and its LocalQueues."""

    name: str
    strategy: str
    """StrictFIFO or BestEffortFIFO."""
    cohort: str | None
    """Queues of one cohort lend each other idle quota; None for a queue without a cohort."""
    stop: Literal["hold", "drain"] | None
    """None while it admits workloads."""
    concurrent_admission: ConcurrentAdmission | None
    """None where it tries one flavor after the other."""
    quota: Mapping[str, int]
    """Chips of its own quota by flavor."""
    limits: Mapping[str, Limits]
    """Limits by flavor, for flavors that have any."""
    resources: Mapping[str, Mapping[str, str]]
    """Amounts of ordinary resources by node flavor and resource."""
    local_queues: tuple[LocalQueue, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplicatedJob:
    """Jobs of a JobSet beside its slices, on ordinary nodes."""

    name: str
    replicas: int
    pods: int
    """Over all replicas."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """A workload that the stack itself declares."""

    namespace: str
    name: str
    kind: str
    """The kind in Kubernetes: JobSet, Job, StatefulSet, or that of an object of a manifest."""
    queue: str | None
    """Name of the LocalQueue; None for a workload outside of queues."""
    priority: str | None
    """None for a workload that states none."""
    slices: int
    """0 for a workload without TPUs, and for objects of a manifest, which do not say it."""
    chips: int
    """0 for a workload without TPUs."""
    checkpoint_seconds: int | None
    """How long its program takes to write a checkpoint after SIGTERM; None where the stack file does not say."""
    replicated_jobs: tuple[ReplicatedJob, ...]


@dataclass(frozen=True, kw_only=True)
class Contract(Generic[Text]):
    """The outputs of the stack of a TPU platform."""

    schema_version: int
    """The version of the contract that these outputs follow."""
    project: str
    """The project in Google Cloud."""
    cluster: Cluster
    kubeconfig: Text
    """YAML without a token: its user needs gke-gcloud-auth-plugin, and permissions of their own."""
    controllers: tuple[Controller, ...]
    keys: Keys
    pools: tuple[Pool, ...]
    shared_storage: tuple[SharedStorage[Text], ...]
    lustre: tuple[Lustre[Text], ...]
    disks: tuple[Disk, ...]
    buckets: tuple[Bucket, ...]
    service_accounts: tuple[ServiceAccount, ...]
    namespaces: tuple[Namespace, ...]
    flavors: tuple[Flavor, ...]
    node_flavors: tuple[NodeFlavor, ...]
    queues: tuple[Queue, ...]
    priorities: Mapping[str, int]
    """Values by name. Each is a PriorityClass and, with Kueue, a WorkloadPriorityClass."""
    workloads: tuple[Workload, ...]
