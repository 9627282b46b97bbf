"""Queues and priorities: flavors, cohorts, admission checks, ClusterQueues, LocalQueues and priority classes.

Each depends on what it names. That is the order of creation, and backwards the one of deletion: Kueue holds a flavor
until no ClusterQueue names it, and a ClusterQueue until no LocalQueue leads to it. Without Kueue none of them exist: a
flavor is then just the name of a shape. A ClusterQueue counts as made once Kueue serves it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pulumi

from components.kubernetes_object import KubernetesObject
from components.manifests import kueue as manifests
from components.manifests.kueue import priority_class, workload_priority_class
from components.model import names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from components.given_cluster import AnyCluster
    from components.model.plan import Plan
    from components.model.plan.queues import AdmissionCheckPlan, CohortPlan, PriorityPlan, QueuePlan
    from components.namespaces import Namespaces


class Queues(pulumi.ComponentResource):
    """The queues of workloads."""

    def __init__(
        self,
        name: str,
        plan: Plan,
        *,
        cluster: AnyCluster,
        kueue: Sequence[pulumi.Resource] | None,
        namespaces: Namespaces,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """Declares the queues of the plan after the installations `kueue`; none of them where it is None."""
        super().__init__("tpu-platform:queues:Queues", name, None, opts)
        self._cluster = cluster
        self._namespaces = namespaces
        if kueue is not None:
            self._declare(plan, kueue)
        self.register_outputs({})

    def _declare(self, plan: Plan, installed: Sequence[pulumi.Resource]) -> None:
        self._flavors = {
            flavor.name: KubernetesObject(flavor.name, manifests.resource_flavor(flavor), self._after(*installed))
            for flavor in (*plan.flavors, *plan.node_flavors)
        }
        self._checks = {check.name: self._check(check, installed) for check in plan.admission_checks}
        self._cohorts: dict[str, KubernetesObject] = {}
        for cohort in plan.cohorts_from_the_root:
            self._cohorts[cohort.name] = self._cohort(cohort, installed)
        for queue in plan.queues:
            self._queue(queue)

    def _check(self, check: AdmissionCheckPlan, installed: Sequence[pulumi.Resource]) -> KubernetesObject:
        config = KubernetesObject(check.name, manifests.provisioning_request_config(check), self._after(*installed))
        return KubernetesObject(check.name, manifests.admission_check(check), self._after(config))

    def _cohort(self, cohort: CohortPlan, installed: Sequence[pulumi.Resource]) -> KubernetesObject:
        parents = installed if cohort.parent is None else [self._cohorts[cohort.parent]]
        return KubernetesObject(cohort.name, manifests.cohort(cohort), self._after(*parents))

    def _queue(self, queue: QueuePlan) -> None:
        held = dict.fromkeys(self._flavors[share.name] for share in queue.shares)
        checks = dict.fromkeys(self._checks[check] for share in queue.shares for check in share.admission_checks)
        cohort = [] if queue.cohort is None else [self._cohorts[queue.cohort]]
        made = KubernetesObject(queue.name, manifests.cluster_queue(queue), self._after(*held, *checks, *cohort))
        for local in queue.local_queues:
            KubernetesObject(
                names.in_namespace(local.namespace, local.name),
                manifests.local_queue(local),
                self._after(made, *self._namespaces.of(local.namespace)),
            )

    def _after(self, *needed: pulumi.Resource) -> pulumi.ResourceOptions:
        return self._cluster.inside(self, after=needed)


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
