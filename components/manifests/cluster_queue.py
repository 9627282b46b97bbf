"""The ClusterQueue document: quota, and how it is handed out.

Quantities are in the form in which the API server returns them ("24"), so that an unchanged quota does not look
changed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NotRequired, TypedDict

from components.manifests.kueue import API_VERSION, FairSharing
from components.manifests.metadata import WAIT_UNTIL_ACTIVE
from components.model.facts import gke
from components.model.facts.quantities import whole

if TYPE_CHECKING:
    from components.manifests.metadata import Metadata
    from components.model.plan.queues import ConcurrentAdmissionPlan, QueueFlavorPlan, QueuePlan, ResourcesPlan

_STOP_POLICIES: Final = {"hold": "Hold", "drain": "HoldAndDrain"}


class FlavorResource(TypedDict):
    """A resource's quota."""

    name: str
    nominalQuota: str
    borrowingLimit: NotRequired[str]
    lendingLimit: NotRequired[str]


class FlavorQuotas(TypedDict):
    """A flavor's quotas, one per covered resource and in their order."""

    name: str
    resources: list[FlavorResource]


class ResourceGroup(TypedDict):
    """Resources whose quota comes from the same flavors."""

    coveredResources: list[str]
    flavors: list[FlavorQuotas]


class BorrowWithinCohort(TypedDict):
    """Whom the queue may evict to borrow."""

    policy: str


class Preemption(TypedDict):
    """Whom the queue may evict."""

    withinClusterQueue: str
    reclaimWithinCohort: NotRequired[str]
    borrowWithinCohort: NotRequired[BorrowWithinCohort]


class FlavorFungibility(TypedDict):
    """When the queue tries its next flavor."""

    whenCanBorrow: NotRequired[str]
    whenCanPreempt: NotRequired[str]


class CheckOfFlavors(TypedDict):
    """A check, and the flavors that it is for."""

    name: str
    onFlavors: list[str]


class AdmissionChecksStrategy(TypedDict):
    """The queue's checks."""

    admissionChecks: list[CheckOfFlavors]


class MigrationConstraints(TypedDict):
    """The last flavor for which a workload moves."""

    lastAcceptableFlavorName: str


class Migration(TypedDict):
    """Whether workloads that run move to a flavor before their own."""

    mode: str
    constraints: NotRequired[MigrationConstraints]


class ConcurrentAdmissionPolicy(TypedDict):
    """How the queue tries all of its flavors at once."""

    migration: Migration


class ClusterQueueSpec(TypedDict):
    """A queue's quota and how it is handed out."""

    cohortName: NotRequired[str]
    namespaceSelector: dict[str, object]
    """Empty matches every namespace; left out, none."""
    queueingStrategy: str
    stopPolicy: NotRequired[str]
    fairSharing: NotRequired[FairSharing]
    preemption: Preemption
    flavorFungibility: NotRequired[FlavorFungibility]
    admissionChecksStrategy: NotRequired[AdmissionChecksStrategy]
    concurrentAdmissionPolicy: NotRequired[ConcurrentAdmissionPolicy]
    resourceGroups: list[ResourceGroup]


class ClusterQueue(TypedDict):
    """A queue with quota."""

    apiVersion: str
    kind: str
    metadata: Metadata
    spec: ClusterQueueSpec


def cluster_queue(queue: QueuePlan) -> ClusterQueue:
    """The queue's document, with a group for its chips and one for each set of ordinary resources."""
    spec: ClusterQueueSpec = {
        "namespaceSelector": _namespaces(queue),
        "queueingStrategy": queue.strategy,
        "preemption": _preemption(queue),
        "resourceGroups": _resource_groups(queue),
    }
    if queue.cohort is not None:
        spec["cohortName"] = queue.cohort
    if queue.stop is not None:
        spec["stopPolicy"] = _STOP_POLICIES[queue.stop]
    if queue.fair_share_weight is not None:
        spec["fairSharing"] = {"weight": queue.fair_share_weight}
    if queue.when_can_borrow is not None and queue.when_can_preempt is not None:
        spec["flavorFungibility"] = {"whenCanBorrow": queue.when_can_borrow, "whenCanPreempt": queue.when_can_preempt}
    checks = _checks(queue)
    if checks:
        spec["admissionChecksStrategy"] = {"admissionChecks": checks}
    if queue.concurrent_admission is not None:
        spec["concurrentAdmissionPolicy"] = _concurrent_admission(queue.concurrent_admission)
    metadata: Metadata = {"name": queue.name}
    if queue.stop is None:
        metadata["annotations"] = dict(WAIT_UNTIL_ACTIVE)
    return {"apiVersion": API_VERSION, "kind": "ClusterQueue", "metadata": metadata, "spec": spec}


def _namespaces(queue: QueuePlan) -> dict[str, object]:
    match queue.tenants:
        case []:
            return {}
        case [name]:
            return {"matchLabels": {gke.LABEL_NAMESPACE: name}}
        case names:
            expression = {"key": gke.LABEL_NAMESPACE, "operator": "In", "values": list(names)}
            return {"matchExpressions": [expression]}


def _preemption(queue: QueuePlan) -> Preemption:
    preemption: Preemption = {"withinClusterQueue": queue.within_cluster_queue}
    if queue.cohort is not None:
        preemption["reclaimWithinCohort"] = queue.reclaim_within_cohort
        preemption["borrowWithinCohort"] = {"policy": queue.borrow_within_cohort}
    return preemption


def _concurrent_admission(policy: ConcurrentAdmissionPlan) -> ConcurrentAdmissionPolicy:
    migration: Migration = {"mode": policy.mode}
    if policy.last_acceptable_flavor is not None:
        migration["constraints"] = {"lastAcceptableFlavorName": policy.last_acceptable_flavor}
    return {"migration": migration}


def _checks(queue: QueuePlan) -> list[CheckOfFlavors]:
    flavors: dict[str, list[str]] = {}
    for share in queue.shares:
        for check in share.admission_checks:
            flavors.setdefault(check, []).append(share.name)
    return [{"name": check, "onFlavors": names} for check, names in flavors.items()]


def _resource_groups(queue: QueuePlan) -> list[ResourceGroup]:
    groups: list[ResourceGroup] = []
    if queue.flavors:
        chips = [_chips(flavor) for flavor in queue.flavors]
        groups.append({"coveredResources": [gke.RESOURCE_TPU], "flavors": chips})
    covered: dict[tuple[str, ...], list[FlavorQuotas]] = {}
    for share in queue.resources:
        covered.setdefault(tuple(share.quotas), []).append(_quotas(share))
    return groups + [{"coveredResources": list(names), "flavors": flavors} for names, flavors in covered.items()]


def _chips(flavor: QueueFlavorPlan) -> FlavorQuotas:
    resource: FlavorResource = {"name": gke.RESOURCE_TPU, "nominalQuota": whole(flavor.chips)}
    if flavor.borrow is not None:
        resource["borrowingLimit"] = whole(flavor.borrow)
    if flavor.lend is not None:
        resource["lendingLimit"] = whole(flavor.lend)
    return {"name": flavor.name, "resources": [resource]}


def _quotas(share: ResourcesPlan) -> FlavorQuotas:
    resources: list[FlavorResource] = [
        {"name": name, "nominalQuota": str(amount)} for name, amount in share.quotas.items()
    ]
    return {"name": share.name, "resources": resources}
