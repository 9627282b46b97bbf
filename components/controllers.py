"""Controllers: JobSet, then Kueue, as Helm releases. The update waits until they are ready.

Kueue starts its JobSet integration for the kinds it finds, so JobSet comes first. The control plane
calls the webhooks of both, and needs a firewall rule for that where nodes are private. Both are optional.

When you remove JobSet from a live cluster, Helm leaves the definition of its kind there, like everything in the folder
`crds/` of a chart. It does no harm without its controller, and `kubectl delete crd jobsets.jobset.x-k8s.io` removes it.
It cannot be a resource of the stack: its schema is nested deeper than the SDK's messages allow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pulumi
import pulumi_gcp as gcp
import pulumi_kubernetes as kubernetes

from components.manifests.charts import jobset_values, kueue_values

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from components.cluster import Cluster
    from components.model.plan.queues import ControllersPlan, FirewallPlan, ReleasePlan
    from components.network import Network


class Controllers(pulumi.ComponentResource):
    """The controllers that queue and run workloads."""

    kueue: kubernetes.helm.v3.Release | None
    """None where there are no queues."""
    installed: list[pulumi.Resource]
    """The releases that workloads of the controllers' kinds depend on."""

    def __init__(
        self,
        name: str,
        plan: ControllersPlan,
        *,
        cluster: Cluster,
        network: Network,
        nodes: pulumi.Resource,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """Declares the releases, which run on `nodes`."""
        super().__init__("tpu-platform:controllers:Controllers", name, None, opts)
        self._cluster = cluster
        ways = [] if plan.firewall is None else [self._open(plan.firewall, network)]
        self.installed = []
        before: list[pulumi.Resource] = [nodes, *ways]
        if plan.jobset is not None:
            jobset = self._release(plan.jobset, jobset_values(plan.jobset), after=before)
            self.installed = before = [jobset]
        self.kueue = None
        if plan.kueue is not None:
            self.kueue = self._release(plan.kueue, kueue_values(plan.kueue, plan), after=before)
            self.installed = [*self.installed, self.kueue]
        self.register_outputs({})

    def _open(self, plan: FirewallPlan, network: Network) -> gcp.compute.Firewall:
        return gcp.compute.Firewall(
            plan.name,
            name=plan.name,
            network=network.network,
            direction="INGRESS",
            source_ranges=[plan.source],
            target_service_accounts=[plan.target_account],
            allows=[{"protocol": "tcp", "ports": [str(port) for port in plan.ports]}],
            opts=pulumi.ResourceOptions(parent=self, depends_on=self._cluster.prerequisites),
        )

    def _release(
        self, plan: ReleasePlan, values: Mapping[str, Any], *, after: Sequence[pulumi.Resource]
    ) -> kubernetes.helm.v3.Release:
        return kubernetes.helm.v3.Release(
            plan.name,
            name=plan.name,
            chart=plan.chart,
            version=plan.version,
            namespace=plan.namespace,
            create_namespace=True,
            values=values,
            opts=self._cluster.inside(self, after=after),
        )
