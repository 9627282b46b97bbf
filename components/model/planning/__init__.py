"""From a configuration to a plan: the only arithmetic in the program, with halves for the cloud and for queued work.

Nothing is refused here. Where a machine type, a topology or a reference does not exist, the numbers that would follow
from it are 0; rules say why, all of them at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model import plan
from components.model.findings import Place
from components.model.planning import cloud, nodes, queueing, slices, storage, workloads

if TYPE_CHECKING:
    from components.model import config

_ROOT: Final = Place()


def make_plan(platform: config.Platform, project: str) -> plan.Plan:
    """The plan of a platform in the Google Cloud project `project`."""
    cluster = cloud.cluster_plan(platform, project, _ROOT.at("cluster"))
    slice_pools = slices.all_slice_pools(platform, cluster, _ROOT)
    pools = slices.PoolIndex(slice_pools)
    flavors = tuple(
        slices.flavor_plan(flavor, pools, _ROOT.at("flavors", index)) for index, flavor in enumerate(platform.flavors)
    )
    flavor_of = {flavor.name: flavor for flavor in flavors}
    queues = tuple(queueing.queue_plan(q, flavor_of, _ROOT.at("queues", i)) for i, q in enumerate(platform.queues))
    shared_storage = storage.shared_storage_plans(platform, cluster, _ROOT)
    return plan.Plan(
        place=_ROOT,
        project=project,
        services=cloud.service_plans(platform, _ROOT),
        network=cloud.network_plan(platform.network, cluster, _ROOT.at("network")),
        cluster=cluster,
        node_pools=nodes.ordinary_pool_plans(platform, _ROOT),
        slice_pools=slice_pools,
        workload_policies=slices.workload_policies(slice_pools, cluster),
        quota=nodes.quota_plans(platform, _ROOT),
        shared_storage=shared_storage,
        buckets=storage.bucket_plans(platform, cluster, (), _ROOT),
        controllers=queueing.controllers_plan(
            platform.controllers, cloud.firewall_plan(cluster), _ROOT.at("controllers")
        ),
        namespaces=tuple(sorted({*queueing.namespaces(queues), *storage.namespaces(shared_storage)})),
        flavors=flavors,
        queues=queues,
        priorities=tuple(
            queueing.priority_plan(p, _ROOT.at("priorities", i)) for i, p in enumerate(platform.priorities)
        ),
        workloads=tuple(
            workloads.jobset_plan(workload, flavor_of.get(workload.flavor), cluster, _ROOT.at("workloads", index))
            for index, workload in enumerate(platform.workloads)
        ),
    )
