"""The contract: what the stack of a TPU platform tells other stacks, as its outputs.

It is plain data: no secret is in it, lists are in the order of the stack file. What is None is left out where a program
reads the outputs through the engine. Fields may be added within a version; a field that is removed, renamed, gets
another type or may be absent makes another version, and so does one that comes to mean something else.
"""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003  the reader looks the types up
from dataclasses import dataclass
from typing import Final, Generic, Literal, TypeVar

SCHEMA_VERSION: Final = 1
"""Raised when a consumer would have to change."""

Text = TypeVar("Text")
"""A text that is known when the resource behind it is: an output where the contract is written, a string where it is
read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """Which cluster it is."""

    name: str
    location: str
    """A region, or a zone."""
    mode: Literal["standard", "autopilot"]
    endpoint: Literal["public", "private"] | None
    """From where the control plane answers; None for a cluster that was there before the stack."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Controller:
    """A controller that the stack installs, as a Helm release."""

    name: str
    chart: str
    version: str
    """Of the chart."""
    namespace: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Keys:
    """Labels, annotations and resources by which a run says what it wants."""

    queue_label: str
    """Label of a Job or JobSet, whose value is the name of a LocalQueue of its namespace."""
    priority_label: str
    """Label of a Job or JobSet, whose value is one of the priorities: the order in queues."""
    exclusive_annotation: str
    """Annotation of a JobSet, whose value is a flavor's `exclusive_topology`."""
    chips_resource: str
    """What a container asks for to get chips of its host."""


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
    """The reservation that its hosts come from; None where it is made of no reservation."""
    is_autoscaled: bool
    """Then slices, nodes and chips are the most that there can be."""
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
    """Under which the server exports the share."""
    capacity_gib: int
    claims: tuple[Claim, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bucket:
    """A bucket that workloads may write to."""

    name: str
    is_existing: bool
    """Whether it was there before the stack."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Flavor:
    """A kind of slice as queues count it, and how a run asks for it."""

    name: str
    machine_type: str
    topology: str
    capacity: str
    """The capacity type of its nodes, as for pools."""
    node_labels: Mapping[str, str]
    """The node selector of pods that run on this flavor and no other; Kueue adds it to pods that select none."""
    exclusive_topology: str | None
    """Node label in each of whose values at most one slice runs; None where a slice is one host."""
    hosts: int
    """Of one slice; a run has one pod for each."""
    chips_per_host: int
    """What each of these pods asks for."""
    chips: int
    """Of all its pools together; 0 where GKE makes the nodes by itself."""
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
class LocalQueue:
    """Where to submit: runs of the namespace name it in the label `keys.queue_label`."""

    namespace: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """A ClusterQueue: what a team has, whom it shares it with, and where it submits."""

    name: str
    strategy: str
    """StrictFIFO or BestEffortFIFO."""
    cohort: str | None
    """Queues of one cohort lend each other what is idle; None for a queue that shares with nobody."""
    stop: Literal["hold", "drain"] | None
    """None while it admits work."""
    quota: Mapping[str, int]
    """Chips of its own by flavor."""
    limits: Mapping[str, Limits]
    """By flavor, of those that have any."""
    resources: Mapping[str, Mapping[str, str]]
    """Amounts of ordinary resources by node flavor and resource."""
    local_queues: tuple[LocalQueue, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """A workload that the stack itself declares."""

    namespace: str
    name: str
    kind: str
    """As Kubernetes knows it: JobSet, Job, StatefulSet."""
    queue: str | None
    """Name of the LocalQueue; None for work that no queue holds back."""
    priority: str | None
    """None for work that states none."""
    slices: int
    """0 for work that needs no TPU, and so below."""
    chips: int


@dataclass(frozen=True, kw_only=True)
class Contract(Generic[Text]):
    """The outputs of the stack of a TPU platform."""

    schema_version: int
    """Which version of the contract these outputs keep."""
    project: str
    """The project in Google Cloud."""
    cluster: Cluster
    kubeconfig: Text
    """YAML; it holds no token: whoever uses it needs gke-gcloud-auth-plugin, and rights of their own."""
    controllers: tuple[Controller, ...]
    keys: Keys
    pools: tuple[Pool, ...]
    shared_storage: tuple[SharedStorage[Text], ...]
    buckets: tuple[Bucket, ...]
    flavors: tuple[Flavor, ...]
    node_flavors: tuple[NodeFlavor, ...]
    queues: tuple[Queue, ...]
    priorities: Mapping[str, int]
    """Values by name. Each is a PriorityClass and, where there is Kueue, a WorkloadPriorityClass."""
    workloads: tuple[Workload, ...]
