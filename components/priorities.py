"""Priorities: a PriorityClass for the scheduler, and of the same name and value a WorkloadPriorityClass for Kueue."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pulumi

from components.kubernetes_object import KubernetesObject
from components.manifests.kueue import priority_class, workload_priority_class

if TYPE_CHECKING:
    from collections.abc import Sequence

    from components.given_cluster import AnyCluster
    from components.model.plan.queues import PriorityPlan


class Priorities(pulumi.ComponentResource):
    """Which workloads come first."""

    def __init__(
        self,
        name: str,
        plan: Sequence[PriorityPlan],
        *,
        cluster: AnyCluster,
        kueue: Sequence[pulumi.Resource] | None,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """Declares both classes of each priority after the installations `kueue`; where it is None, the scheduler's."""
        super().__init__("tpu-platform:priorities:Priorities", name, None, opts)
        for priority in plan:
            KubernetesObject(priority.name, priority_class(priority), cluster.inside(self))
            if kueue is not None:
                KubernetesObject(priority.name, workload_priority_class(priority), cluster.inside(self, after=kueue))
        self.register_outputs({})
