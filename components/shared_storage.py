"""SharedStorage: Filestore instances, and for each claim on one a PersistentVolume of its own.

A volume can be bound once, so claims in several namespaces have a volume each, all of the same share. The server's
address is the instance's, not the stack file's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pulumi
import pulumi_gcp as gcp

from components.claims import claim_on
from components.manifests.storage import of_share

if TYPE_CHECKING:
    from collections.abc import Sequence

    from components.cluster import Cluster
    from components.model.plan.storage import SharedStoragePlan
    from components.namespaces import Namespaces
    from components.network import Network


class SharedStorage(pulumi.ComponentResource):
    """Shares that many pods write at once."""

    addresses: dict[str, pulumi.Output[str]]
    """Of each instance, by its name."""

    def __init__(
        self,
        name: str,
        plan: Sequence[SharedStoragePlan],
        *,
        cluster: Cluster,
        network: Network,
        namespaces: Namespaces,
        after: Sequence[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """Declares the instances in `network`, when all in `after` exists, and the claims in `namespaces`."""
        super().__init__("tpu-platform:shared_storage:SharedStorage", name, None, opts)
        self.addresses = {}
        for storage in plan:
            instance = self._instance(storage, network, after)
            address = instance.networks[0].ip_addresses[0]
            self.addresses[storage.name] = address
            for claim in storage.claims:
                behind = [instance, *namespaces.of(claim.namespace)]
                claim_on(of_share(address, storage.path), claim, cluster=cluster, parent=self, after=behind)
        self.register_outputs({})

    def _instance(
        self, plan: SharedStoragePlan, network: Network, after: Sequence[pulumi.Resource]
    ) -> gcp.filestore.Instance:
        return gcp.filestore.Instance(
            plan.name,
            name=plan.name,
            tier=plan.tier,
            location=plan.location,
            file_shares={"name": plan.share, "capacity_gb": plan.capacity_gib},
            networks=[{"network": network.network, "modes": ["MODE_IPV4"]}],
            labels=dict(plan.billing_labels),
            # Tiers that do not have it refuse the word itself.
            deletion_protection_enabled=True if plan.deletion_protection else None,
            opts=pulumi.ResourceOptions(parent=self, depends_on=[network, *after], protect=plan.is_protected),
        )
