"""The plan of the cloud's frame: APIs, network, cluster, the identity of nodes."""

from __future__ import annotations

from ipaddress import IPv4Network
from typing import TYPE_CHECKING, Final

from msgspec import structs

from components.model import config, names
from components.model.config.section import states
from components.model.facts import checkpointing, gke, kinds, lustre
from components.model.places import Place
from components.model.plan.cloud import (
    AuthorizedNetworkPlan,
    AutoProvisioningPlan,
    CheckpointsPlan,
    ClusterPlan,
    ClustersNetworkPlan,
    CreatedNetworkPlan,
    ExistingNetworkPlan,
    MaintenanceExclusionPlan,
    MaintenanceWindowPlan,
    NetworkPlan,
    NodeIdentityPlan,
    PrivateServicesPlan,
    ServicePlan,
)
from components.model.plan.queues import FirewallPlan
from components.model.plan.workloads import ManifestPlan, WorkloadPlan
from components.model.planning.sections import plan_from

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

DEFAULT_CONTROL_PLANE_RANGE: Final = "172.16.0.0/28"
_LIMITS: Final = {"cpu": "cpu", "memory_gb": "memory"}
"""Limits of auto-provisioning other than accelerators, and their names in the API."""


def service_plans(platform: config.Platform, root: Place) -> tuple[ServicePlan, ...]:
    """The APIs by their full names."""
    return tuple(
        ServicePlan(place=root.at("services", index), name=name, host=f"{name}{gke.API_HOSTS}")
        for index, name in enumerate(platform.services)
    )


def network_plan(
    network: config.Network | None, cluster: ClusterPlan, place: Place, *, has_lustre: bool = False
) -> NetworkPlan:
    """The network, created with NAT where the cluster's nodes are private, or found by name or by the cluster."""
    if network is None:
        return ClustersNetworkPlan(place=place)
    if isinstance(network, config.ExistingNetwork):
        return ExistingNetworkPlan(place=place, name=network.existing, subnetwork=network.subnetwork)
    return plan_from(
        CreatedNetworkPlan,
        network,
        place=place,
        subnetwork=names.subnetwork(network.name),
        region=cluster.region,
        pods_range=names.PODS_RANGE,
        services_range=names.SERVICES_RANGE,
        router=names.router(network.name) if cluster.private_nodes else None,
        nat=names.nat(network.name) if cluster.private_nodes else None,
        private_services=_private_services(network, has_lustre=has_lustre),
    )


def _private_services(network: config.CreatedNetwork, *, has_lustre: bool) -> PrivateServicesPlan | None:
    cidr = network.private_services_cidr
    if cidr is None and not has_lustre:
        return None
    return PrivateServicesPlan(
        range_name=names.private_services_range(network.name),
        cidr=cidr,
        prefix_length=lustre.PEERED_PREFIX if cidr is None else IPv4Network(cidr).prefixlen,
        firewall=names.lustre_firewall(network.name),
        ports=lustre.PORTS,
    )


def with_ray(cluster: ClusterPlan, runs: Iterable[WorkloadPlan]) -> ClusterPlan:
    """The cluster, with the Ray operator if the objects of a manifest need it."""
    objects = (each.document for run in runs if isinstance(run, ManifestPlan) for each in run.objects)
    has_ray = any(kinds.kind_of(each) in kinds.RAY_KINDS for each in objects)
    return structs.replace(cluster, has_ray_operator=True) if has_ray else cluster


def cluster_plan(platform: config.Platform, project: str, place: Place) -> ClusterPlan:
    """The cluster, with the service account that all of its nodes run as."""
    cluster, auto_provisioning = platform.cluster, _auto_provisioning(platform)
    if isinstance(cluster, config.ExistingCluster):
        return _existing_cluster(cluster, auto_provisioning, project, place)
    default_range = DEFAULT_CONTROL_PLANE_RANGE if cluster.private_nodes else None
    return plan_from(
        ClusterPlan,
        cluster,
        place=place,
        is_existing=False,
        has_other_slices=False,
        region=gke.region_of(cluster.location),
        control_plane_cidr=default_range if cluster.control_plane_cidr is None else cluster.control_plane_cidr,
        authorized_networks=tuple(
            plan_from(AuthorizedNetworkPlan, each, place=place.at("authorized_networks", index))
            for index, each in enumerate(cluster.authorized_networks)
        ),
        window=None
        if cluster.maintenance.window is None
        else plan_from(MaintenanceWindowPlan, cluster.maintenance.window, place=place.at("maintenance", "window")),
        exclusions=tuple(
            plan_from(MaintenanceExclusionPlan, each, place=place.at("maintenance", "exclusions", index))
            for index, each in enumerate(cluster.maintenance.exclusions)
        ),
        auto_provisioning=auto_provisioning,
        has_filestore_driver=cluster.mode == "standard" and bool(platform.shared_storage),
        has_gcs_fuse_driver=isinstance(cluster, config.StandardCluster)
        and (
            cluster.addons.gcs_fuse or cluster.checkpoints is not None or states(platform.workloads, config.BucketMount)
        ),
        has_ray_operator=cluster.addons.ray_operator,
        has_secret_manager=states(platform.workloads, config.SecretManagerMount),
        workload_pool=_workload_pool(project),
        identity=_node_identity(cluster.name, project),
        billing_labels=platform.labels,
        has_lustre_driver=bool(platform.lustre),
        checkpoints=_checkpoints(cluster, platform, project, place.at("checkpoints")),
    )


def _checkpoints(
    cluster: config.StandardCluster | config.AutopilotCluster, platform: config.Platform, project: str, place: Place
) -> CheckpointsPlan | None:
    """Multi-tier checkpointing on the hosts of all slices, if they are of one machine type."""
    wanted = cluster.checkpoints if isinstance(cluster, config.StandardCluster) else None
    if wanted is None:
        return None
    machine_types = {each.machine_type for each in platform.tpu_slices}
    only = next(iter(machine_types)) if len(machine_types) == 1 else ""
    machine_type = only if wanted.machine_type is None else wanted.machine_type
    return plan_from(
        CheckpointsPlan,
        wanted,
        place=place,
        name=names.checkpoint_configuration(cluster.name),
        local=f"{wanted.local_gib}Gi",
        machine_type=machine_type,
        member=names.workload_identity(_workload_pool(project), checkpointing.NAMESPACE, checkpointing.SERVICE_ACCOUNT),
        has_queued_hosts=any(each.queued for each in platform.tpu_slices if each.machine_type == machine_type),
    )


def _existing_cluster(
    cluster: config.ExistingCluster,
    auto_provisioning: AutoProvisioningPlan | None,
    project: str,
    place: Place,
) -> ClusterPlan:
    account = cluster.node_service_account
    return plan_from(
        ClusterPlan,
        cluster,
        cluster.existing,
        place=place,
        is_existing=True,
        has_other_slices=cluster.other_slices,
        region=gke.region_of(cluster.existing.location),
        release_channel=None,
        minimum_version=None,
        private_nodes=cluster.control_plane_cidr is not None,
        private_endpoint=False,
        authorized_networks=(),
        window=None,
        exclusions=(),
        auto_provisioning=auto_provisioning,
        has_filestore_driver=False,
        has_gcs_fuse_driver=False,
        workload_pool=_workload_pool(project),
        identity=None if account is None else _identity(account_id=None, email=account, roles=()),
        billing_labels={},
        deletion_protection=True,
    )


def _workload_pool(project: str) -> str:
    return f"{project}.svc.id.goog"


def _node_identity(cluster: str, project: str) -> NodeIdentityPlan:
    account_id = names.node_account_id(cluster)
    email = names.account_email(account_id, project)
    return _identity(account_id=account_id, email=email, roles=gke.NODE_ROLES)


def _identity(*, account_id: str | None, email: str, roles: tuple[str, ...]) -> NodeIdentityPlan:
    return NodeIdentityPlan(
        account_id=account_id,
        email=email,
        member=f"serviceAccount:{email}",
        roles=roles,
        scopes=(gke.SCOPE_CLOUD_PLATFORM,),
    )


def _auto_provisioning(platform: config.Platform) -> AutoProvisioningPlan | None:
    wanted = platform.auto_provisioning
    if wanted is None:
        return None
    limits: Mapping[str, int] = {_LIMITS.get(name, name): most for name, most in wanted.limits.items()}
    return plan_from(
        AutoProvisioningPlan,
        wanted,
        place=Place().at("auto_provisioning"),
        limits=limits,
        accelerators=tuple(name for name in wanted.limits if name not in _LIMITS),
    )


def firewall_plan(cluster: ClusterPlan) -> FirewallPlan | None:
    """The way from a private control plane to the controllers' servers; a public one needs none.

    An existing cluster's control plane is let in where the stack file states its addresses.
    """
    if not cluster.private_nodes or cluster.control_plane_cidr is None or cluster.identity is None:
        return None
    return FirewallPlan(
        name=names.webhook_firewall(cluster.name),
        source=cluster.control_plane_cidr,
        ports=(gke.PORT_KUEUE_VISIBILITY, gke.PORT_WEBHOOK),
        target_account=cluster.identity.email,
    )
