"""From a configuration to a plan: the only arithmetic in the program, with its halves for the cloud and the slices.

Nothing is refused here. Where a machine type, a topology or a reference does not exist, the numbers that would follow
from it are 0; rules say why, all of them at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model import plan
from components.model.findings import Place
from components.model.planning import cloud, queueing, slices, workloads

if TYPE_CHECKING:
    from components.model import config

_ROOT: Final = Place()


def make_plan(platform: config.Platform, project: str) -> plan.Plan:
    """The plan of a platform in the Google Cloud project `project`."""
    cluster = cloud.cluster_plan(platform.cluster, project, _ROOT.at("cluster"))
    slice_pools = tuple(
        pool
        for index, entry in enumerate(platform.tpu_slices)
        for pool in slices.slice_pool_plans(entry, _ROOT.at("tpu_slices", index))
    )
    flavors = tuple(
        slices.flavor_plan(flavor, slice_pools, _ROOT.at("flavors", index))
        for index, flavor in enumerate(platform.flavors)
    )
    flavor_of = {flavor.name: flavor for flavor in flavors}
    queues = tuple(queueing.queue_plan(q, flavor_of, _ROOT.at("queues", i)) for i, q in enumerate(platform.queues))
    return plan.Plan(
        place=_ROOT,
        project=project,
        network=cloud.network_plan(platform.network, cluster, _ROOT.at("network")),
        cluster=cluster,
        node_pools=tuple(
            cloud.ordinary_pool_plan(pool, _ROOT.at("node_pools", index))
            for index, pool in enumerate(platform.node_pools)
        ),
        slice_pools=slice_pools,
        controllers=queueing.controllers_plan(
            platform.controllers, cloud.firewall_plan(cluster), _ROOT.at("controllers")
        ),
        namespaces=queueing.namespaces(queues),
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
