"""What will exist: every name, number, label and quota of a platform as plain Python, the chip ledger among them.

Pools hold slices, slices have hosts, hosts have chips; flavors and quotas count them; workloads ask for slices. All of
it is known at preview. `planning.py` makes a plan from a configuration; rules judge it and components translate it, and
neither computes anything. A plan can be wrong: where a machine type or a reference does not exist, its numbers are 0
and a rule says why.

Every part knows its `place`, so that a finding about it points to where it was declared.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from components.model import gke
from components.model.plan.cloud import (
    AuthorizedNetworkPlan,
    AutoProvisioningPlan,
    ClusterMode,
    ClusterPlan,
    ClustersNetworkPlan,
    CreatedNetworkPlan,
    ExistingNetworkPlan,
    MaintenanceExclusionPlan,
    MaintenanceWindowPlan,
    NetworkPlan,
    NodeIdentityPlan,
    ServicePlan,
)
from components.model.plan.nodes import (
    AutoscalingPlan,
    GpuPlan,
    OrdinaryPoolPlan,
    PlacementPlan,
    QuotaPlan,
    ReservationPlan,
    SlicePoolPlan,
    UpgradePlan,
    WorkloadPolicyPlan,
)
from components.model.plan.queues import (
    ControllersPlan,
    FirewallPlan,
    FlavorPlan,
    LocalQueuePlan,
    PriorityPlan,
    QueueFlavorPlan,
    QueuePlan,
    ReleasePlan,
)
from components.model.plan.storage import BucketPlan, ClaimPlan, SharedStoragePlan, WriterPlan
from components.model.plan.workloads import JobSetPlan

if TYPE_CHECKING:
    from components.model.findings import Place

__all__ = [
    "AuthorizedNetworkPlan",
    "AutoProvisioningPlan",
    "AutoscalingPlan",
    "BucketPlan",
    "ClaimPlan",
    "ClusterMode",
    "ClusterPlan",
    "ClustersNetworkPlan",
    "ControllersPlan",
    "CreatedNetworkPlan",
    "ExistingNetworkPlan",
    "FirewallPlan",
    "FlavorPlan",
    "GpuPlan",
    "JobSetPlan",
    "LocalQueuePlan",
    "MaintenanceExclusionPlan",
    "MaintenanceWindowPlan",
    "NetworkPlan",
    "NodeIdentityPlan",
    "OrdinaryPoolPlan",
    "PlacementPlan",
    "Plan",
    "PriorityPlan",
    "QueueFlavorPlan",
    "QueuePlan",
    "QuotaPlan",
    "ReleasePlan",
    "ReservationPlan",
    "ServicePlan",
    "SharedStoragePlan",
    "SlicePoolPlan",
    "UpgradePlan",
    "WorkloadPolicyPlan",
    "WriterPlan",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One platform. Lists are in the order of the stack file."""

    place: Place
    project: str
    services: tuple[ServicePlan, ...]
    network: NetworkPlan
    cluster: ClusterPlan
    node_pools: tuple[OrdinaryPoolPlan, ...]
    slice_pools: tuple[SlicePoolPlan, ...]
    workload_policies: tuple[WorkloadPolicyPlan, ...]
    quota: tuple[QuotaPlan, ...]
    shared_storage: tuple[SharedStoragePlan, ...]
    buckets: tuple[BucketPlan, ...]
    controllers: ControllersPlan
    namespaces: tuple[str, ...]
    """Namespaces to create, sorted."""
    flavors: tuple[FlavorPlan, ...]
    queues: tuple[QueuePlan, ...]
    priorities: tuple[PriorityPlan, ...]
    workloads: tuple[JobSetPlan, ...]

    @property
    def has_whole_ledger(self) -> bool:
        """Whether every slice's chips are known; sums over pools mean nothing while one is not."""
        return all(pool.chips for pool in self.slice_pools)

    def makes_nodes_of(self, flavor: FlavorPlan) -> bool:
        """Whether nodes of the flavor can come without a declared pool, when pods select them."""
        if not flavor.labels:
            return False
        if self.cluster.mode == "autopilot" or self.cluster.is_existing:
            return True
        made = self.cluster.auto_provisioning
        return made is not None and flavor.labels[gke.LABEL_TPU_ACCELERATOR] in made.accelerators
