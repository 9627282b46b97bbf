"""A Kubernetes provider for the platform's cluster; needs the extra `kubernetes`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pulumi_kubernetes as kubernetes

if TYPE_CHECKING:
    import pulumi

    from platform_outputs.reader import PlatformOutputs


def kubernetes_provider(
    platform: PlatformOutputs, name: str | None = None, *, opts: pulumi.ResourceOptions | None = None
) -> kubernetes.Provider:
    """Declares a provider that reaches the cluster as the user who runs the program.

    The cluster's name shows the provider that a changed kubeconfig leads to the same cluster: without it the provider
    would replace everything in the cluster. It uses server-side apply without force: it refuses fields of other owners.

    Args:
        platform: the platform of the cluster.
        name: the provider's name; the cluster's when None.
        opts: options of the provider.
    """
    return kubernetes.Provider(
        platform.cluster.name if name is None else name,
        kubeconfig=platform.kubeconfig,
        cluster_identifier=platform.cluster.name,
        enable_server_side_apply=True,
        opts=opts,
    )
