"""From a configuration to a plan: the only arithmetic in the program, with halves for the cloud and for queued work.

Nothing is refused here. Where a machine type, a topology or a reference does not exist, the numbers that would follow
from it are 0; rules say why, all of them at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

from components.model import config
from components.model.places import Place
from components.model.plan import Plan
from components.model.planning import (
    buckets,
    cloud,
    nodes,
    pods,
    queueing,
    storage,
    workloads,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from components.model.plan.cloud import ClusterPlan
    from components.model.plan.nodes import OrdinaryPoolPlan
    from components.model.plan.queues import ControllersPlan, FlavorPlan, NodeFlavorPlan, QueuePlan
    from components.model.plan.workloads import WorkloadPlan

_ROOT: Final = Place()
_Entry = TypeVar("_Entry")
_Part = TypeVar("_Part")


def make_plan(
    platform: config.Platform,
    project: str,
    before: Mapping[str, object] | None = None,
    *,
    read_objects: workloads.ReadObjects = workloads.without_files,
) -> Plan:
    """The plan of a platform in the Google Cloud project `project`.

    `before` holds the stack's outputs of the update before this one; None where there was none. `read_objects` reads
    files of Kubernetes objects.
    """
    former = before or dict[str, object]()
    cluster = cloud.cluster_plan(platform, project, _ROOT.at("cluster"))
    node_pools = nodes.ordinary_pool_plans(platform, _ROOT)
    slice_pools = nodes.all_slice_pools(platform, cluster, _ROOT)
    flavors = _flavors(platform, nodes.PoolIndex(slice_pools), cluster)
    flavor_of = {flavor.name: flavor for flavor in flavors}
    classes = nodes.compute_class_plans(platform, cluster.mode, (*node_pools, *slice_pools), _ROOT)
    others = workloads.Others(
        flavors=flavor_of,
        classes={each.name: each for each in reversed(classes)},
        redises=workloads.redises(platform.workloads),
        project=project,
        read_objects=read_objects,
    )
    runs = _runs(platform, others, cluster)
    cluster = cloud.with_ray(cluster, runs)
    return Plan(
        place=_ROOT,
        project=project,
        services=cloud.service_plans(platform, _ROOT),
        network=cloud.network_plan(platform.network, cluster, _ROOT.at("network"), has_lustre=bool(platform.lustre)),
        cluster=cluster,
        node_pools=node_pools,
        slice_pools=slice_pools,
        workload_policies=nodes.workload_policies(slice_pools, cluster),
        quota=nodes.quota_plans(platform, _ROOT),
        shared_storage=storage.shared_storage_plans(platform, cluster, _ROOT),
        buckets=buckets.bucket_plans(platform, cluster, buckets.bucket_uses(runs), _ROOT),
        controllers=_controllers(platform, cluster),
        namespaces=queueing.namespaces(platform.namespaces, _namespaces(platform, former), _ROOT.at("namespaces")),
        flavors=flavors,
        node_flavors=_node_flavors(platform, node_pools),
        cohorts=_each("cohorts", platform.cohorts, queueing.cohort_plan),
        admission_checks=_each("admission_checks", platform.admission_checks, queueing.admission_check_plan),
        queues=_queues(platform, flavor_of),
        former_queues=queueing.former_queues(former),
        priorities=_each("priorities", platform.priorities, queueing.priority_plan),
        workloads=runs,
        has_cluster_before=before is not None and "kubeconfig" in before,
        has_any_order=platform.workload_order == "any",
        compute_classes=classes,
        lustre=storage.lustre_plans(platform, project, _ROOT),
        disks=storage.disk_plans(platform, project, _ROOT),
        service_accounts=pods.service_account_plans(platform, cluster, _ROOT),
        secrets=pods.secret_plans(platform, _ROOT),
        provider_classes=pods.provider_class_plans(runs, project),
        secret_readers=pods.secret_reader_plans(runs, cluster),
    )


def _controllers(platform: config.Platform, cluster: ClusterPlan) -> ControllersPlan:
    return queueing.controllers_plan(
        platform.controllers,
        cloud.firewall_plan(cluster),
        _ROOT.at("controllers"),
        platform.queues,
        has_ray=cluster.has_ray_operator,
    )


def _each(section: str, entries: Iterable[_Entry], make: Callable[[_Entry, Place], _Part]) -> tuple[_Part, ...]:
    """A part of the plan for each entry of a section, which knows its place there."""
    return tuple(make(entry, _ROOT.at(section, index)) for index, entry in enumerate(entries))


def _runs(platform: config.Platform, others: workloads.Others, cluster: ClusterPlan) -> tuple[WorkloadPlan, ...]:
    return _each(
        "workloads",
        platform.workloads,
        lambda work, at: buckets.settled(workloads.workload_plan(work, others, cluster, at), cluster),
    )


def _flavors(platform: config.Platform, pools: nodes.PoolIndex, cluster: ClusterPlan) -> tuple[FlavorPlan, ...]:
    has_common_keys = cluster.mode == "standard" and queueing.moves_workloads(platform)
    return tuple(
        nodes.flavor_plan(flavor, pools, _ROOT.at("flavors", index), has_common_keys=has_common_keys)
        for index, flavor in enumerate(platform.flavors)
        if isinstance(flavor, config.Flavor)
    )


def _node_flavors(platform: config.Platform, pools: Sequence[OrdinaryPoolPlan]) -> tuple[NodeFlavorPlan, ...]:
    return tuple(
        queueing.node_flavor_plan(flavor, _ROOT.at("flavors", index), pools)
        for index, flavor in enumerate(platform.flavors)
        if isinstance(flavor, config.NodeFlavor)
    )


def _queues(platform: config.Platform, flavor_of: Mapping[str, FlavorPlan]) -> tuple[QueuePlan, ...]:
    submitting = {local.namespace for queue in platform.queues for local in queue.local_queues}
    return _each(
        "queues",
        platform.queues,
        lambda queue, at: queueing.queue_plan(queue, flavor_of, at, submitting),
    )


def _namespaces(platform: config.Platform, former: Mapping[str, object]) -> Iterator[str]:
    """Where queues lead to, and where workloads, claims, accounts and secrets are, now or before this update."""
    yield from queueing.kept_namespaces(former)
    for queue in platform.queues:
        yield from (local.namespace for local in queue.local_queues)
    yield from (workload.namespace for workload in platform.workloads)
    yield from (each.namespace for each in (*platform.service_accounts, *platform.secrets))
    for owner in (*platform.shared_storage, *platform.lustre, *platform.disks):
        yield from (claim.namespace for claim in owner.claims)
