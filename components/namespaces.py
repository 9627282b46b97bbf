"""Namespaces: one for each team that has a queue or a workload, and those that have an entry of their own.

Users have jobs and data in a namespace, so it outlives what the stack had in it. The plan keeps it when the stack file
no longer names it, and the engine leaves it in the cluster when the stack is destroyed. An entry in the stack file
allows its deletion. The engine goes by what the update before this one stored, so the deletion takes two updates.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pulumi

from components.kubernetes_object import KubernetesObject
from components.manifests.namespace import namespace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from components.given_cluster import AnyCluster
    from components.model.plan.queues import NamespacePlan


class Namespaces(pulumi.ComponentResource):
    """The namespaces that no cluster has by itself."""

    def __init__(
        self,
        name: str,
        plan: Sequence[NamespacePlan],
        *,
        cluster: AnyCluster,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """Declares the namespaces of the plan."""
        super().__init__("tpu-platform:namespaces:Namespaces", name, None, opts)
        self._made = {
            each.name: KubernetesObject(
                each.name,
                namespace(each),
                pulumi.ResourceOptions.merge(
                    cluster.inside(self), pulumi.ResourceOptions(retain_on_delete=not each.is_deleted)
                ),
            )
            for each in plan
        }
        self.register_outputs({})

    def of(self, name: str) -> list[pulumi.Resource]:
        """The resources that an object in the namespace depends on; nothing for a namespace that every cluster has."""
        return [self._made[name]] if name in self._made else []
