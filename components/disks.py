"""Disks: Hyperdisks that pods mount, with a PersistentVolume for each claim."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pulumi
import pulumi_gcp as gcp

from components.claims import claim_on
from components.manifests.storage import of_disk
from components.model.facts import hyperdisk

if TYPE_CHECKING:
    from collections.abc import Sequence

    from components.cluster import Cluster
    from components.model.plan.storage import DiskPlan
    from components.namespaces import Namespaces


class Disks(pulumi.ComponentResource):
    """Block storage: one node writes a disk, or many nodes read it."""

    def __init__(
        self,
        name: str,
        plan: Sequence[DiskPlan],
        *,
        cluster: Cluster,
        namespaces: Namespaces,
        after: Sequence[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """Declares the disks, when all in `after` exists, and the claims in `namespaces`."""
        super().__init__("tpu-platform:disks:Disks", name, None, opts)
        for each in plan:
            disk = self._disk(each, after)
            for claim in each.claims:
                behind = [disk, *namespaces.of(claim.namespace)]
                claim_on(of_disk(each), claim, cluster=cluster, parent=self, after=behind)
        self.register_outputs({})

    def _disk(self, plan: DiskPlan, after: Sequence[pulumi.Resource]) -> gcp.compute.Disk:
        return gcp.compute.Disk(
            plan.name,
            name=plan.name,
            zone=plan.zone,
            type=hyperdisk.KINDS[plan.kind].type,
            size=plan.size_gib,
            access_mode=hyperdisk.MODES[plan.access],
            provisioned_throughput=plan.throughput,
            provisioned_iops=plan.iops,
            snapshot=plan.snapshot,
            labels=dict(plan.billing_labels),
            opts=pulumi.ResourceOptions(parent=self, depends_on=after, protect=plan.is_protected),
        )
