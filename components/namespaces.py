"""Namespaces: those of teams, in which queues and claims are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pulumi

from components.kubernetes_object import KubernetesObject
from components.manifests.namespace import namespace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from components.cluster import Cluster


class Namespaces(pulumi.ComponentResource):
    """The namespaces that no cluster has by itself."""

    def __init__(
        self, name: str, plan: Sequence[str], *, cluster: Cluster, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        """Declares the namespaces in the cluster."""
        super().__init__("tpu-platform:namespaces:Namespaces", name, None, opts)
        self._namespaces = {each: KubernetesObject(each, namespace(each), cluster.inside(self)) for each in plan}
        self.register_outputs({})

    def before(self, namespace: str) -> list[pulumi.Resource]:
        """What must exist before something in `namespace`: nothing for one that every cluster has."""
        found = self._namespaces.get(namespace)
        return [] if found is None else [found]
