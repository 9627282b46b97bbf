"""Cluster: the GKE cluster, the identity its nodes run as, and the one Kubernetes provider that reaches it.

When a change makes another cluster of the same name (its location, its network), the engine believes that what was in
the old one is in the new one. `pulumi refresh` finds that it is not, and the next `up` makes it. Telling the engine by
an identifier that changes with the cluster does not help: as of 3.250 it closes the provider that it still needs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pulumi
import pulumi_gcp as gcp
import pulumi_kubernetes as kubernetes

from components.manifests.kubeconfig import kubeconfig
from components.model.plan import ClusterPlan  # noqa: TC001  Pulumi evaluates the annotations of a component's class

if TYPE_CHECKING:
    from collections.abc import Sequence

    from components.model.plan import NodeIdentityPlan
    from components.network import Network


class Cluster(pulumi.ComponentResource):
    """A cluster without node pools of its own: the default pool is removed when it is made."""

    plan: ClusterPlan
    cluster: gcp.container.Cluster
    kubeconfig: pulumi.Output[str]
    """Holds no token: whoever uses it needs the GKE auth plugin."""
    provider: kubernetes.Provider

    def __init__(
        self,
        name: str,
        plan: ClusterPlan,
        *,
        project: str,
        network: Network,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """Declares the cluster in `network`."""
        super().__init__("tpu-platform:cluster:Cluster", name, None, opts)
        self.plan = plan
        grants = self._node_identity(plan.identity, project)
        self.cluster = self._cluster(plan, network, grants)
        self.kubeconfig = pulumi.Output.unsecret(
            pulumi.Output.all(self.cluster.endpoint, self.cluster.master_auth.cluster_ca_certificate).apply(
                lambda known: kubeconfig(plan.name, *known)
            )
        )
        self.provider = kubernetes.Provider(
            plan.name,
            kubeconfig=self.kubeconfig,
            # Without one, an endpoint that is not known yet counts as another cluster, and all in it is replaced.
            cluster_identifier=plan.name,
            enable_patch_force=True,
            opts=pulumi.ResourceOptions(parent=self),
        )
        self.register_outputs({"kubeconfig": self.kubeconfig})

    def inside(self, parent: pulumi.Resource, *, after: Sequence[pulumi.Resource] = ()) -> pulumi.ResourceOptions:
        """Options of a child of `parent` that is in the cluster, and goes with it when it is deleted."""
        return pulumi.ResourceOptions(parent=parent, depends_on=after, deleted_with=self.cluster)

    def _node_identity(self, identity: NodeIdentityPlan, project: str) -> list[gcp.projects.IAMMember]:
        account = gcp.serviceaccount.Account(
            identity.account_id,
            account_id=identity.account_id,
            display_name="GKE nodes",
            opts=pulumi.ResourceOptions(parent=self),
        )
        return [
            gcp.projects.IAMMember(
                f"{identity.account_id}-{role.removeprefix('roles/')}",
                project=project,
                role=role,
                member=identity.member,
                opts=pulumi.ResourceOptions(parent=self, depends_on=[account]),
            )
            for role in identity.roles
        ]

    def _cluster(
        self, plan: ClusterPlan, network: Network, grants: list[gcp.projects.IAMMember]
    ) -> gcp.container.Cluster:
        return gcp.container.Cluster(
            plan.name,
            name=plan.name,
            location=plan.location,
            network=network.network,
            subnetwork=network.subnetwork,
            networking_mode="VPC_NATIVE",
            ip_allocation_policy=network.ip_allocation,
            private_cluster_config=_private(plan),
            release_channel={"channel": plan.release_channel},
            min_master_version=plan.minimum_version,
            workload_identity_config={"workload_pool": plan.workload_pool},
            remove_default_node_pool=True,
            initial_node_count=1,
            # The default pool lives for minutes, but as the project's default account it could do far too much.
            node_config={"service_account": plan.identity.email, "oauth_scopes": list(plan.identity.scopes)},
            deletion_protection=plan.deletion_protection,
            opts=pulumi.ResourceOptions(
                parent=self,
                depends_on=[network, *grants],
                protect=plan.deletion_protection,
                ignore_changes=["nodeConfig"],
            ),
        )


def _private(plan: ClusterPlan) -> gcp.container.ClusterPrivateClusterConfigArgsDict | None:
    if not plan.private_nodes or plan.control_plane_cidr is None:
        return None
    return {
        "enable_private_nodes": True,
        "enable_private_endpoint": False,
        "master_ipv4_cidr_block": plan.control_plane_cidr,
    }
