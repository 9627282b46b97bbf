"""Nodes: ordinary pools, pools of TPU slices, and the ComputeClasses that name pools.

A slice of several hosts is a node pool; all single-host slices of a shape are one. A multi-host pool has all hosts of
its slice or none, close to each other in one zone. The provider tries to give a pool another topology, machine type or
zone, which the API refuses; here each such change replaces the pool, and deletes the old one first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pulumi
import pulumi_gcp as gcp

from components.kubernetes_object import KubernetesObject
from components.manifests.cloud import ordinary_pool_inputs, slice_pool_inputs
from components.manifests.compute_class import compute_class
from components.model.facts import gke

if TYPE_CHECKING:
    from collections.abc import Sequence

    from components.cluster import Cluster
    from components.given_cluster import AnyCluster
    from components.model.plan.nodes import (
        ComputeClassPlan,
        OrdinaryPoolPlan,
        SlicePoolPlan,
        WorkloadPolicyPlan,
    )


class NodePools(pulumi.ComponentResource):
    """The ordinary pools of a cluster."""

    def __init__(
        self,
        name: str,
        plan: Sequence[OrdinaryPoolPlan],
        *,
        cluster: Cluster,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """Declares a node pool for each pool of the plan."""
        super().__init__("tpu-platform:node_pools:NodePools", name, None, opts)
        for pool in plan:
            gcp.container.NodePool(
                pool.name,
                **ordinary_pool_inputs(pool, cluster.plan),
                cluster=cluster.name,
                opts=pulumi.ResourceOptions(
                    parent=self,
                    deleted_with=cluster.created,
                    ignore_changes=None if pool.autoscaling is None else list(gke.AUTOSCALED),
                ),
            )
        self.register_outputs({})


class TpuSlices(pulumi.ComponentResource):
    """The TPU slices of a cluster."""

    def __init__(
        self,
        name: str,
        plan: Sequence[SlicePoolPlan],
        *,
        policies: Sequence[WorkloadPolicyPlan],
        cluster: AnyCluster,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """Declares a node pool for each pool of the plan, and before them the policies that they name."""
        super().__init__("tpu-platform:tpu_slices:TpuSlices", name, None, opts)
        self._cluster = cluster
        self._policies = {policy.name: self._policy(policy) for policy in policies}
        for pool in plan:
            self._pool(pool)
        self.register_outputs({})

    def _policy(self, policy: WorkloadPolicyPlan) -> gcp.compute.ResourcePolicy:
        return gcp.compute.ResourcePolicy(
            policy.name,
            name=policy.name,
            region=policy.region,
            workload_policy={"type": "HIGH_THROUGHPUT", "accelerator_topology": policy.topology},
            opts=pulumi.ResourceOptions(parent=self, depends_on=self._cluster.prerequisites),
        )

    def _pool(self, pool: SlicePoolPlan) -> None:
        inputs = slice_pool_inputs(pool, self._cluster.plan)
        if pool.placement is not None and pool.placement.policy is not None:
            inputs["placement_policy"]["policy_name"] = self._policies[pool.placement.policy].name
        gcp.container.NodePool(
            pool.name,
            **inputs,
            cluster=self._cluster.name,
            opts=pulumi.ResourceOptions(
                parent=self,
                depends_on=self._cluster.prerequisites,
                # A workload policy cannot go before the pools that name it: those are deleted one by one.
                deleted_with=self._cluster.created if pool.placement is None or pool.placement.policy is None else None,
                replace_on_changes=["placementPolicy", "nodeConfig.machineType", "nodeLocations"],
                delete_before_replace=True,
                ignore_changes=None if pool.autoscaling is None else list(gke.AUTOSCALED),
                protect=True if pool.is_protected else None,
            ),
        )


class ComputeClasses(pulumi.ComponentResource):
    """The ComputeClasses of a cluster; GKE serves their kind in every cluster."""

    def __init__(
        self,
        name: str,
        plan: Sequence[ComputeClassPlan],
        *,
        cluster: AnyCluster,
        after: Sequence[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """Declares the classes, when the node pools in `after` exist, which their priorities name."""
        super().__init__("tpu-platform:compute_classes:ComputeClasses", name, None, opts)
        for each in plan:
            KubernetesObject(each.name, compute_class(each), cluster.inside(self, after=after))
        self.register_outputs({})
