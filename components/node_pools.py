"""Nodes: ordinary pools, pools of TPU slices, and the ComputeClasses that name pools.

A slice of several hosts is a node pool; all single-host slices of a shape are one. A multi-host pool has all hosts of
its slice or none, close to each other in one zone. The provider tries to give a pool another topology, machine type or
zone, which the API refuses; here each such change replaces the pool, and deletes the old one first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pulumi
import pulumi_gcp as gcp

from components.kubernetes_object import KubernetesObject
from components.manifests.compute_class import compute_class
from components.manifests.metadata import without_none
from components.model.facts import compute_classes, gke

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pulumi_gcp.container import (
        NodePoolAutoscalingArgsDict,
        NodePoolNodeConfigArgsDict,
        NodePoolUpgradeSettingsArgsDict,
    )

    from components.cluster import Cluster
    from components.given_cluster import AnyCluster
    from components.model.plan.nodes import (
        AutoscalingPlan,
        ComputeClassPlan,
        GpuPlan,
        OrdinaryPoolPlan,
        PlacementPlan,
        SlicePoolPlan,
        UpgradePlan,
        WorkloadPolicyPlan,
    )


def node_config(cluster: AnyCluster, pool: OrdinaryPoolPlan | SlicePoolPlan) -> NodePoolNodeConfigArgsDict:
    """A node that runs as the platform's service account and hides that account from its pods."""
    identity = cluster.node_identity
    config: NodePoolNodeConfigArgsDict = {
        "machine_type": pool.machine_type,
        "service_account": identity.email,
        "oauth_scopes": list(identity.scopes),
        "workload_metadata_config": {"mode": "GKE_METADATA"},
    }
    if pool.billing_labels:
        config["resource_labels"] = dict(pool.billing_labels)
    labels = dict(pool.added_labels)
    if pool.compute_class is not None:
        labels[gke.LABEL_COMPUTE_CLASS] = pool.compute_class
        key, effect = gke.LABEL_COMPUTE_CLASS, compute_classes.TAINT_EFFECT
        config["taints"] = [{"key": key, "value": pool.compute_class, "effect": effect}]
    if labels:
        config["labels"] = labels
    return config


def autoscaling(limits: AutoscalingPlan | None) -> NodePoolAutoscalingArgsDict | None:
    """Limits per zone: those of the whole pool are read as none for TPU slices."""
    if limits is None:
        return None
    written: NodePoolAutoscalingArgsDict = {"min_node_count": limits.minimum, "max_node_count": limits.maximum}
    if limits.location_policy is not None:
        written["location_policy"] = limits.location_policy
    return written


def upgrade_settings(upgrade: UpgradePlan | None) -> NodePoolUpgradeSettingsArgsDict | None:
    """How nodes are upgraded."""
    if upgrade is None:
        return None
    if upgrade.strategy == "SURGE":
        return {
            "strategy": upgrade.strategy,
            "max_surge": upgrade.max_surge,
            "max_unavailable": upgrade.max_unavailable,
        }
    return {
        "strategy": upgrade.strategy,
        "blue_green_settings": {
            "standard_rollout_policy": {} if upgrade.batch_nodes is None else {"batch_node_count": upgrade.batch_nodes},
            "node_pool_soak_duration": None if upgrade.soak_seconds is None else f"{upgrade.soak_seconds}s",
        },
    }


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
                **ordinary_pool_inputs(pool, cluster),
                cluster=cluster.name,
                opts=pulumi.ResourceOptions(
                    parent=self,
                    deleted_with=cluster.created,
                    ignore_changes=None if pool.autoscaling is None else list(gke.AUTOSCALED),
                ),
            )
        self.register_outputs({})


def ordinary_pool_inputs(pool: OrdinaryPoolPlan, cluster: AnyCluster) -> dict[str, Any]:
    """The inputs of a pool of ordinary nodes but the name of its cluster."""
    return {
        **_common_inputs(pool, cluster),
        "node_config": _node_config(cluster, pool),
        # A release channel requires both; of flex-start nodes GKE must not try to make new ones in their place.
        "management": {"auto_repair": pool.flex_start is None, "auto_upgrade": True},
    }


def _common_inputs(pool: OrdinaryPoolPlan | SlicePoolPlan, cluster: AnyCluster) -> dict[str, Any]:
    return {
        "name": pool.name,
        "location": cluster.plan.location,
        "node_locations": list(pool.zones),
        "node_count": pool.nodes_per_zone,
        "initial_node_count": None if pool.autoscaling is None else pool.autoscaling.minimum,
        "autoscaling": autoscaling(pool.autoscaling),
        "queued_provisioning": {"enabled": True} if pool.is_queued else None,
        "upgrade_settings": upgrade_settings(pool.upgrade),
    }


def _node_config(cluster: AnyCluster, pool: OrdinaryPoolPlan) -> gcp.container.NodePoolNodeConfigArgsDict:
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
        inputs = slice_pool_inputs(pool, self._cluster)
        if pool.placement is not None and pool.placement.policy is not None:
            inputs["placement_policy"]["policy_name"] = self._policies[pool.placement.policy].name
        gcp.container.NodePool(
            pool.name,
            **inputs,
            cluster=self._cluster.name,
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


def slice_pool_inputs(pool: SlicePoolPlan, cluster: AnyCluster) -> dict[str, Any]:
    """The inputs of a pool of slices but the name of its cluster.

    Hosts must be close to each other where they have a placement; GKE refuses a topology on a pool of single hosts.
    """
    placement = pool.placement
    return {
        **_common_inputs(pool, cluster),
        "placement_policy": None if placement is None else _placement(placement),
        "node_config": _slice_config(cluster, pool),
        "management": {"auto_repair": pool.auto_repair, "auto_upgrade": True},
    }


def _placement(placement: PlacementPlan) -> dict[str, Any]:
    return without_none({"type": placement.type, "tpu_topology": placement.topology, "policy_name": placement.policy})


def _slice_config(cluster: AnyCluster, pool: SlicePoolPlan) -> gcp.container.NodePoolNodeConfigArgsDict:
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


class ComputeClasses(pulumi.ComponentResource):
    """The ComputeClasses of a cluster; GKE serves their kind in every cluster."""

    def __init__(
        self,
        name: str,
        plan: Sequence[ComputeClassPlan],
        *,
        cluster: AnyCluster,
        after: Sequence[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """Declares the classes, when the node pools in `after` exist, which their priorities name."""
        super().__init__("tpu-platform:compute_classes:ComputeClasses", name, None, opts)
        for each in plan:
            KubernetesObject(each.name, compute_class(each), cluster.inside(self, after=after))
        self.register_outputs({})
