"""NodePools: nodes without accelerators, for the system's pods and the controllers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pulumi
import pulumi_gcp as gcp

from components.nodes import MANAGEMENT, node_config

if TYPE_CHECKING:
    from collections.abc import Sequence

    from components.cluster import Cluster
    from components.model.plan import OrdinaryPoolPlan


class NodePools(pulumi.ComponentResource):
    """The ordinary pools of a cluster."""

    def __init__(
        self,
        name: str,
        plan: Sequence[OrdinaryPoolPlan],
        *,
        cluster: Cluster,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """Declares a node pool for each pool of the plan."""
        super().__init__("tpu-platform:node_pools:NodePools", name, None, opts)
        for pool in plan:
            gcp.container.NodePool(
                pool.name,
                name=pool.name,
                cluster=cluster.cluster.name,
                location=cluster.plan.location,
                node_locations=list(pool.zones),
                node_count=pool.nodes_per_zone,
                node_config=node_config(cluster.plan.identity, pool.machine_type),
                management=MANAGEMENT,
                opts=pulumi.ResourceOptions(parent=self, deleted_with=cluster.cluster),
            )
        self.register_outputs({})
