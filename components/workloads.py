"""Workloads: runs to completion, submitted in the order of the stack file, each after the one before it exists.

A run cannot be changed: JobSet and Kueue refuse it. What is declared differently is another run, so the old one is
deleted and a new one submitted under the same name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pulumi

from components.kubernetes_object import KubernetesObject
from components.manifests.jobset import jobset
from components.model import names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from components.cluster import Cluster
    from components.model.plan import JobSetPlan

_ANOTHER_RUN: Final = pulumi.ResourceOptions(
    replace_on_changes=["spec", "metadata.labels", "metadata.annotations"], delete_before_replace=True
)


class Workloads(pulumi.ComponentResource):
    """The declared runs."""

    def __init__(
        self,
        name: str,
        plan: Sequence[JobSetPlan],
        *,
        cluster: Cluster,
        after: Sequence[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """Declares the runs; the first comes after everything in `after`."""
        super().__init__("tpu-platform:workloads:Workloads", name, None, opts)
        for workload in plan:
            run = KubernetesObject(
                names.in_namespace(workload.namespace, workload.name),
                jobset(workload),
                pulumi.ResourceOptions.merge(cluster.inside(self, after=after), _ANOTHER_RUN),
            )
            after = [run]
        self.register_outputs({})
