"""A claim and the PersistentVolume that is only for it, whatever kind of storage is behind them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from components.kubernetes_object import KubernetesObject
from components.manifests.storage import persistent_volume, persistent_volume_claim
from components.model import names

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pulumi

    from components.cluster import Cluster
    from components.manifests.metadata import Manifest
    from components.model.plan.storage import ClaimPlan


def claim_on(
    source: Manifest, claim: ClaimPlan, *, cluster: Cluster, parent: pulumi.Resource, after: Sequence[pulumi.Resource]
) -> None:
    """Declares both as children of `parent`, when all in `after` exists."""
    volume = KubernetesObject(claim.volume, persistent_volume(claim, source), cluster.inside(parent, after=after))
    KubernetesObject(
        names.in_namespace(claim.namespace, claim.name),
        persistent_volume_claim(claim),
        cluster.inside(parent, after=[*after, volume]),
    )
