"""Buckets: where workloads leave their results, and who may write there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pulumi
import pulumi_gcp as gcp

from components.model.facts import gcs_fuse, gke

if TYPE_CHECKING:
    from collections.abc import Sequence

    from components.model.plan.storage import BucketPlan, WriterPlan


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
