"""From a configuration to a plan: the only arithmetic in the program, with its halves for the cloud and the slices.

Nothing is refused here. Where a machine type, a topology or a reference does not exist, the numbers that would follow
from it are 0; rules say why, all of them at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model import cloud_planning, gke, plan, slice_planning, versions
from components.model.findings import Place

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from components.model import config

FRAMEWORKS: Final = ("batch/job", "jobset.x-k8s.io/jobset")
"""What Kueue manages: plain Jobs, which users may submit to any queue, and JobSets."""
_USES_HOSTS: Final[Mapping[plan.ClusterMode, bool]] = {"standard": True}
"""Whether pods share their host's network and devices; the one place that knows how a mode shapes a workload."""
_ROOT: Final = Place()


def make_plan(platform: config.Platform, project: str) -> plan.Plan:
    """The plan of a platform in the Google Cloud project `project`."""
    cluster = cloud_planning.cluster_plan(platform.cluster, project, _ROOT.at("cluster"))
    slice_pools = tuple(
        pool
        for index, entry in enumerate(platform.tpu_slices)
        for pool in slice_planning.slice_pool_plans(entry, _ROOT.at("tpu_slices", index))
    )
    flavors = tuple(
        slice_planning.flavor_plan(flavor, slice_pools, _ROOT.at("flavors", index))
        for index, flavor in enumerate(platform.flavors)
    )
    flavor_of = {flavor.name: flavor for flavor in flavors}
    queues = tuple(_queue(queue, flavor_of, _ROOT.at("queues", i)) for i, queue in enumerate(platform.queues))
    return plan.Plan(
        place=_ROOT,
        project=project,
        network=cloud_planning.network_plan(platform.network, cluster, _ROOT.at("network")),
        cluster=cluster,
        node_pools=tuple(
            cloud_planning.ordinary_pool_plan(pool, _ROOT.at("node_pools", index))
            for index, pool in enumerate(platform.node_pools)
        ),
        slice_pools=slice_pools,
        controllers=plan.ControllersPlan(
            jobset=_release(versions.JOBSET, platform.controllers.jobset.version),
            kueue=_release(versions.KUEUE, platform.controllers.kueue.version),
            frameworks=FRAMEWORKS,
            firewall=cloud_planning.firewall_plan(cluster),
        ),
        namespaces=_namespaces(queues),
        flavors=flavors,
        queues=queues,
        priorities=tuple(_priority(p, _ROOT.at("priorities", i)) for i, p in enumerate(platform.priorities)),
        workloads=tuple(
            _jobset(workload, flavor_of.get(workload.flavor), cluster, _ROOT.at("workloads", index))
            for index, workload in enumerate(platform.workloads)
        ),
    )


def _release(controller: versions.Controller, version: str) -> plan.ReleasePlan:
    return plan.ReleasePlan(
        place=_ROOT.at("controllers", controller.name),
        name=controller.name,
        chart=controller.chart,
        version=version,
        namespace=controller.namespace,
        image=controller.image,
        tag=f"v{version}",
    )


def _queue(queue: config.Queue, flavor_of: Mapping[str, plan.FlavorPlan], place: Place) -> plan.QueuePlan:
    return plan.QueuePlan(
        place=place,
        name=queue.name,
        strategy=queue.strategy,
        within_cluster_queue=queue.preemption.within_cluster_queue,
        flavors=tuple(
            _queue_flavor(flavor, flavor_of.get(flavor.name), place.at("flavors", index))
            for index, flavor in enumerate(queue.flavors)
        ),
        local_queues=tuple(
            plan.LocalQueuePlan(
                place=place.at("local_queues", index), name=local.name, namespace=local.namespace, queue=queue.name
            )
            for index, local in enumerate(queue.local_queues)
        ),
    )


def _queue_flavor(share: config.QueueFlavor, flavor: plan.FlavorPlan | None, place: Place) -> plan.QueueFlavorPlan:
    derived = 0 if flavor is None else flavor.chips
    return plan.QueueFlavorPlan(
        place=place,
        name=share.name,
        chips=derived if share.chips is None else share.chips,
        is_derived=share.chips is None,
    )


def _namespaces(queues: Sequence[plan.QueuePlan]) -> tuple[str, ...]:
    wanted = {local.namespace for queue in queues for local in queue.local_queues}
    return tuple(sorted(wanted - {gke.DEFAULT_NAMESPACE}))


def _priority(priority: config.Priority, place: Place) -> plan.PriorityPlan:
    return plan.PriorityPlan(place=place, name=priority.name, value=priority.value, description=priority.description)


def _jobset(
    workload: config.JobSet, flavor: plan.FlavorPlan | None, cluster: plan.ClusterPlan, place: Place
) -> plan.JobSetPlan:
    hosts = 0 if flavor is None else flavor.hosts
    chips_per_slice = 0 if flavor is None else flavor.chips_per_slice
    return plan.JobSetPlan(
        place=place,
        name=workload.name,
        namespace=workload.namespace,
        queue=workload.queue,
        priority=workload.priority,
        flavor=workload.flavor,
        slices=workload.slices,
        hosts=hosts,
        chips_per_host=chips_per_slice // hosts if hosts else 0,
        chips=chips_per_slice * workload.slices,
        node_selector={} if flavor is None else flavor.labels,
        exclusive_topology=gke.LABEL_NODE_POOL if hosts > 1 else None,
        image=workload.image,
        script=workload.script,
        ports=(gke.PORT_TPU_RUNTIME, gke.PORT_MULTISLICE),
        max_restarts=workload.max_restarts,
        is_on_host_network=_USES_HOSTS[cluster.mode],
        is_privileged=_USES_HOSTS[cluster.mode],
    )
