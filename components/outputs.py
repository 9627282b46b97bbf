"""What a stack tells other stacks and people: plain data in a stable shape, all but the kubeconfig known at preview."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypedDict

if TYPE_CHECKING:
    import pulumi

    from components.model.plan import Plan, QueuePlan

SCHEMA_VERSION: Final = 1
"""Raised when a consumer would have to change."""


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
    zone: str
    slices: int
    nodes: int
    chips: int


class FlavorOutput(TypedDict):
    """A flavor and the chips behind it."""

    name: str
    chips: int
    pools: list[str]


class QueueOutput(TypedDict):
    """A ClusterQueue and its chips of each flavor."""

    name: str
    strategy: str
    quota: dict[str, int]


class LocalQueueOutput(TypedDict):
    """Where to submit."""

    namespace: str
    name: str
    queue: str


class WorkloadOutput(TypedDict):
    """A declared run."""

    namespace: str
    name: str
    kind: str
    queue: str
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
    flavors: list[FlavorOutput]
    queues: list[QueueOutput]
    local_queues: list[LocalQueueOutput]
    priorities: dict[str, int]
    workloads: list[WorkloadOutput]


def platform_outputs(plan: Plan, kubeconfig: pulumi.Output[str]) -> PlatformOutputs:
    """The outputs of a platform; lists are in the order of the stack file."""
    return {
        "schema_version": SCHEMA_VERSION,
        "project": plan.project,
        "cluster": {"name": plan.cluster.name, "location": plan.cluster.location, "mode": plan.cluster.mode},
        "kubeconfig": kubeconfig,
        "pools": _pools(plan),
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
        "workloads": _workloads(plan),
    }


def _pools(plan: Plan) -> list[PoolOutput]:
    return [
        {
            "name": pool.name,
            "machine_type": pool.machine_type,
            "topology": pool.topology,
            "zone": pool.zone,
            "slices": pool.slices,
            "nodes": pool.nodes,
            "chips": pool.chips,
        }
        for pool in plan.slice_pools
    ]


def _queue(queue: QueuePlan) -> QueueOutput:
    quota = {flavor.name: flavor.chips for flavor in queue.flavors}
    return {"name": queue.name, "strategy": queue.strategy, "quota": quota}


def _workloads(plan: Plan) -> list[WorkloadOutput]:
    return [
        {
            "namespace": work.namespace,
            "name": work.name,
            "kind": "JobSet",
            "queue": work.queue,
            "priority": work.priority,
            "slices": work.slices,
            "chips": work.chips,
        }
        for work in plan.workloads
    ]
