"""Controllers: JobSet, and then Kueue, as Helm releases whose readiness is awaited.

Kueue starts its JobSet integration for the kinds it finds, so JobSet comes first. Webhooks of both are called by the
control plane, which needs a way through the firewall where nodes are private.
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
    from components.model.plan import ControllersPlan, FirewallPlan, ReleasePlan
    from components.network import Network


class Controllers(pulumi.ComponentResource):
    """The controllers that queue and run workloads."""

    jobset: kubernetes.helm.v3.Release
    kueue: kubernetes.helm.v3.Release
    """Comes last: what depends on it depends on all."""

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
        self.jobset = self._release(plan.jobset, jobset_values(plan), after=[nodes, *ways])
        self.kueue = self._release(plan.kueue, kueue_values(plan), after=[self.jobset])
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
