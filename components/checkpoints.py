"""Checkpoints: the configuration of multi-tier checkpointing in the cluster that has its add-on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pulumi

from components.kubernetes_object import KubernetesObject
from components.manifests.storage import checkpoint_configuration

if TYPE_CHECKING:
    from collections.abc import Sequence

    from components.cluster import Cluster
    from components.model.plan.cloud import CheckpointsPlan


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
