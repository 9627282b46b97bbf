"""TpuSlices: a node pool per multi-host slice, and one for all single-host slices of a shape.

A multi-host pool has all hosts of its slice or none, close to each other in one zone. The provider tries to give a pool
another topology, machine type or zone, which the API refuses; here each such change replaces the pool, and deletes the
old one first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pulumi
import pulumi_gcp as gcp

from components.model.facts import gke
from components.nodes import autoscaling, node_config, upgrade_settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from components.given_cluster import AnyCluster
    from components.model.plan.nodes import SlicePoolPlan, WorkloadPolicyPlan


class TpuSlices(pulumi.ComponentResource):
    """The TPU slices of a cluster."""

    def __init__(
        self,
        name: str,
        plan: Sequence[SlicePoolPlan],
        *,
        policies: Sequence[WorkloadPolicyPlan],
        cluster: AnyCluster,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """Declares a node pool for each pool of the plan, and before them the policies that they name."""
        super().__init__("tpu-platform:tpu_slices:TpuSlices", name, None, opts)
        self._cluster = cluster
        self._policies = {policy.name: self._policy(policy) for policy in policies}
        for pool in plan:
            self._pool(pool)
        self.register_outputs({})

    def _policy(self, policy: WorkloadPolicyPlan) -> gcp.compute.ResourcePolicy:
        return gcp.compute.ResourcePolicy(
            policy.name,
            name=policy.name,
            region=policy.region,
            workload_policy={"type": "HIGH_THROUGHPUT", "accelerator_topology": policy.topology},
            opts=pulumi.ResourceOptions(parent=self, depends_on=self._cluster.prerequisites),
        )

    def _pool(self, pool: SlicePoolPlan) -> None:
        gcp.container.NodePool(
            pool.name,
            name=pool.name,
            cluster=self._cluster.name,
            location=self._cluster.plan.location,
            node_locations=list(pool.zones),
            node_count=pool.nodes_per_zone,
            initial_node_count=None if pool.autoscaling is None else pool.autoscaling.minimum,
            autoscaling=autoscaling(pool.autoscaling),
            placement_policy=self._placement(pool),
            queued_provisioning={"enabled": True} if pool.is_queued else None,
            node_config=_node_config(self._cluster, pool),
            management={"auto_repair": pool.auto_repair, "auto_upgrade": True},
            upgrade_settings=upgrade_settings(pool.upgrade),
            opts=pulumi.ResourceOptions(
                parent=self,
                depends_on=self._cluster.prerequisites,
                # A workload policy cannot go before the pools that name it: those are deleted one by one.
                deleted_with=self._cluster.created if pool.placement is None or pool.placement.policy is None else None,
                replace_on_changes=["placementPolicy", "nodeConfig.machineType", "nodeLocations"],
                delete_before_replace=True,
                ignore_changes=None if pool.autoscaling is None else list(gke.AUTOSCALED),
                protect=True if pool.is_protected else None,
            ),
        )

    def _placement(self, pool: SlicePoolPlan) -> gcp.container.NodePoolPlacementPolicyArgsDict | None:
        """Where hosts must be close to each other; GKE refuses a topology on a pool of single hosts."""
        placement = pool.placement
        if placement is None:
            return None
        written: gcp.container.NodePoolPlacementPolicyArgsDict = {
            "type": placement.type,
            "tpu_topology": placement.topology,
        }
        if placement.policy is not None:
            written["policy_name"] = self._policies[placement.policy].name
        return written


def _node_config(cluster: AnyCluster, pool: SlicePoolPlan) -> gcp.container.NodePoolNodeConfigArgsDict:
    config = node_config(cluster, pool)
    config["disk_type"] = pool.disk_type
    affinity = _reservation_affinity(pool)
    if affinity is not None:
        config["reservation_affinity"] = affinity
    if pool.capacity == "spot":
        config["spot"] = True
    if pool.capacity == "flex-start":
        config["flex_start"] = True
    if pool.max_run_seconds is not None:
        config["max_run_duration"] = f"{pool.max_run_seconds}s"
    if pool.host_maintenance is not None:
        config["host_maintenance_policy"] = {"maintenance_interval": pool.host_maintenance}
    return config


def _reservation_affinity(pool: SlicePoolPlan) -> gcp.container.NodePoolNodeConfigReservationAffinityArgsDict | None:
    if pool.takes_reservations is None:
        return None
    if pool.reservation is None:
        return {"consume_reservation_type": "NO_RESERVATION"}
    return {
        "consume_reservation_type": "SPECIFIC_RESERVATION",
        "key": gke.RESERVATION_KEY,
        "values": [pool.reservation.path],
    }
