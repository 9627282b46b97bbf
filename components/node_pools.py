"""NodePools: nodes without TPUs, for the system's pods and the controllers, or with GPUs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pulumi
import pulumi_gcp as gcp

from components.model.facts import gke
from components.nodes import autoscaling, node_config, upgrade_settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from components.cluster import Cluster
    from components.model.plan.nodes import GpuPlan, OrdinaryPoolPlan


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
                cluster=cluster.name,
                location=cluster.plan.location,
                node_locations=list(pool.zones),
                node_count=pool.nodes_per_zone,
                initial_node_count=None if pool.autoscaling is None else pool.autoscaling.minimum,
                autoscaling=autoscaling(pool.autoscaling),
                node_config=_node_config(cluster, pool),
                queued_provisioning={"enabled": True} if pool.is_queued else None,
                # A release channel requires both; of flex-start nodes GKE must not try to make new ones in their place.
                management={"auto_repair": pool.flex_start is None, "auto_upgrade": True},
                upgrade_settings=upgrade_settings(pool.upgrade),
                opts=pulumi.ResourceOptions(
                    parent=self,
                    deleted_with=cluster.created,
                    ignore_changes=None if pool.autoscaling is None else list(gke.AUTOSCALED),
                ),
            )
        self.register_outputs({})


def _node_config(cluster: Cluster, pool: OrdinaryPoolPlan) -> gcp.container.NodePoolNodeConfigArgsDict:
    config = node_config(cluster, pool)
    if pool.is_spot:
        config["spot"] = True
    if pool.flex_start is not None:
        config["flex_start"] = True
        config["reservation_affinity"] = {"consume_reservation_type": "NO_RESERVATION"}
        if pool.flex_start.max_run_seconds is not None:
            config["max_run_duration"] = f"{pool.flex_start.max_run_seconds}s"
    if pool.gpu is not None:
        config["guest_accelerators"] = [_gpu(pool.gpu)]
    return config


def _gpu(gpu: GpuPlan) -> gcp.container.NodePoolNodeConfigGuestAcceleratorArgsDict:
    return {
        "type": gpu.type,
        "count": gpu.count,
        "gpu_driver_installation_config": {"gpu_driver_version": gpu.driver},
    }
