"""ComputeClasses: machines in the order of preference, for workloads without a queue."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pulumi

from components.kubernetes_object import KubernetesObject
from components.manifests.compute_class import compute_class

if TYPE_CHECKING:
    from collections.abc import Sequence

    from components.given_cluster import AnyCluster
    from components.model.plan.compute_classes import ComputeClassPlan


class ComputeClasses(pulumi.ComponentResource):
    """The ComputeClasses of a cluster; GKE serves their kind in every cluster."""

    def __init__(
        self,
        name: str,
        plan: Sequence[ComputeClassPlan],
        *,
        cluster: AnyCluster,
        after: Sequence[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """Declares the classes, when the node pools in `after` exist, which their priorities name."""
        super().__init__("tpu-platform:compute_classes:ComputeClasses", name, None, opts)
        for each in plan:
            KubernetesObject(each.name, compute_class(each), cluster.inside(self, after=after))
        self.register_outputs({})
