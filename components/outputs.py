"""The outputs of a stack for other stacks and people, in the form of the contract of `platform_outputs`.

All but the kubeconfig and the addresses of storage is known at preview.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from components.model.facts import gke
from components.model.plan.workloads import (
    BatchJobPlan,
    JobSetPlan,
    PathwaysPlan,
    RayPlan,
    RedisPlan,
    RunPlan,
    TpuJobPlan,
    TpuRunPlan,
)
from platform_outputs import admission, contract
from platform_outputs.plain import to_plain

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pulumi

    from components.model.plan import Plan
    from components.model.plan.cloud import CheckpointsPlan, ClusterPlan
    from components.model.plan.identity import ServiceAccountPlan
    from components.model.plan.nodes import SlicePoolPlan
    from components.model.plan.queues import ConcurrentAdmissionPlan, FlavorPlan, PodsReadyPlan, QueuePlan
    from components.model.plan.storage import ClaimPlan, DiskPlan, LustrePlan, SharedStoragePlan
    from components.model.plan.workloads import WorkloadPlan

_KINDS: Final = {
    JobSetPlan: "JobSet",
    PathwaysPlan: "JobSet",
    RayPlan: "RayJob",
    TpuJobPlan: "Job",
    BatchJobPlan: "Job",
    RedisPlan: "StatefulSet",
}
_KEYS: Final = contract.Keys(
    queue_label=gke.LABEL_QUEUE_NAME,
    priority_label=gke.LABEL_WORKLOAD_PRIORITY,
    exclusive_annotation=gke.ANNOTATION_EXCLUSIVE_TOPOLOGY,
    chips_resource=gke.RESOURCE_TPU,
)


class Addresses(NamedTuple):
    """What is known of storage once it is made: the address of each instance, by its name."""

    shares: Mapping[str, pulumi.Output[str]]
    """Of Filestore."""
    lustre: Mapping[str, pulumi.Output[str]]


def outputs_of(plan: Plan, kubeconfig: pulumi.Output[str], addresses: Addresses) -> dict[str, Any]:
    """The outputs of a platform as plain data."""
    return to_plain(
        contract.Contract(
            schema_version=contract.SCHEMA_VERSION,
            project=plan.project,
            cluster=_cluster(plan.cluster),
            kubeconfig=kubeconfig,
            controllers=_controllers(plan),
            keys=_KEYS,
            pools=tuple(map(_pool, plan.slice_pools)),
            shared_storage=tuple(_share(each, addresses.shares[each.name]) for each in plan.shared_storage),
            lustre=tuple(_lustre(each, addresses.lustre[each.name]) for each in plan.lustre),
            disks=tuple(map(_disk, plan.disks)),
            buckets=tuple(contract.Bucket(name=each.name, is_existing=each.location is None) for each in plan.buckets),
            service_accounts=tuple(map(_account, plan.service_accounts)),
            namespaces=tuple(contract.Namespace(name=each.name, delete=each.is_deleted) for each in plan.namespaces),
            flavors=tuple(map(_flavor, plan.flavors)),
            node_flavors=tuple(
                contract.NodeFlavor(name=each.name, node_labels=each.labels) for each in plan.node_flavors
            ),
            queues=tuple(map(_queue, plan.queues)),
            priorities={each.name: each.value for each in plan.priorities},
            workloads=tuple(map(_workload, plan.workloads)),
        )
    )


def _cluster(cluster: ClusterPlan) -> contract.Cluster:
    return contract.Cluster(
        name=cluster.name,
        location=cluster.location,
        mode=cluster.mode,
        endpoint=None if cluster.is_existing else "private" if cluster.private_endpoint else "public",
        checkpoints=_checkpoints(cluster.checkpoints),
    )


def _checkpoints(plan: CheckpointsPlan | None) -> contract.Checkpoints | None:
    if plan is None:
        return None
    return contract.Checkpoints(bucket=plan.bucket, local_gib=plan.local_gib, machine_type=plan.machine_type)


def _pods_ready(plan: PodsReadyPlan | None) -> admission.PodsReady | None:
    if plan is None:
        return None
    return admission.PodsReady(
        timeout_seconds=plan.timeout_seconds,
        recovery_seconds=plan.recovery_seconds,
        block_admission=plan.block_admission,
        requeuing_limit=plan.limit,
    )


def _controllers(plan: Plan) -> tuple[contract.Controller, ...]:
    ready = _pods_ready(plan.controllers.pods_ready)
    releases = ((plan.controllers.jobset, None), (plan.controllers.kueue, ready))
    return tuple(
        contract.Controller(
            name=each.name,
            chart=each.chart,
            version=each.version,
            namespace=each.namespace,
            pods_ready=pods_ready,
        )
        for each, pods_ready in releases
        if each is not None
    )


def _pool(pool: SlicePoolPlan) -> contract.Pool:
    return contract.Pool(
        name=pool.name,
        machine_type=pool.machine_type,
        topology=pool.topology,
        zones=pool.zones,
        capacity=pool.capacity,
        reservation=None if pool.reservation is None else pool.reservation.name,
        is_autoscaled=pool.autoscaling is not None,
        slices=pool.slices,
        nodes=pool.nodes,
        chips=pool.chips,
    )


def _share(storage: SharedStoragePlan, address: pulumi.Output[str]) -> contract.SharedStorage[pulumi.Output[str]]:
    return contract.SharedStorage(
        name=storage.name,
        tier=storage.tier,
        location=storage.location,
        address=address,
        path=storage.path,
        capacity_gib=storage.capacity_gib,
        claims=_claims(storage.claims),
    )


def _claims(claims: Sequence[ClaimPlan]) -> tuple[contract.Claim, ...]:
    return tuple(contract.Claim(namespace=claim.namespace, name=claim.name) for claim in claims)


def _lustre(instance: LustrePlan, address: pulumi.Output[str]) -> contract.Lustre[pulumi.Output[str]]:
    return contract.Lustre(
        name=instance.name,
        location=instance.location,
        filesystem=instance.filesystem,
        address=address,
        throughput=instance.throughput,
        capacity_gib=instance.capacity_gib,
        claims=_claims(instance.claims),
    )


def _disk(disk: DiskPlan) -> contract.Disk:
    return contract.Disk(
        name=disk.name,
        kind=disk.kind,
        zone=disk.zone,
        size_gib=disk.size_gib,
        access=disk.access,
        claims=_claims(disk.claims),
    )


def _account(account: ServiceAccountPlan) -> contract.ServiceAccount:
    return contract.ServiceAccount(
        namespace=account.namespace,
        name=account.name,
        member=account.member,
        roles=account.roles,
        is_existing=account.is_existing,
    )


def _flavor(flavor: FlavorPlan) -> contract.Flavor:
    return contract.Flavor(
        name=flavor.name,
        machine_type=flavor.machine_type,
        topology=flavor.topology,
        capacity=flavor.capacity,
        node_labels=flavor.labels,
        exclusive_topology=flavor.exclusive_topology,
        hosts=flavor.hosts,
        chips_per_host=flavor.chips_per_host,
        chips=flavor.chips,
        pools=flavor.pools,
    )


def _queue(queue: QueuePlan) -> contract.Queue:
    limited = [share for share in queue.flavors if (share.borrow, share.lend) != (None, None)]
    return contract.Queue(
        name=queue.name,
        strategy=queue.strategy,
        cohort=queue.cohort,
        stop=queue.stop,
        concurrent_admission=_concurrent(queue.concurrent_admission),
        quota={share.name: share.chips for share in queue.flavors},
        limits={share.name: contract.Limits(borrow=share.borrow, lend=share.lend) for share in limited},
        resources={
            share.name: {name: str(amount) for name, amount in share.quotas.items()} for share in queue.resources
        },
        local_queues=tuple(
            contract.LocalQueue(namespace=local.namespace, name=local.name) for local in queue.local_queues
        ),
    )


def _concurrent(plan: ConcurrentAdmissionPlan | None) -> admission.ConcurrentAdmission | None:
    if plan is None:
        return None
    return admission.ConcurrentAdmission(mode=plan.mode, last_acceptable_flavor=plan.last_acceptable_flavor)


def _workload(work: WorkloadPlan) -> contract.Workload:
    is_on_slices = isinstance(work, TpuRunPlan)
    return contract.Workload(
        namespace=work.namespace,
        name=work.name,
        kind=_KINDS[type(work)],
        queue=work.queue if isinstance(work, RunPlan) else None,
        priority=work.priority if isinstance(work, RunPlan) else None,
        slices=work.slices if is_on_slices else 0,
        chips=work.chips if is_on_slices else 0,
        checkpoint_seconds=work.checkpoint_seconds if is_on_slices else None,
        replicated_jobs=tuple(
            contract.ReplicatedJob(name=each.name, replicas=each.replicas, pods=each.pods)
            for each in (work.replicated_jobs if isinstance(work, JobSetPlan) else ())
        ),
    )
