"""TpuSlices: a node pool per multi-host slice, and one for all single-host slices of a shape.

A multi-host pool has all hosts of its slice or none, close to each other in one zone. The provider believes that it can
give a pool another topology, machine type or zone, which the API refuses: here each makes another pool, after the old
one of the same name is gone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pulumi
import pulumi_gcp as gcp

from components.nodes import MANAGEMENT, node_config

if TYPE_CHECKING:
    from collections.abc import Sequence

    from components.cluster import Cluster
    from components.model.plan import SlicePoolPlan


class TpuSlices(pulumi.ComponentResource):
    """The TPU slices of a cluster."""

    def __init__(
        self, name: str, plan: Sequence[SlicePoolPlan], *, cluster: Cluster, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        """Declares a node pool for each pool of the plan."""
        super().__init__("tpu-platform:tpu_slices:TpuSlices", name, None, opts)
        for pool in plan:
            gcp.container.NodePool(
                pool.name,
                name=pool.name,
                cluster=cluster.cluster.name,
                location=cluster.plan.location,
                node_locations=[pool.zone],
                node_count=pool.nodes,
                placement_policy=_placement(pool),
                node_config={
                    **node_config(cluster.plan.identity, pool.machine_type),
                    "disk_type": pool.disk_type,
                },
                management=MANAGEMENT,
                opts=pulumi.ResourceOptions(
                    parent=self,
                    deleted_with=cluster.cluster,
                    replace_on_changes=["placementPolicy", "nodeConfig.machineType", "nodeLocations"],
                    delete_before_replace=True,
                ),
            )
        self.register_outputs({})


def _placement(pool: SlicePoolPlan) -> gcp.container.NodePoolPlacementPolicyArgsDict | None:
    """Where hosts must be close to each other; GKE refuses a topology on a pool of single hosts."""
    return {"type": "COMPACT", "tpu_topology": pool.topology} if pool.is_multi_host else None
