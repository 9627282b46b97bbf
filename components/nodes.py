"""What every node pool of the platform has in common, whatever its nodes are made of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from components.model.facts import compute_classes, gke

if TYPE_CHECKING:
    from pulumi_gcp.container import (
        NodePoolAutoscalingArgsDict,
        NodePoolNodeConfigArgsDict,
        NodePoolUpgradeSettingsArgsDict,
    )

    from components.given_cluster import AnyCluster
    from components.model.plan.nodes import AutoscalingPlan, OrdinaryPoolPlan, SlicePoolPlan, UpgradePlan


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
