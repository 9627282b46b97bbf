"""Lustre: Managed Lustre instances in the cluster's network, with a PersistentVolume for each claim."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pulumi
import pulumi_gcp as gcp

from components.claims import claim_on
from components.manifests.storage import of_lustre

if TYPE_CHECKING:
    from collections.abc import Sequence

    from components.cluster import Cluster
    from components.model.plan.storage import LustrePlan
    from components.namespaces import Namespaces
    from components.network import Network


class Lustre(pulumi.ComponentResource):
    """Parallel file systems that many hosts read and write at once."""

    addresses: dict[str, pulumi.Output[str]]
    """Of each instance, by its name."""

    def __init__(
        self,
        name: str,
        plan: Sequence[LustrePlan],
        *,
        cluster: Cluster,
        network: Network,
        namespaces: Namespaces,
        after: Sequence[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """Declares the instances in `network`, when all in `after` exists, and the claims in `namespaces`."""
        super().__init__("tpu-platform:lustre:Lustre", name, None, opts)
        self.addresses = {}
        for each in plan:
            instance = self._instance(each, network, after)
            address = instance.mount_point.apply(_address)
            self.addresses[each.name] = address
            for claim in each.claims:
                behind = [instance, *namespaces.of(claim.namespace)]
                claim_on(of_lustre(each, address), claim, cluster=cluster, parent=self, after=behind)
        self.register_outputs({})

    def _instance(self, plan: LustrePlan, network: Network, after: Sequence[pulumi.Resource]) -> gcp.lustre.Instance:
        return gcp.lustre.Instance(
            plan.name,
            instance_id=plan.name,
            location=plan.location,
            filesystem=plan.filesystem,
            capacity_gib=str(plan.capacity_gib),
            per_unit_storage_throughput=str(plan.throughput),
            network=network.path,
            labels=dict(plan.billing_labels),
            opts=pulumi.ResourceOptions(
                parent=self, depends_on=[network, *network.private_services, *after], protect=plan.is_protected
            ),
        )


def _address(mount_point: str) -> str:
    """The address in `ADDRESS@tcp:/FILESYSTEM`."""
    return mount_point.partition("@")[0]
