"""What can be configured: the shape of the stack file's one object, `tpu-platform:platform`.

Shapes and ranges only, one value at a time. Which topology a machine has is a fact (`tpu.py`); how parts relate is a
rule (`rules.py`). Everything is strict: an unknown key or a number in quotes is an error. A key that is left out is
None or the default written here; 0, "" and [] are values. Every list keeps the order of the file.
"""

from __future__ import annotations

from components.model.config.cloud import Cluster, CreatedNetwork, ExistingNetwork, Network, OrdinaryPool, TpuSlices
from components.model.config.queues import (
    AdmissionCheck,
    AnyFlavor,
    ChipsShare,
    Cohort,
    Controllers,
    Flavor,
    Fungibility,
    JobSetController,
    KueueController,
    LocalQueue,
    NodeFlavor,
    NotInstalled,
    Preemption,
    Priority,
    Provisioning,
    Queue,
    QueueFlavor,
    ResourcesShare,
)
from components.model.config.section import Section
from components.model.config.workloads import BatchJob, JobSet, MaxText, Mount, PodGpu, Redis, TpuJob, Workload

__all__ = [
    "AdmissionCheck",
    "AnyFlavor",
    "BatchJob",
    "ChipsShare",
    "Cluster",
    "Cohort",
    "Controllers",
    "CreatedNetwork",
    "ExistingNetwork",
    "Flavor",
    "Fungibility",
    "JobSet",
    "JobSetController",
    "KueueController",
    "LocalQueue",
    "MaxText",
    "Mount",
    "Network",
    "NodeFlavor",
    "NotInstalled",
    "OrdinaryPool",
    "Platform",
    "PodGpu",
    "Preemption",
    "Priority",
    "Provisioning",
    "Queue",
    "QueueFlavor",
    "Redis",
    "ResourcesShare",
    "TpuJob",
    "TpuSlices",
    "Workload",
]


class Platform(Section):
    """Everything one stack declares."""

    network: Network
    cluster: Cluster
    node_pools: tuple[OrdinaryPool, ...] = ()
    tpu_slices: tuple[TpuSlices, ...] = ()
    controllers: Controllers = Controllers()
    flavors: tuple[AnyFlavor, ...] = ()
    cohorts: tuple[Cohort, ...] = ()
    admission_checks: tuple[AdmissionCheck, ...] = ()
    queues: tuple[Queue, ...] = ()
    priorities: tuple[Priority, ...] = ()
    workloads: tuple[Workload, ...] = ()
    """Created in this order, each after the one before it exists."""
