"""Queues: flavors, ClusterQueues and LocalQueues.

Each depends on what it names. That is the order of creation, and backwards the one of deletion: Kueue holds a flavor
until no ClusterQueue names it, and a ClusterQueue until no LocalQueue leads to it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pulumi

from components.kubernetes_object import KubernetesObject
from components.manifests import kueue
from components.model import names

if TYPE_CHECKING:
    from components.cluster import Cluster
    from components.controllers import Controllers
    from components.model.plan import LocalQueuePlan, Plan, QueuePlan
    from components.namespaces import Namespaces


class Queues(pulumi.ComponentResource):
    """What work is queued in."""

    def __init__(
        self,
        name: str,
        plan: Plan,
        *,
        cluster: Cluster,
        controllers: Controllers,
        namespaces: Namespaces,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """Declares the queues of the plan in the cluster."""
        super().__init__("tpu-platform:queues:Queues", name, None, opts)
        self._cluster = cluster
        self._kueue = controllers.kueue
        self._namespaces = namespaces
        flavors = {
            flavor.name: KubernetesObject(flavor.name, kueue.resource_flavor(flavor), self._after(self._kueue))
            for flavor in plan.flavors
        }
        for queue in plan.queues:
            cluster_queue = self._cluster_queue(queue, flavors)
            for local in queue.local_queues:
                self._local_queue(local, cluster_queue)
        self.register_outputs({})

    def _cluster_queue(self, queue: QueuePlan, flavors: dict[str, KubernetesObject]) -> KubernetesObject:
        held = [flavors[flavor.name] for flavor in queue.flavors]
        return KubernetesObject(queue.name, kueue.cluster_queue(queue), self._after(*held))

    def _local_queue(self, local: LocalQueuePlan, cluster_queue: KubernetesObject) -> None:
        after = [cluster_queue, *self._namespaces.of(local.namespace)]
        KubernetesObject(names.in_namespace(local.namespace, local.name), kueue.local_queue(local), self._after(*after))

    def _after(self, *needed: pulumi.Resource) -> pulumi.ResourceOptions:
        return self._cluster.inside(self, after=needed)
