"""The minimum version of the control plane: checked before a cluster is made, and on an existing one.

GKE offers a version only for a while, and the API then refuses it; the default of the release channel may be older than
the minimum. So the program asks GKE for the versions of the channel, and takes the default if it is new enough, else
the newest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pulumi
import pulumi_gcp as gcp

from components.model.facts import gke
from components.refusal import refuse

if TYPE_CHECKING:
    from components.model.plan.cloud import ClusterPlan


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
