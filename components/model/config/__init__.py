"""The configuration: the shape of the stack file's one object, `tpu-platform:platform`.

Shapes and ranges only, one value at a time. Which topology a machine has is a fact (`facts/tpu.py`); how parts relate
is a rule (`rules/`). Everything is strict: an unknown key or a number in quotes is an error. A key that is left out is
None or the default written here; 0, "" and [] are values. Every list keeps the order of the file.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from components.model.config.cloud import (
    AutopilotCluster as AutopilotCluster,
    BillingLabels,
    Cluster,
    CreatedNetwork as CreatedNetwork,
    ExistingCluster as ExistingCluster,
    ExistingNetwork as ExistingNetwork,
    Network as Network,
    StandardCluster as StandardCluster,
)
from components.model.config.compute_classes import (
    ComputeClass as ComputeClass,
    MachinesPriority as MachinesPriority,
    PoolsPriority as PoolsPriority,
    SlicesPriority as SlicesPriority,
)
from components.model.config.failures import (
    FailurePolicy as FailurePolicy,
    FailureRule as FailureRule,
    PodFailureRule as PodFailureRule,
    SuccessPolicy as SuccessPolicy,
    Survival as Survival,
)
from components.model.config.nodes import (
    AutoProvisioning as AutoProvisioning,
    Gpu as Gpu,
    GpuQuota as GpuQuota,
    OrdinaryPool as OrdinaryPool,
    Quota as Quota,
    TpuQuota as TpuQuota,
    TpuSlices as TpuSlices,
    Upgrade as Upgrade,
)
from components.model.config.pods import (
    BucketMount as BucketMount,
    CheckpointsMount as CheckpointsMount,
    ClaimMount as ClaimMount,
    ConfigMapKey as ConfigMapKey,
    ConfigMapMount as ConfigMapMount,
    EphemeralMount as EphemeralMount,
    Mount as Mount,
    PodField as PodField,
    PodKeys as PodKeys,
    Secret,
    SecretKey as SecretKey,
    SecretManagerMount as SecretManagerMount,
    SecretMount as SecretMount,
    ServiceAccount,
    Sidecar as Sidecar,
    Value as Value,
)
from components.model.config.queues import (
    AdmissionCheck as AdmissionCheck,
    AnyFlavor,
    ChipsShare as ChipsShare,
    Cohort as Cohort,
    Controllers as Controllers,
    Flavor as Flavor,
    JobSetController as JobSetController,
    KueueController as KueueController,
    LocalQueue as LocalQueue,
    Namespace as Namespace,
    NodeFlavor as NodeFlavor,
    PodsReady as PodsReady,
    Priority as Priority,
    Queue as Queue,
    QueueFlavor as QueueFlavor,
    ResourcesShare as ResourcesShare,
)
from components.model.config.section import (
    Section as Section,
)
from components.model.config.storage import (
    Bucket as Bucket,
    Claim as Claim,
    Disk,
    Lustre,
    SharedStorage as SharedStorage,
)
from components.model.config.values import (
    ServiceName,
)
from components.model.config.workloads import (
    BatchJob as BatchJob,
    DependsOn as DependsOn,
    JobSet as JobSet,
    Manifest as Manifest,
    MaxText as MaxText,
    PodGpu as PodGpu,
    Redis as Redis,
    ReplicatedJob as ReplicatedJob,
    TpuJob as TpuJob,
    Workload as Workload,
)


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
