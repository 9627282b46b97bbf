"""What a stack tells other stacks and people: plain data in a stable shape.

All but the kubeconfig and the addresses of shares is known at preview.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypedDict

from components.model.plan import BatchJobPlan, JobSetPlan, RedisPlan, RunPlan, TpuJobPlan, TpuRunPlan

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pulumi

    from components.model.plan import Plan, QueuePlan, WorkloadPlan

SCHEMA_VERSION: Final = 1
"""Raised when a consumer would have to change."""
_KINDS: Final = {JobSetPlan: "JobSet", TpuJobPlan: "Job", BatchJobPlan: "Job", RedisPlan: "StatefulSet"}


class ClusterOutput(TypedDict):
    """Which cluster it is."""

    name: str
    location: str
    mode: str


class PoolOutput(TypedDict):
    """A node pool of TPU hosts."""

    name: str
    machine_type: str
    topology: str
    zones: list[str]
    capacity: str
    reservation: str | None
    is_autoscaled: bool
    """Then slices, nodes and chips are the most that there can be."""
    slices: int
    nodes: int
    chips: int


class ClaimOutput(TypedDict):
    """What pods of a namespace mount."""

    namespace: str
    name: str


class SharedStorageOutput(TypedDict):
    """A Filestore instance with the claims on its share."""

    name: str
    tier: str
    location: str
    address: pulumi.Output[str]
    path: str
    capacity_gib: int
    claims: list[ClaimOutput]


class BucketOutput(TypedDict):
    """A bucket that workloads may write to."""

    name: str
    is_existing: bool


class FlavorOutput(TypedDict):
    """A flavor and the chips behind it."""

    name: str
    chips: int
    pools: list[str]


class LimitsOutput(TypedDict):
    """Chips that a queue may borrow and lend; None is no limit."""

    borrow: int | None
    lend: int | None


class QueueOutput(TypedDict):
    """A ClusterQueue: its chips and other resources by flavor, and whom it shares them with."""

    name: str
    strategy: str
    cohort: str | None
    stop: str | None
    quota: dict[str, int]
    limits: dict[str, LimitsOutput]
    """Of the flavors that have any."""
    resources: dict[str, dict[str, str]]


class LocalQueueOutput(TypedDict):
    """Where to submit."""

    namespace: str
    name: str
    queue: str


class WorkloadOutput(TypedDict):
    """A declared workload, by the kind that Kubernetes knows it by."""

    namespace: str
    name: str
    kind: str
    queue: str | None
    priority: str | None
    slices: int
    chips: int


class PlatformOutputs(TypedDict):
    """The stack's outputs."""

    schema_version: int
    project: str
    cluster: ClusterOutput
    kubeconfig: pulumi.Output[str]
    pools: list[PoolOutput]
    shared_storage: list[SharedStorageOutput]
    buckets: list[BucketOutput]
    flavors: list[FlavorOutput]
    queues: list[QueueOutput]
    local_queues: list[LocalQueueOutput]
    priorities: dict[str, int]
    workloads: list[WorkloadOutput]


def platform_outputs(
    plan: Plan, kubeconfig: pulumi.Output[str], addresses: Mapping[str, pulumi.Output[str]]
) -> PlatformOutputs:
    """The outputs of a platform; lists are in the order of the stack file, `addresses` those of Filestore instances."""
    return {
        "schema_version": SCHEMA_VERSION,
        "project": plan.project,
        "cluster": {"name": plan.cluster.name, "location": plan.cluster.location, "mode": plan.cluster.mode},
        "kubeconfig": kubeconfig,
        "pools": _pools(plan),
        "shared_storage": _shared_storage(plan, addresses),
        "buckets": [{"name": bucket.name, "is_existing": bucket.location is None} for bucket in plan.buckets],
        "flavors": [
            {"name": flavor.name, "chips": flavor.chips, "pools": list(flavor.pools)} for flavor in plan.flavors
        ],
        "queues": [_queue(queue) for queue in plan.queues],
        "local_queues": [
            {"namespace": local.namespace, "name": local.name, "queue": local.queue}
            for queue in plan.queues
            for local in queue.local_queues
        ],
        "priorities": {priority.name: priority.value for priority in plan.priorities},
        "workloads": [_workload(work) for work in plan.workloads],
    }


def _pools(plan: Plan) -> list[PoolOutput]:
    return [
        {
            "name": pool.name,
            "machine_type": pool.machine_type,
            "topology": pool.topology,
            "zones": list(pool.zones),
            "capacity": pool.capacity,
            "reservation": None if pool.reservation is None else pool.reservation.name,
            "is_autoscaled": pool.autoscaling is not None,
            "slices": pool.slices,
            "nodes": pool.nodes,
            "chips": pool.chips,
        }
        for pool in plan.slice_pools
    ]


def _shared_storage(plan: Plan, addresses: Mapping[str, pulumi.Output[str]]) -> list[SharedStorageOutput]:
    return [
        {
            "name": storage.name,
            "tier": storage.tier,
            "location": storage.location,
            "address": addresses[storage.name],
            "path": storage.path,
            "capacity_gib": storage.capacity_gib,
            "claims": [{"namespace": claim.namespace, "name": claim.name} for claim in storage.claims],
        }
        for storage in plan.shared_storage
    ]


def _queue(queue: QueuePlan) -> QueueOutput:
    return {
        "name": queue.name,
        "strategy": queue.strategy,
        "cohort": queue.cohort,
        "stop": queue.stop,
        "quota": {flavor.name: flavor.chips for flavor in queue.flavors},
        "limits": {
            flavor.name: {"borrow": flavor.borrow, "lend": flavor.lend}
            for flavor in queue.flavors
            if (flavor.borrow, flavor.lend) != (None, None)
        },
        "resources": {
            share.name: {name: str(amount) for name, amount in share.quotas.items()} for share in queue.resources
        },
    }


def _workload(work: WorkloadPlan) -> WorkloadOutput:
    is_on_slices = isinstance(work, TpuRunPlan)
    return {
        "namespace": work.namespace,
        "name": work.name,
        "kind": _KINDS[type(work)],
        "queue": work.queue if isinstance(work, RunPlan) else None,
        "priority": work.priority if isinstance(work, RunPlan) else None,
        "slices": work.slices if is_on_slices else 0,
        "chips": work.chips if is_on_slices else 0,
    }
