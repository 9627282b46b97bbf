"""The plan: every name, number, label and quota of a platform as plain Python, the chip ledger among them.

Pools hold slices, slices have hosts, hosts have chips; flavors and quotas count them; workloads ask for slices. All of
it is known at preview. `planning/` makes a plan from a configuration; rules judge it and components translate it, and
neither computes anything. A plan can be wrong: where a machine type or a reference does not exist, its numbers are 0
and a rule says why.

Every part knows its `place`, so that a finding about it points to where it was declared.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from components.model.facts import gke
from components.model.plan.workloads import (
    BatchJobPlan,
    JobSetPlan,
    ManifestPlan,
    RedisPlan,
    ReplicatedJobPlan,
    TpuRunPlan,
    pod_groups,
)

if TYPE_CHECKING:
    from components.model.places import Place
    from components.model.plan.cloud import ClusterPlan, NetworkPlan, ServicePlan
    from components.model.plan.nodes import (
        ComputeClassPlan,
        OrdinaryPoolPlan,
        QuotaPlan,
        SlicePoolPlan,
        WorkloadPolicyPlan,
    )
    from components.model.plan.pods import ProviderClassPlan, SecretPlan, SecretReaderPlan, ServiceAccountPlan
    from components.model.plan.queues import (
        AdmissionCheckPlan,
        CohortPlan,
        ControllersPlan,
        FlavorPlan,
        FormerQueuePlan,
        NamespacePlan,
        NodeFlavorPlan,
        PriorityPlan,
        QueuePlan,
    )
    from components.model.plan.storage import BucketPlan, ClaimPlan, DiskPlan, LustrePlan, SharedStoragePlan
    from components.model.plan.workloads import PodGroupPlan, RunPlan, RunsPlan, TpuJobPlan, WorkloadPlan


@dataclass(frozen=True, kw_only=True)
class Plan:
    """One platform. Lists are in the order of the stack file; those that many rules read are made once."""

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
    namespaces: tuple[NamespacePlan, ...]
    """Namespaces to create, sorted by name."""
    flavors: tuple[FlavorPlan, ...]
    """The flavors of slices."""
    node_flavors: tuple[NodeFlavorPlan, ...]
    cohorts: tuple[CohortPlan, ...]
    admission_checks: tuple[AdmissionCheckPlan, ...]
    queues: tuple[QueuePlan, ...]
    former_queues: tuple[FormerQueuePlan, ...]
    """The queues before this update, whether or not they still exist."""
    priorities: tuple[PriorityPlan, ...]
    workloads: tuple[WorkloadPlan, ...]
    service_accounts: tuple[ServiceAccountPlan, ...] = ()
    secrets: tuple[SecretPlan, ...] = ()
    provider_classes: tuple[ProviderClassPlan, ...] = ()
    """One for each version of a secret of Secret Manager that pods of a namespace mount."""
    secret_readers: tuple[SecretReaderPlan, ...] = ()
    """Who may read the secrets of Secret Manager that pods mount."""
    lustre: tuple[LustrePlan, ...] = ()
    disks: tuple[DiskPlan, ...] = ()
    compute_classes: tuple[ComputeClassPlan, ...] = ()
    has_cluster_before: bool = False
    """Whether the cluster was up after the update before this one."""
    has_any_order: bool = False
    """Whether workloads are created side by side."""

    @property
    def is_running(self) -> bool:
        """Whether the cluster exists before this update."""
        return self.cluster.is_existing or self.has_cluster_before

    @property
    def claims(self) -> tuple[ClaimPlan, ...]:
        """The claims that pods can mount, whatever is behind them."""
        return tuple(claim for one in (*self.shared_storage, *self.lustre, *self.disks) for claim in one.claims)

    @property
    def has_whole_ledger(self) -> bool:
        """Whether every slice's chips are known; sums over pools mean nothing while one is not."""
        return all(pool.chips for pool in self.slice_pools)

    def makes_nodes_of(self, flavor: FlavorPlan) -> bool:
        """Whether nodes of the flavor can come without a declared pool, when pods select them."""
        if not flavor.labels:
            return False
        if self.cluster.mode == "autopilot" or self.cluster.has_other_slices:
            return True
        if gke.LABEL_COMPUTE_CLASS in flavor.labels:
            return True
        made = self.cluster.auto_provisioning
        accelerator = flavor.labels.get(gke.LABEL_TPU_ACCELERATOR)
        return made is not None and bool(made.accelerators if accelerator is None else accelerator in made.accelerators)

    def class_of(self, work: RunPlan) -> ComputeClassPlan | None:
        """The ComputeClass that the pods of a run select; None where they select none, or one that does not exist."""
        return next((each for each in self.compute_classes if each.name == work.compute_class), None)

    @property
    def has_identities(self) -> bool:
        """Whether the stack makes accounts or secrets, or grants pods something."""
        return bool(self.service_accounts or self.secrets or self.provider_classes)

    @property
    def cohorts_from_the_root(self) -> tuple[CohortPlan, ...]:
        """The cohorts, each after its parent; those whose parents go in a circle or do not exist are left out."""
        children: dict[str | None, list[CohortPlan]] = {}
        for cohort in {cohort.name: cohort for cohort in self.cohorts}.values():
            children.setdefault(cohort.parent, []).append(cohort)
        ordered = list(children.get(None, ()))
        for cohort in ordered:
            ordered += children.get(cohort.name, ())
        return tuple(ordered)

    @cached_property
    def runs(self) -> tuple[RunsPlan, ...]:
        """The workloads that run to completion."""
        return tuple(work for work in self.workloads if not isinstance(work, (RedisPlan, ManifestPlan)))

    @cached_property
    def programs(self) -> tuple[RunPlan, ...]:
        """The programs of all pods of runs: the runs, and the replicated jobs beside the slices of JobSets."""
        return tuple(each for work in self.runs for each in (work, *_beside(work)))

    @cached_property
    def pod_groups(self) -> tuple[PodGroupPlan, ...]:
        """All pods of all workloads, by what they run on."""
        return tuple(group for work in self.workloads for group in pod_groups(work))

    @cached_property
    def tpu_runs(self) -> tuple[JobSetPlan | TpuJobPlan, ...]:
        """The workloads that run on slices."""
        return tuple(work for work in self.workloads if isinstance(work, TpuRunPlan))

    @property
    def manifests(self) -> tuple[ManifestPlan, ...]:
        """The files of Kubernetes objects."""
        return tuple(work for work in self.workloads if isinstance(work, ManifestPlan))

    @cached_property
    def queued(self) -> tuple[RunsPlan | ManifestPlan, ...]:
        """The workloads that may be in a queue."""
        return tuple(work for work in self.workloads if not isinstance(work, RedisPlan))

    @property
    def batch_jobs(self) -> tuple[BatchJobPlan, ...]:
        """The workloads that are plain Jobs of equal pods."""
        return tuple(work for work in self.workloads if isinstance(work, BatchJobPlan))

    @property
    def redises(self) -> tuple[RedisPlan, ...]:
        """The Redis servers."""
        return tuple(work for work in self.workloads if isinstance(work, RedisPlan))


def _beside(work: RunPlan) -> tuple[ReplicatedJobPlan, ...]:
    return work.replicated_jobs if isinstance(work, JobSetPlan) else ()
