"""A floor of the version of the control plane: held before a cluster is made, and again on the one that is there.

A version that the stack file names is not offered for long, and the API refuses it from then on; the release channel's
own default may be older than the floor. So GKE is asked what the channel offers: its default where that is new enough,
else its newest.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final, NoReturn

import pulumi
import pulumi_gcp as gcp

from components.model import gke

if TYPE_CHECKING:
    from collections.abc import Mapping

    from components.model.plan import ClusterPlan

_TOLD: Final = 32
"""Exit code by which a program tells the language host that its error has been reported."""


def version_to_make(plan: ClusterPlan, project: str, parent: pulumi.Resource) -> pulumi.Output[str | None] | None:
    """The version of a cluster to be made; None leaves it to the channel."""
    if plan.minimum_version is None or plan.release_channel is None:
        return None
    channel, floor = plan.release_channel, plan.minimum_version
    offered = gcp.container.get_engine_versions_output(
        location=plan.location, project=project, opts=pulumi.InvokeOutputOptions(parent=parent)
    )
    return pulumi.Output.all(offered.release_channel_default_version, offered.release_channel_latest_version).apply(
        lambda versions: _chosen(channel, floor, *versions)
    )


def _chosen(channel: str, floor: str, defaults: Mapping[str, str], newest: Mapping[str, str]) -> str | None:
    """The channel's newest version where its default is below the floor; ends the program where that is too."""
    if gke.is_at_least(defaults[channel], floor):
        return None
    if not gke.is_at_least(newest[channel], floor):
        _refuse(
            f"cluster.minimum_version is {floor}, but {newest[channel]} is the newest that release channel {channel} "
            "offers. Choose a faster channel, or lower the minimum."
        )
    return newest[channel]


def checked_version(plan: ClusterPlan, cluster: gcp.container.Cluster) -> pulumi.Output[str]:
    """The version that the control plane has; ends the program if it is below the floor."""

    def check(version: str) -> str:
        if plan.minimum_version is not None and not gke.is_at_least(version, plan.minimum_version):
            _refuse(
                f"cluster.minimum_version is {plan.minimum_version}, but the control plane of {plan.name} is "
                f"{version}. Upgrade it (gcloud container clusters upgrade {plan.name} --master), or lower the minimum."
            )
        return version

    return cluster.master_version.apply(check)


def _refuse(text: str) -> NoReturn:
    pulumi.log.error(text)
    sys.exit(_TOLD)
