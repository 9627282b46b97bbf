"""Cluster: the GKE cluster, the identity its nodes run as, and the one Kubernetes provider that reaches it.

When a change makes another cluster of the same name (its location, its network), the engine believes that the new one
contains the objects of the old one. `pulumi refresh` finds that it is not, and the next `up` makes it. Telling the
engine by an identifier that changes with the cluster does not help: as of 3.250 it closes the provider that it still
needs.

An existing cluster is only looked up: the stack's state does not contain it.

GKE offers a version only for a while, and the API then refuses it; the default of the release channel may be older than
the minimum. So the program asks GKE for the versions of the channel, and takes the default if it is new enough, else
the newest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pulumi
import pulumi_gcp as gcp
import pulumi_kubernetes as kubernetes

from components.manifests.cloud import cluster_inputs, stated_identity
from components.manifests.kubeconfig import kubeconfig
from components.model.facts import gke
from components.refusal import refuse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from components.model.plan.cloud import ClusterPlan
    from components.network import Network


def version_to_make(plan: ClusterPlan, project: str, parent: pulumi.Resource) -> str | None:
    """The version of a cluster to be made; None leaves it to the channel.

    Ends the program, before it has registered a cluster, where all that the channel offers is below the floor.
    """
    channel, floor = plan.release_channel, plan.minimum_version
    if floor is None or channel is None:
        return None
    offered = gcp.container.get_engine_versions(
        location=plan.location, project=project, opts=pulumi.InvokeOptions(parent=parent)
    )
    if gke.is_at_least(offered.release_channel_default_version[channel], floor):
        return None
    newest = offered.release_channel_latest_version[channel]
    if not gke.is_at_least(newest, floor):
        refuse(
            f"cluster.minimum_version is {floor}, but {newest} is the newest that release channel {channel} offers. "
            "Choose a faster channel, or lower the minimum."
        )
    return newest


def checked_version(plan: ClusterPlan, cluster: gcp.container.Cluster) -> pulumi.Output[str]:
    """The version of the control plane; a version below the minimum ends the program."""

    def check(version: str) -> str:
        if plan.minimum_version is not None and not gke.is_at_least(version, plan.minimum_version):
            raise pulumi.RunError(
                f"cluster.minimum_version is {plan.minimum_version}, but the control plane of {plan.name} is "
                f"{version}. Upgrade it (gcloud container clusters upgrade {plan.name} --master), or lower the minimum."
            )
        return version

    return cluster.master_version.apply(check)


class Cluster(pulumi.ComponentResource):
    """A cluster without node pools of its own: the default pool is removed when it is made."""

    created: gcp.container.Cluster | None
    """None for an existing cluster."""
    name: pulumi.Input[str]
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
        after: Sequence[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """Declares the cluster in `network`, after `after`, or looks it up."""
        super().__init__("tpu-platform:cluster:Cluster", name, None, opts)
        self.plan = plan
        self._project = project
        if plan.is_existing:
            self.created = None
            self.name = plan.name
            self.kubeconfig = kubeconfig_of_existing(plan, project, parent=self)
        else:
            self.created = self._create(network, after)
            self.name = self.created.name
            reached = pulumi.Output.all(self.created.endpoint, self.created.master_auth.cluster_ca_certificate)
            if plan.minimum_version is not None:
                reached = pulumi.Output.all(checked_version(plan, self.created), reached).apply(lambda both: both[1])
            self.kubeconfig = _kubeconfig(plan, reached)
        self.provider = provider_of(plan.name, plan, self.kubeconfig, parent=self)
        self.register_outputs({"kubeconfig": self.kubeconfig})

    @property
    def prerequisites(self) -> list[pulumi.Resource]:
        """The resources that must exist before something that is done for the cluster."""
        return [] if self.created is None else [self.created]

    def inside(self, parent: pulumi.Resource, *, after: Sequence[pulumi.Resource] = ()) -> pulumi.ResourceOptions:
        """Options of a child of `parent` that is in the cluster, and goes with it when it is deleted."""
        return pulumi.ResourceOptions(parent=parent, depends_on=after, deleted_with=self.created)

    def _node_identity(self, after: Sequence[pulumi.Resource]) -> list[gcp.projects.IAMMember]:
        identity = stated_identity(self.plan)
        if identity.account_id is None:
            return []
        account = gcp.serviceaccount.Account(
            identity.account_id,
            account_id=identity.account_id,
            display_name="GKE nodes",
            opts=pulumi.ResourceOptions(parent=self, depends_on=after),
        )
        return [
            gcp.projects.IAMMember(
                f"{identity.account_id}-{role.removeprefix('roles/')}",
                project=self._project,
                role=role,
                member=identity.member,
                opts=pulumi.ResourceOptions(parent=self, depends_on=[account]),
            )
            for role in identity.roles
        ]

    def _create(self, network: Network, after: Sequence[pulumi.Resource]) -> gcp.container.Cluster:
        plan = self.plan
        before = [*after, *self._node_identity(after), network]
        ignored = [] if plan.mode == "autopilot" else ["nodeConfig"]
        if plan.minimum_version is not None:
            # Only for a new cluster; the release channel upgrades it afterwards.
            ignored.append("minMasterVersion")
        return gcp.container.Cluster(
            plan.name,
            **cluster_inputs(plan),
            network=network.network,
            subnetwork=network.subnetwork,
            ip_allocation_policy=network.ip_allocation,
            min_master_version=version_to_make(plan, self._project, self),
            opts=pulumi.ResourceOptions(
                parent=self,
                depends_on=before,
                protect=plan.deletion_protection,
                ignore_changes=ignored,
            ),
        )


def kubeconfig_of_existing(plan: ClusterPlan, project: str, *, parent: pulumi.Resource) -> pulumi.Output[str]:
    """How to reach an existing cluster: it is only looked up."""
    found = gcp.container.get_cluster_output(
        name=plan.name, location=plan.location, project=project, opts=pulumi.InvokeOutputOptions(parent=parent)
    )
    return _kubeconfig(plan, pulumi.Output.all(found.endpoint, found.master_auths[0].cluster_ca_certificate))


def _kubeconfig(plan: ClusterPlan, reached: pulumi.Output[list[Any]]) -> pulumi.Output[str]:
    return pulumi.Output.unsecret(reached.apply(lambda known: kubeconfig(plan.name, *known)))


def provider_of(
    name: str, plan: ClusterPlan, kubeconfig: pulumi.Input[str], *, parent: pulumi.Resource
) -> kubernetes.Provider:
    """The Kubernetes provider that reaches the cluster, under the engine's name `name`."""
    return kubernetes.Provider(
        name,
        kubeconfig=kubeconfig,
        # Without one, an endpoint that is not known yet counts as another cluster, and all in it is replaced.
        cluster_identifier=plan.name,
        enable_patch_force=True,
        opts=pulumi.ResourceOptions(parent=parent),
    )
