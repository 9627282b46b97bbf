"""Namespaces: one for each team that has a queue or a workload."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pulumi

from components.kubernetes_object import KubernetesObject
from components.manifests.namespace import namespace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from components.given_cluster import AnyCluster


class Namespaces(pulumi.ComponentResource):
    """The namespaces that no cluster has by itself."""

    def __init__(
        self, name: str, plan: Sequence[str], *, cluster: AnyCluster, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        """Declares the namespaces of the plan."""
        super().__init__("tpu-platform:namespaces:Namespaces", name, None, opts)
        self._made = {each: KubernetesObject(each, namespace(each), cluster.inside(self)) for each in plan}
        self.register_outputs({})

    def of(self, name: str) -> list[pulumi.Resource]:
        """What an object in the namespace depends on; nothing for a namespace that every cluster has."""
        return [self._made[name]] if name in self._made else []
