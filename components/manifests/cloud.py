"""The inputs of a cluster and of its node pools, by their names in Pulumi's Python SDK.

Components add what only the engine knows: the network, the version that is on offer, names of other resources.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from components.manifests.metadata import Manifest, without_none
from components.model.facts import compute_classes, gke

if TYPE_CHECKING:
    from components.model.plan.cloud import ClusterPlan, NodeIdentityPlan
    from components.model.plan.nodes import (
        AutoscalingPlan,
        GpuPlan,
        OrdinaryPoolPlan,
        PlacementPlan,
        SlicePoolPlan,
        UpgradePlan,
    )


def cluster_inputs(plan: ClusterPlan) -> Manifest:
    """The inputs of a cluster to be made but those that other resources and lookups give.

    Raises:
        ValueError: it is an existing cluster, whose nodes run as nobody knows whom.
    """
    identity = stated_identity(plan)
    return {
        "name": plan.name,
        "location": plan.location,
        "networking_mode": "VPC_NATIVE",
        "private_cluster_config": _private(plan),
        "master_authorized_networks_config": _authorized(plan),
        "release_channel": None if plan.release_channel is None else {"channel": plan.release_channel},
        "maintenance_policy": _maintenance(plan),
        "addons_config": _addons(plan),
        "secret_manager_config": {"enabled": True} if plan.has_secret_manager else None,
        "resource_labels": dict(plan.billing_labels) if plan.billing_labels else None,
        "deletion_protection": plan.deletion_protection,
        **(_autopilot(identity) if plan.mode == "autopilot" else _standard(plan, identity)),
    }


def ordinary_pool_inputs(pool: OrdinaryPoolPlan, cluster: ClusterPlan) -> Manifest:
    """The inputs of a pool of ordinary nodes but the name of its cluster."""
    return {
        **_common_inputs(pool, cluster),
        "node_config": _node_config(cluster, pool),
        # A release channel requires both; of flex-start nodes GKE must not try to make new ones in their place.
        "management": {"auto_repair": pool.flex_start is None, "auto_upgrade": True},
    }


def slice_pool_inputs(pool: SlicePoolPlan, cluster: ClusterPlan) -> Manifest:
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


def _common_inputs(pool: OrdinaryPoolPlan | SlicePoolPlan, cluster: ClusterPlan) -> Manifest:
    return {
        "name": pool.name,
        "location": cluster.location,
        "node_locations": list(pool.zones),
        "node_count": pool.nodes_per_zone,
        "initial_node_count": None if pool.autoscaling is None else pool.autoscaling.minimum,
        "autoscaling": autoscaling(pool.autoscaling),
        "queued_provisioning": {"enabled": True} if pool.is_queued else None,
        "upgrade_settings": upgrade_settings(pool.upgrade),
    }


def node_config(cluster: ClusterPlan, pool: OrdinaryPoolPlan | SlicePoolPlan) -> Manifest:
    """A node that runs as the platform's service account and hides that account from its pods."""
    identity = stated_identity(cluster)
    config: Manifest = {
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


def autoscaling(limits: AutoscalingPlan | None) -> Manifest | None:
    """Limits per zone: those of the whole pool are read as none for TPU slices."""
    if limits is None:
        return None
    written: Manifest = {"min_node_count": limits.minimum, "max_node_count": limits.maximum}
    if limits.location_policy is not None:
        written["location_policy"] = limits.location_policy
    return written


def upgrade_settings(upgrade: UpgradePlan | None) -> Manifest | None:
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


def _node_config(cluster: ClusterPlan, pool: OrdinaryPoolPlan) -> Manifest:
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


def _gpu(gpu: GpuPlan) -> Manifest:
    return {
        "type": gpu.type,
        "count": gpu.count,
        "gpu_driver_installation_config": {"gpu_driver_version": gpu.driver},
    }


def _placement(placement: PlacementPlan) -> Manifest:
    return without_none({"type": placement.type, "tpu_topology": placement.topology, "policy_name": placement.policy})


def _slice_config(cluster: ClusterPlan, pool: SlicePoolPlan) -> Manifest:
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


def _reservation_affinity(pool: SlicePoolPlan) -> Manifest | None:
    if pool.takes_reservations is None:
        return None
    if pool.reservation is None:
        return {"consume_reservation_type": "NO_RESERVATION"}
    return {
        "consume_reservation_type": "SPECIFIC_RESERVATION",
        "key": gke.RESERVATION_KEY,
        "values": [pool.reservation.path],
    }


def _standard(plan: ClusterPlan, identity: NodeIdentityPlan) -> Manifest:
    """The fields of a Standard cluster only."""
    return {
        "workload_identity_config": {"workload_pool": plan.workload_pool},
        "remove_default_node_pool": True,
        "initial_node_count": 1,
        # The default pool lives for minutes, but as the project's default account it could do far too much.
        "node_config": {"service_account": identity.email, "oauth_scopes": list(identity.scopes)},
        "cluster_autoscaling": _auto_provisioning(plan, identity),
    }


def _autopilot(identity: NodeIdentityPlan) -> Manifest:
    """The fields of an Autopilot cluster only; Workload Identity is always on."""
    return {"enable_autopilot": True, "cluster_autoscaling": {"auto_provisioning_defaults": _made_nodes(identity)}}


def _made_nodes(identity: NodeIdentityPlan) -> Manifest:
    """The settings of all nodes that GKE makes by itself."""
    return {"service_account": identity.email, "oauth_scopes": list(identity.scopes)}


def _auto_provisioning(plan: ClusterPlan, identity: NodeIdentityPlan) -> Manifest | None:
    wanted = plan.auto_provisioning
    if wanted is None:
        return None
    return {
        "enabled": True,
        "resource_limits": [{"resource_type": name, "maximum": most} for name, most in wanted.limits.items()],
        "auto_provisioning_defaults": {
            **_made_nodes(identity),
            "management": {"auto_repair": True, "auto_upgrade": True},
        },
        "auto_provisioning_locations": list(wanted.zones),
    }


def _private(plan: ClusterPlan) -> Manifest | None:
    if not plan.private_nodes or plan.control_plane_cidr is None:
        return None
    return {
        "enable_private_nodes": True,
        "enable_private_endpoint": plan.private_endpoint,
        "master_ipv4_cidr_block": plan.control_plane_cidr,
    }


def _authorized(plan: ClusterPlan) -> Manifest | None:
    if not plan.authorized_networks:
        return None
    return {
        "cidr_blocks": [{"cidr_block": each.cidr, "display_name": each.name} for each in plan.authorized_networks],
        "gcp_public_cidrs_access_enabled": False,
    }


def _maintenance(plan: ClusterPlan) -> Manifest | None:
    if plan.window is None and not plan.exclusions:
        return None
    policy: Manifest = {
        "maintenance_exclusions": [
            {
                "exclusion_name": each.name,
                "start_time": each.start,
                "end_time": each.end,
                "exclusion_options": {"scope": each.scope},
            }
            for each in plan.exclusions
        ]
    }
    if plan.window is not None:
        policy["recurring_window"] = {
            "start_time": plan.window.start,
            "end_time": plan.window.end,
            "recurrence": plan.window.recurrence,
        }
    return policy


def _addons(plan: ClusterPlan) -> Manifest | None:
    addons: Manifest = {}
    if plan.has_filestore_driver:
        addons["gcp_filestore_csi_driver_config"] = {"enabled": True}
    if plan.has_gcs_fuse_driver:
        addons["gcs_fuse_csi_driver_config"] = {"enabled": True}
    if plan.has_lustre_driver:
        addons["lustre_csi_driver_config"] = {"enabled": True}
    if plan.checkpoints is not None:
        addons["high_scale_checkpointing_config"] = {"enabled": True}
    if plan.has_ray_operator:
        addons["ray_operator_configs"] = [{"enabled": True}]
    if not addons:
        return None
    return addons


def stated_identity(plan: ClusterPlan) -> NodeIdentityPlan:
    """Whom the nodes of a planned cluster run as.

    Raises:
        ValueError: the service account of the existing cluster's nodes is not stated; a rule refuses pools then.
    """
    if plan.identity is None:
        raise ValueError(f"the service account of the nodes of {plan.name} is not known")
    return plan.identity
