"""Kueue's documents, of `kueue.x-k8s.io/v1beta2`, and the PriorityClass beside the WorkloadPriorityClass.

Quantities are in the form in which the API server returns them ("24"), so that an unchanged quota does not look
changed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.manifests.metadata import WAIT_UNTIL_ACTIVE, Manifest, without_none
from components.model.facts import gke
from components.model.facts.quantities import whole
from components.model.plan.queues import FlavorPlan

if TYPE_CHECKING:
    from collections.abc import Iterator

    from components.model.plan import Plan
    from components.model.plan.queues import (
        AdmissionCheckPlan,
        CohortPlan,
        ConcurrentAdmissionPlan,
        LocalQueuePlan,
        NodeFlavorPlan,
        PriorityPlan,
        QueueFlavorPlan,
        QueuePlan,
        ResourcesPlan,
    )

GROUP: Final = "kueue.x-k8s.io"
API_VERSION: Final = f"{GROUP}/v1beta2"
_STOP_POLICIES: Final = {"hold": "Hold", "drain": "HoldAndDrain"}


def queue_objects(plan: Plan) -> Iterator[Manifest]:
    """The flavors, cohorts, admission checks, ClusterQueues and LocalQueues of a plan."""
    yield from map(resource_flavor, (*plan.flavors, *plan.node_flavors))
    yield from map(cohort, plan.cohorts)
    for check in plan.admission_checks:
        yield provisioning_request_config(check)
        yield admission_check(check)
    for queue in plan.queues:
        yield cluster_queue(queue)
        yield from map(local_queue, queue.local_queues)


def resource_flavor(flavor: FlavorPlan | NodeFlavorPlan) -> Manifest:
    """The flavor's document; without labels it is of all nodes.

    A flavor of queued nodes has their tolerations: users need not know which nodes those are, and Kueue requests nodes
    for a template of pods, to which nothing adds the toleration of TPU or GPU nodes.
    """
    spec: Manifest = {}
    if flavor.labels:
        spec["nodeLabels"] = dict(flavor.labels)
    if flavor.is_queued:
        is_tpu = isinstance(flavor, FlavorPlan)
        accelerator = (gke.TAINT_TPU_KEY, gke.TAINT_TPU_VALUE) if is_tpu else (gke.RESOURCE_GPU, gke.TAINT_GPU_VALUE)
        taints = (accelerator, (gke.LABEL_QUEUED, gke.QUEUED_VALUE))
        spec["tolerations"] = [
            {"key": key, "operator": "Equal", "value": value, "effect": "NoSchedule"} for key, value in taints
        ]
    return {"apiVersion": API_VERSION, "kind": "ResourceFlavor", "metadata": {"name": flavor.name}, "spec": spec}


def cohort(plan: CohortPlan) -> Manifest:
    """The cohort's document."""
    spec = without_none({"parentName": plan.parent, "fairSharing": _fair_sharing(plan.fair_share_weight)})
    return {"apiVersion": API_VERSION, "kind": "Cohort", "metadata": {"name": plan.name}, "spec": spec}


def _fair_sharing(weight: str | None) -> Manifest | None:
    return None if weight is None else {"weight": weight}


def local_queue(queue: LocalQueuePlan) -> Manifest:
    """The local queue's document."""
    return {
        "apiVersion": API_VERSION,
        "kind": "LocalQueue",
        "metadata": {"name": queue.name, "namespace": queue.namespace},
        "spec": {"clusterQueue": queue.queue},
    }


# --- priorities


def workload_priority_class(priority: PriorityPlan) -> Manifest:
    """The priority as Kueue orders waiting workloads by it; its fields are beside the metadata, there is no spec."""
    return _priority(API_VERSION, "WorkloadPriorityClass", priority)


def priority_class(priority: PriorityPlan) -> Manifest:
    """The priority as the scheduler orders pods by it; it is not the default of pods that name none.

    `globalDefault: false` is not written: the API server leaves a false out of its answer, and a written field that is
    not in the answer shows as drift at every refresh.
    """
    return _priority("scheduling.k8s.io/v1", "PriorityClass", priority)


def _priority(api_version: str, kind: str, priority: PriorityPlan) -> Manifest:
    return without_none(
        {
            "apiVersion": api_version,
            "kind": kind,
            "metadata": {"name": priority.name},
            "value": priority.value,
            "description": priority.description,
        }
    )


# --- admission checks


def admission_check(check: AdmissionCheckPlan) -> Manifest:
    """The document of the check that requests nodes before a workload starts."""
    return {
        "apiVersion": API_VERSION,
        "kind": "AdmissionCheck",
        "metadata": {"name": check.name},
        "spec": {
            "controllerName": gke.PROVISIONING_CONTROLLER,
            "parameters": {"apiGroup": GROUP, "kind": "ProvisioningRequestConfig", "name": check.name},
        },
    }


def provisioning_request_config(check: AdmissionCheckPlan) -> Manifest:
    """The document of the check's configuration; nodes of GKE's own class have a label that only their pods select."""
    spec: Manifest = {
        "provisioningClassName": check.class_name,
        "managedResources": list(check.managed_resources),
    }
    if check.parameters:
        spec["parameters"] = dict(check.parameters)
    if check.retries is not None:
        spec["retryStrategy"] = {"backoffLimitCount": check.retries}
    if check.class_name == gke.QUEUED_PROVISIONING_CLASS:
        label = {
            "key": gke.LABEL_PROVISIONING_REQUEST,
            "valueFromProvisioningClassDetail": gke.DETAIL_RESIZE_REQUEST,
        }
        spec["podSetUpdates"] = {"nodeSelector": [label]}
    return {
        "apiVersion": API_VERSION,
        "kind": "ProvisioningRequestConfig",
        "metadata": {"name": check.name},
        "spec": spec,
    }


# --- ClusterQueues


def cluster_queue(queue: QueuePlan) -> Manifest:
    """The queue's document, with a group for its chips and one for each set of ordinary resources."""
    spec: Manifest = {
        "namespaceSelector": _namespaces(queue),
        "queueingStrategy": queue.strategy,
        "preemption": _preemption(queue),
        "resourceGroups": _resource_groups(queue),
        "cohortName": queue.cohort,
        "stopPolicy": None if queue.stop is None else _STOP_POLICIES[queue.stop],
        "fairSharing": _fair_sharing(queue.fair_share_weight),
    }
    if queue.when_can_borrow is not None and queue.when_can_preempt is not None:
        spec["flavorFungibility"] = {"whenCanBorrow": queue.when_can_borrow, "whenCanPreempt": queue.when_can_preempt}
    checks = _checks(queue)
    if checks:
        spec["admissionChecksStrategy"] = {"admissionChecks": checks}
    if queue.concurrent_admission is not None:
        spec["concurrentAdmissionPolicy"] = _concurrent_admission(queue.concurrent_admission)
    metadata: Manifest = {"name": queue.name}
    if queue.stop is None:
        metadata["annotations"] = dict(WAIT_UNTIL_ACTIVE)
    return {"apiVersion": API_VERSION, "kind": "ClusterQueue", "metadata": metadata, "spec": without_none(spec)}


def _namespaces(queue: QueuePlan) -> Manifest:
    """The selector of namespaces; an empty one matches every namespace, and without one Kueue matches none."""
    match queue.tenants:
        case []:
            return {}
        case [name]:
            return {"matchLabels": {gke.LABEL_NAMESPACE: name}}
        case names:
            expression = {"key": gke.LABEL_NAMESPACE, "operator": "In", "values": list(names)}
            return {"matchExpressions": [expression]}


def _preemption(queue: QueuePlan) -> Manifest:
    preemption: Manifest = {"withinClusterQueue": queue.within_cluster_queue}
    if queue.cohort is not None:
        preemption["reclaimWithinCohort"] = queue.reclaim_within_cohort
        preemption["borrowWithinCohort"] = {"policy": queue.borrow_within_cohort}
    return preemption


def _concurrent_admission(policy: ConcurrentAdmissionPlan) -> Manifest:
    migration: Manifest = {"mode": policy.mode}
    if policy.last_acceptable_flavor is not None:
        migration["constraints"] = {"lastAcceptableFlavorName": policy.last_acceptable_flavor}
    return {"migration": migration}


def _checks(queue: QueuePlan) -> list[Manifest]:
    flavors: dict[str, list[str]] = {}
    for share in queue.shares:
        for check in share.admission_checks:
            flavors.setdefault(check, []).append(share.name)
    return [{"name": check, "onFlavors": names} for check, names in flavors.items()]


def _resource_groups(queue: QueuePlan) -> list[Manifest]:
    groups: list[Manifest] = []
    if queue.flavors:
        chips = [_chips(flavor) for flavor in queue.flavors]
        groups.append({"coveredResources": [gke.RESOURCE_TPU], "flavors": chips})
    covered: dict[tuple[str, ...], list[Manifest]] = {}
    for share in queue.resources:
        covered.setdefault(tuple(share.quotas), []).append(_quotas(share))
    return groups + [{"coveredResources": list(names), "flavors": flavors} for names, flavors in covered.items()]


def _chips(flavor: QueueFlavorPlan) -> Manifest:
    resource = without_none(
        {
            "name": gke.RESOURCE_TPU,
            "nominalQuota": whole(flavor.chips),
            "borrowingLimit": None if flavor.borrow is None else whole(flavor.borrow),
            "lendingLimit": None if flavor.lend is None else whole(flavor.lend),
        }
    )
    return {"name": flavor.name, "resources": [resource]}


def _quotas(share: ResourcesPlan) -> Manifest:
    resources = [{"name": name, "nominalQuota": str(amount)} for name, amount in share.quotas.items()]
    return {"name": share.name, "resources": resources}
