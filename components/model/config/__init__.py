"""The configuration: the shape of the stack file's one object, `tpu-platform:platform`.

Shapes and ranges only, one value at a time. Which topology a machine has is a fact (`facts/tpu.py`); how parts relate
is a rule (`rules/`). Everything is strict: an unknown key or a number in quotes is an error. A key that is left out is
None or the default written here; 0, "" and [] are values. Every list keeps the order of the file.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from components.model.config.cloud import (
    AutopilotCluster,
    BillingLabels,
    Cluster,
    CreatedNetwork,
    ExistingCluster,
    ExistingNetwork,
    Network,
    StandardCluster,
)
from components.model.config.compute_classes import (
    ComputeClass,
    MachinesPriority,
    PoolsPriority,
    SlicesPriority,
)
from components.model.config.failures import FailurePolicy, FailureRule, PodFailureRule, SuccessPolicy, Survival
from components.model.config.nodes import (
    AutoProvisioning,
    Gpu,
    GpuQuota,
    OrdinaryPool,
    Quota,
    Reservation,
    TpuQuota,
    TpuSlices,
    Upgrade,
)
from components.model.config.pods import (
    BucketMount,
    CheckpointsMount,
    ClaimMount,
    ConfigMapKey,
    ConfigMapMount,
    EphemeralMount,
    Mount,
    PodField,
    PodKeys,
    Secret,
    SecretKey,
    SecretManagerMount,
    SecretMount,
    ServiceAccount,
    Sidecar,
    Value,
)
from components.model.config.queues import (
    AdmissionCheck,
    AnyFlavor,
    ChipsShare,
    Cohort,
    ConcurrentAdmission,
    Controllers,
    Flavor,
    Fungibility,
    JobSetController,
    KueueController,
    LocalQueue,
    Namespace,
    NodeFlavor,
    PodsReady,
    Preemption,
    Priority,
    Queue,
    QueueFlavor,
    ResourcesShare,
)
from components.model.config.section import Section
from components.model.config.storage import Bucket, Claim, Disk, Lustre, SharedStorage
from components.model.config.values import ServiceName
from components.model.config.workloads import (
    BatchJob,
    DependsOn,
    JobSet,
    MaxText,
    Pathways,
    PodGpu,
    Ray,
    Redis,
    ReplicatedJob,
    TpuJob,
    Workload,
)

__all__ = [
    "AdmissionCheck",
    "AutoProvisioning",
    "AutopilotCluster",
    "BatchJob",
    "Bucket",
    "BucketMount",
    "CheckpointsMount",
    "ChipsShare",
    "Claim",
    "ClaimMount",
    "Cohort",
    "ComputeClass",
    "ConcurrentAdmission",
    "ConfigMapKey",
    "ConfigMapMount",
    "Controllers",
    "CreatedNetwork",
    "DependsOn",
    "EphemeralMount",
    "ExistingCluster",
    "ExistingNetwork",
    "FailurePolicy",
    "FailureRule",
    "Flavor",
    "Fungibility",
    "Gpu",
    "GpuQuota",
    "JobSet",
    "JobSetController",
    "KueueController",
    "LocalQueue",
    "MachinesPriority",
    "MaxText",
    "Mount",
    "Namespace",
    "Network",
    "NodeFlavor",
    "OrdinaryPool",
    "Pathways",
    "Platform",
    "PodFailureRule",
    "PodField",
    "PodGpu",
    "PodKeys",
    "PodsReady",
    "PoolsPriority",
    "Preemption",
    "Priority",
    "Queue",
    "QueueFlavor",
    "Quota",
    "Ray",
    "Redis",
    "ReplicatedJob",
    "Reservation",
    "ResourcesShare",
    "SecretKey",
    "SecretManagerMount",
    "SecretMount",
    "Section",
    "SharedStorage",
    "Sidecar",
    "SlicesPriority",
    "StandardCluster",
    "SuccessPolicy",
    "Survival",
    "TpuJob",
    "TpuQuota",
    "TpuSlices",
    "Upgrade",
    "Value",
    "Workload",
]


class Platform(Section):
    """Everything one stack declares."""

    services: tuple[ServiceName, ...] = ()
    """Google APIs to switch on before anything else, by their names before .googleapis.com; they stay on."""
    labels: BillingLabels = Field(default_factory=dict[str, str])
    """Labels on everything that can have labels; they split the bill."""
    network: Network | None = None
    """The network of a cluster that the stack creates."""
    cluster: Cluster
    """The cluster: one that the stack makes, or one that exists."""
    auto_provisioning: AutoProvisioning | None = None
    node_pools: tuple[OrdinaryPool, ...] = ()
    """Pools of ordinary nodes; an Autopilot cluster has none."""
    tpu_slices: tuple[TpuSlices, ...] = ()
    """Slices and their node pools; an Autopilot cluster makes its own."""
    compute_classes: tuple[ComputeClass, ...] = ()
    """Machines in the order of preference, for workloads without a queue."""
    quota: tuple[Quota, ...] = ()
    """The quotas of the project for chips and GPUs. Rules check the pools against them; quotas that are not declared
    are not checked."""
    shared_storage: tuple[SharedStorage, ...] = ()
    """Filestore instances, whose shares pods mount as folders."""
    lustre: tuple[Lustre, ...] = ()
    """Managed Lustre instances, which pods mount as folders."""
    disks: tuple[Disk, ...] = ()
    """Hyperdisks, which pods mount as folders."""
    buckets: tuple[Bucket, ...] = ()
    """Buckets that the stack makes, or that its workloads may write to."""
    service_accounts: tuple[ServiceAccount, ...] = ()
    """Kubernetes ServiceAccounts, as which pods of workloads act, and their roles in the project."""
    secrets: tuple[Secret, ...] = ()
    """Kubernetes Secrets, whose values the stack file has encrypted."""
    controllers: Controllers = Controllers()
    namespaces: tuple[Namespace, ...] = ()
    """Namespaces without anything in them, or that may be deleted; those of queues and workloads need no entry."""
    flavors: tuple[AnyFlavor, ...] = ()
    """What queues count: slices of one shape, or ordinary resources."""
    cohorts: tuple[Cohort, ...] = ()
    """Groups of queues that lend each other idle quota."""
    admission_checks: tuple[AdmissionCheck, ...] = ()
    """Conditions beside quota that workloads must meet; flavors of queues name them."""
    queues: tuple[Queue, ...] = ()
    """ClusterQueues with their LocalQueues."""
    priorities: tuple[Priority, ...] = ()
    """Which workloads run first, and which are preempted."""
    workloads: tuple[Workload, ...] = ()
    """Workloads, created in this order, each after the one before it exists."""
    workload_order: Literal["listed", "any"] = "listed"
    """`any` creates workloads side by side. Each then comes after the first workload, and after each Redis and each
    awaited workload listed before it. Kueue admits in the order of creation."""
