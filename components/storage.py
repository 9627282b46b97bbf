"""Storage: buckets, Filestore instances, Managed Lustre, Hyperdisks, and checkpoints near the chips.

A PersistentVolume can be bound once, so claims in several namespaces have a volume each, all of the same share. The
address of a server is that of its instance, not the stack file's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pulumi
import pulumi_gcp as gcp

from components.kubernetes_object import KubernetesObject
from components.manifests.storage import (
    checkpoint_configuration,
    of_disk,
    of_lustre,
    of_share,
    persistent_volume,
    persistent_volume_claim,
)
from components.model import names
from components.model.facts import gcs_fuse, gke, hyperdisk

if TYPE_CHECKING:
    from collections.abc import Sequence

    from components.cluster import Cluster
    from components.manifests.metadata import Manifest
    from components.model.plan.cloud import CheckpointsPlan
    from components.model.plan.storage import BucketPlan, ClaimPlan, DiskPlan, LustrePlan, SharedStoragePlan, WriterPlan
    from components.namespaces import Namespaces
    from components.network import Network


class Buckets(pulumi.ComponentResource):
    """The buckets of the platform, new or existing."""

    def __init__(
        self,
        name: str,
        plan: Sequence[BucketPlan],
        *,
        services: pulumi.Resource,
        cluster: pulumi.Resource,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """Declares the buckets, and their writers, whose identities come with the cluster.

        The buckets themselves do not wait for it: one that cannot be deleted must not keep a cluster alive.
        """
        super().__init__("tpu-platform:buckets:Buckets", name, None, opts)
        for bucket in plan:
            bucket_name = self._bucket(bucket, services)
            after = [services, cluster]
            for writer in bucket.writers:
                name_ = f"{bucket.name}-{writer.name}"
                self._grant(bucket_name, writer, gke.ROLE_WRITE_BUCKET, after, name=name_)
            for reader in bucket.readers:
                name_ = f"{bucket.name}-{reader.name}-reads"
                self._grant(bucket_name, reader, gcs_fuse.ROLE_READ, after, name=name_)
        self.register_outputs({})

    def _grant(
        self, bucket: pulumi.Input[str], who: WriterPlan, role: str, after: list[pulumi.Resource], *, name: str
    ) -> None:
        gcp.storage.BucketIAMMember(
            name,
            bucket=bucket,
            role=role,
            member=who.member,
            opts=pulumi.ResourceOptions(parent=self, depends_on=after),
        )

    def _bucket(self, bucket: BucketPlan, services: pulumi.Resource) -> pulumi.Input[str]:
        """The bucket's name, known when it exists."""
        if bucket.location is None:
            return bucket.name
        created = gcp.storage.Bucket(
            bucket.name,
            name=bucket.name,
            location=bucket.location,
            labels=dict(bucket.billing_labels),
            uniform_bucket_level_access=True,
            public_access_prevention="enforced",
            force_destroy=bucket.is_emptied,
            opts=pulumi.ResourceOptions(parent=self, depends_on=[services]),
        )
        return created.name


def claim_on(
    source: Manifest, claim: ClaimPlan, *, cluster: Cluster, parent: pulumi.Resource, after: Sequence[pulumi.Resource]
) -> None:
    """Declares both as children of `parent`, when all in `after` exists."""
    volume = KubernetesObject(claim.volume, persistent_volume(claim, source), cluster.inside(parent, after=after))
    KubernetesObject(
        names.in_namespace(claim.namespace, claim.name),
        persistent_volume_claim(claim),
        cluster.inside(parent, after=[*after, volume]),
    )


class SharedStorage(pulumi.ComponentResource):
    """Shares that many pods write at once."""

    addresses: dict[str, pulumi.Output[str]]
    """The address of each instance, by its name."""

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


class Lustre(pulumi.ComponentResource):
    """Parallel file systems that many hosts read and write at once."""

    addresses: dict[str, pulumi.Output[str]]
    """The address of each instance, by its name."""

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


class Checkpoints(pulumi.ComponentResource):
    """Where hosts keep checkpoints, and to which bucket they are copied."""

    def __init__(
        self,
        name: str,
        plan: CheckpointsPlan,
        *,
        cluster: Cluster,
        after: Sequence[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """Declares the configuration, when all in `after` exists: the driver needs its bucket at once."""
        super().__init__("tpu-platform:checkpoints:Checkpoints", name, None, opts)
        KubernetesObject(plan.name, checkpoint_configuration(plan), cluster.inside(self, after=after))
        self.register_outputs({})
