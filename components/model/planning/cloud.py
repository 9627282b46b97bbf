"""The plan of what exists before any slice: network, cluster, the identity of nodes, ordinary pools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model import config, gke, names, plan

if TYPE_CHECKING:
    from components.model.findings import Place

DEFAULT_CONTROL_PLANE_RANGE: Final = "172.16.0.0/28"


def network_plan(network: config.Network, cluster: plan.ClusterPlan, place: Place) -> plan.NetworkPlan:
    """The network, created with NAT where the cluster's nodes are private, or found by name."""
    if isinstance(network, config.ExistingNetwork):
        return plan.ExistingNetworkPlan(place=place, name=network.existing, subnetwork=network.subnetwork)
    return plan.CreatedNetworkPlan(
        place=place,
        name=network.name,
        subnetwork=names.subnetwork(network.name),
        region=cluster.region,
        nodes_cidr=network.nodes_cidr,
        pods_cidr=network.pods_cidr,
        services_cidr=network.services_cidr,
        pods_range=names.PODS_RANGE,
        services_range=names.SERVICES_RANGE,
        mtu=network.mtu,
        router=names.router(network.name) if cluster.private_nodes else None,
        nat=names.nat(network.name) if cluster.private_nodes else None,
    )


def cluster_plan(cluster: config.Cluster, project: str, place: Place) -> plan.ClusterPlan:
    """The cluster, with the service account that all of its nodes run as."""
    default_range = DEFAULT_CONTROL_PLANE_RANGE if cluster.private_nodes else None
    return plan.ClusterPlan(
        place=place,
        name=cluster.name,
        mode=cluster.mode,
        location=cluster.location,
        region=gke.region_of(cluster.location),
        release_channel=cluster.release_channel,
        minimum_version=cluster.minimum_version,
        private_nodes=cluster.private_nodes,
        control_plane_cidr=default_range if cluster.control_plane_cidr is None else cluster.control_plane_cidr,
        workload_pool=f"{project}.svc.id.goog",
        identity=_node_identity(cluster.name, project),
        deletion_protection=cluster.deletion_protection,
    )


def _node_identity(cluster: str, project: str) -> plan.NodeIdentityPlan:
    account_id = names.node_account_id(cluster)
    email = names.account_email(account_id, project)
    return plan.NodeIdentityPlan(
        account_id=account_id,
        email=email,
        member=f"serviceAccount:{email}",
        roles=gke.NODE_ROLES,
        scopes=(gke.SCOPE_CLOUD_PLATFORM,),
    )


def firewall_plan(cluster: plan.ClusterPlan) -> plan.FirewallPlan | None:
    """The way from a private control plane to the controllers' servers; a public one needs none."""
    if not cluster.private_nodes or cluster.control_plane_cidr is None:
        return None
    return plan.FirewallPlan(
        name=names.webhook_firewall(cluster.name),
        source=cluster.control_plane_cidr,
        ports=(gke.PORT_KUEUE_VISIBILITY, gke.PORT_WEBHOOK),
        target_account=cluster.identity.email,
    )


def ordinary_pool_plan(pool: config.OrdinaryPool, place: Place) -> plan.OrdinaryPoolPlan:
    """A pool without accelerators."""
    return plan.OrdinaryPoolPlan(
        place=place,
        name=pool.name,
        machine_type=pool.machine_type,
        nodes_per_zone=pool.nodes,
        nodes=pool.nodes * len(pool.zones),
        zones=pool.zones,
    )
