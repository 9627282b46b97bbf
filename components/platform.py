"""Platform: the whole of one environment, in the order in which it comes to be."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pulumi

from components.cluster import Cluster
from components.controllers import Controllers
from components.namespaces import Namespaces
from components.network import Network
from components.node_pools import NodePools
from components.outputs import PlatformOutputs, platform_outputs
from components.priorities import Priorities
from components.queues import Queues
from components.tpu_slices import TpuSlices
from components.workloads import Workloads

if TYPE_CHECKING:
    from components.model.plan import Plan


class Platform(pulumi.ComponentResource):
    """A TPU platform on GKE."""

    outputs: PlatformOutputs

    def __init__(self, name: str, plan: Plan, *, opts: pulumi.ResourceOptions | None = None) -> None:
        """Declares everything in a sound plan."""
        super().__init__("tpu-platform:platform:Platform", name, None, opts)
        child = pulumi.ResourceOptions(parent=self)
        network = Network("network", plan.network, opts=child)
        cluster = Cluster("cluster", plan.cluster, project=plan.project, network=network, opts=child)
        pools = NodePools("node-pools", plan.node_pools, cluster=cluster, opts=child)
        slices = TpuSlices("tpu-slices", plan.slice_pools, cluster=cluster, opts=child)

        inside = pulumi.ResourceOptions(parent=self, providers={"kubernetes": cluster.provider})
        controllers = Controllers(
            "controllers", plan.controllers, cluster=cluster, network=network, nodes=pools, opts=inside
        )
        namespaces = Namespaces("namespaces", plan.namespaces, cluster=cluster, opts=inside)
        priorities = Priorities("priorities", plan.priorities, cluster=cluster, controllers=controllers, opts=inside)
        queues = Queues("queues", plan, cluster=cluster, controllers=controllers, namespaces=namespaces, opts=inside)
        needed = [slices, controllers, priorities, queues]
        Workloads("workloads", plan.workloads, cluster=cluster, namespaces=namespaces, after=needed, opts=inside)

        self.outputs = platform_outputs(plan, cluster.kubeconfig)
        self.register_outputs(dict(self.outputs))
