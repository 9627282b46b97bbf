"""The plan of queueing: controllers, flavors, cohorts, queues and their quotas, priorities."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from components.model import config
from components.model.facts import gke, quantities, ray, versions
from components.model.plan.queues import (
    AdmissionCheckPlan,
    CohortPlan,
    ConcurrentAdmissionPlan,
    ControllersPlan,
    FirewallPlan,
    FlavorPlan,
    FormerQueuePlan,
    LocalQueuePlan,
    NamespacePlan,
    NodeFlavorPlan,
    PodsReadyPlan,
    PriorityPlan,
    QueueFlavorPlan,
    QueuePlan,
    ReleasePlan,
    ResourcesPlan,
)
from components.model.planning.sections import plan_from

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from components.model.places import Place
    from components.model.plan.nodes import OrdinaryPoolPlan


_JOB_FRAMEWORK: Final = "batch/job"
_JOBSET_FRAMEWORK: Final = "jobset.x-k8s.io/jobset"
"""The frameworks that Kueue manages: plain Jobs, which users may submit to any queue, and JobSets."""
_FIRST_RESOURCES: Final = (gke.RESOURCE_CPU, gke.RESOURCE_MEMORY)
_LAST_RESOURCES: Final = (gke.RESOURCE_DISK,)
_DRAINING: Final = "drain"
_IN_NAMESPACES: Final = ("shared_storage", "lustre", "disks", "service_accounts", "queues", "workloads")
"""Outputs that say in which namespace something is; those of controllers are Helm's."""


def controllers_plan(
    controllers: config.Controllers,
    firewall: FirewallPlan | None,
    place: Place,
    queues: Iterable[config.Queue],
    *,
    has_ray: bool,
) -> ControllersPlan:
    """The controllers with their ways through the firewall, which none of them needs if none is installed.

    Kueue manages Ray's kinds where `has_ray`: elsewhere the API server does not know them.
    """
    jobset = controllers.jobset if isinstance(controllers.jobset, config.JobSetController) else None
    kueue = controllers.kueue if isinstance(controllers.kueue, config.KueueController) else None
    return ControllersPlan(
        place=place,
        jobset=None if jobset is None else _release(versions.JOBSET, jobset.version, place),
        kueue=None if kueue is None else _release(versions.KUEUE, kueue.version, place),
        fair_sharing=kueue is not None and kueue.fair_sharing,
        frameworks=(
            _JOB_FRAMEWORK,
            *(() if jobset is None else (_JOBSET_FRAMEWORK,)),
            *(ray.FRAMEWORKS if has_ray else ()),
        ),
        firewall=None if jobset is None and kueue is None else firewall,
        pods_ready=None if kueue is None else _pods_ready(kueue.pods_ready, place.at("kueue", "pods_ready")),
        concurrent_admission=any(queue.concurrent_admission is not None for queue in queues),
    )


def moves_workloads(platform: config.Platform) -> bool:
    """Whether Kueue may take a workload from one flavor to another though no other workload needs its quota."""
    kueue = platform.controllers.kueue
    return (isinstance(kueue, config.KueueController) and kueue.pods_ready is not None) or any(
        queue.concurrent_admission is not None for queue in platform.queues
    )


def _pods_ready(pods_ready: config.PodsReady | None, place: Place) -> PodsReadyPlan | None:
    if pods_ready is None:
        return None
    recovery = pods_ready.recovery_timeout_seconds
    return plan_from(
        PodsReadyPlan,
        pods_ready,
        pods_ready.requeue,
        place=place,
        recovery_seconds=pods_ready.timeout_seconds if recovery is None else recovery,
        is_recovery_stated=recovery is not None,
    )


def _release(controller: versions.Controller, version: str, place: Place) -> ReleasePlan:
    return ReleasePlan(
        place=place.at(controller.name),
        name=controller.name,
        chart=controller.chart,
        version=version,
        namespace=controller.namespace,
        image=controller.image,
        tag=f"v{version}",
    )


def node_flavor_plan(flavor: config.NodeFlavor, place: Place, pools: Iterable[OrdinaryPoolPlan]) -> NodeFlavorPlan:
    """The flavor of ordinary resources; its nodes are queued if its labels select those of a queued pool."""
    is_queued = any(pool.is_queued and flavor.labels.items() <= _labels(pool).items() for pool in pools)
    return plan_from(NodeFlavorPlan, flavor, place=place, is_queued=bool(flavor.labels) and is_queued)


def _labels(pool: OrdinaryPoolPlan) -> dict[str, str]:
    """The labels by which pods select queued nodes of a pool."""
    accelerator = {} if pool.gpu is None else {gke.LABEL_GPU_ACCELERATOR: pool.gpu.type}
    own = {gke.LABEL_NODE_POOL: pool.name, gke.LABEL_FLEX_START: "true", gke.LABEL_PROVISIONING: "flex-start"}
    return {**pool.added_labels, **own, **accelerator}


def cohort_plan(cohort: config.Cohort, place: Place) -> CohortPlan:
    """The cohort."""
    return plan_from(CohortPlan, cohort, place=place, fair_share_weight=_weight(cohort.fair_share_weight))


def _weight(weight: float | None) -> str | None:
    return None if weight is None else str(quantities.Quantity(round(weight * 1000)))


def admission_check_plan(check: config.AdmissionCheck, place: Place) -> AdmissionCheckPlan:
    """The check, which requests nodes."""
    return plan_from(AdmissionCheckPlan, check, check.provisioning, place=place)


def queue_plan(
    queue: config.Queue,
    flavor_of: Mapping[str, FlavorPlan],
    place: Place,
    submitting: Collection[str],
) -> QueuePlan:
    """The queue, with quotas that are stated, or follow from the pools.

    Args:
        queue: as it is configured, at `place`.
        flavor_of: the flavors of chips by name.
        place: where it is configured.
        submitting: the namespaces of all LocalQueues, those of other queues among them.
    """
    fungibility = queue.fungibility
    shares = [(share, place.at("flavors", index)) for index, share in enumerate(queue.flavors)]
    return plan_from(
        QueuePlan,
        queue,
        queue.preemption,
        place=place,
        fair_share_weight=_weight(queue.fair_share_weight),
        when_can_borrow=None if fungibility is None else fungibility.when_can_borrow,
        when_can_preempt=None if fungibility is None else fungibility.when_can_preempt,
        flavors=tuple(
            _chips(share, flavor_of.get(share.name), at) for share, at in shares if isinstance(share, config.ChipsShare)
        ),
        resources=tuple(_resources(share, at) for share, at in shares if isinstance(share, config.ResourcesShare)),
        local_queues=tuple(
            plan_from(LocalQueuePlan, local, place=place.at("local_queues", index), queue=queue.name)
            for index, local in enumerate(queue.local_queues)
        ),
        tenants=_tenants(queue, submitting),
        concurrent_admission=None
        if queue.concurrent_admission is None
        else plan_from(ConcurrentAdmissionPlan, queue.concurrent_admission, place=place.at("concurrent_admission")),
    )


def _tenants(queue: config.Queue, submitting: Collection[str]) -> tuple[str, ...]:
    """The namespaces of its LocalQueues, where other namespaces have a queue of their own."""
    own = dict.fromkeys(local.namespace for local in queue.local_queues)
    return tuple(own) if len(submitting) > len(own) else ()


def _chips(share: config.ChipsShare, flavor: FlavorPlan | None, place: Place) -> QueueFlavorPlan:
    derived = 0 if flavor is None else flavor.chips
    return plan_from(
        QueueFlavorPlan,
        share,
        place=place,
        chips=derived if share.chips is None else share.chips,
        is_derived=share.chips is None,
    )


def _resources(share: config.ResourcesShare, place: Place) -> ResourcesPlan:
    return plan_from(ResourcesPlan, share, place=place, quotas=amounts(share.resources))


def amounts(written: Mapping[str, str]) -> dict[str, quantities.Quantity]:
    """Amounts by resource: processors, memory, devices by name, disk.

    The engine hands mappings over in the order of their keys' letters, so there is no order of the file to keep; all
    flavors of a queue have to list their resources in one.
    """
    devices = sorted(written.keys() - {*_FIRST_RESOURCES, *_LAST_RESOURCES})
    order = (*_FIRST_RESOURCES, *devices, *_LAST_RESOURCES)
    return {name: quantities.parse(written[name]) for name in order if name in written}


def former_queues(outputs: Mapping[str, object]) -> tuple[FormerQueuePlan, ...]:
    """The queues among the outputs of the update before this one; what is not of their shape is none."""
    listed = outputs.get("queues")
    queues = cast("list[object]", listed) if isinstance(listed, list) else []
    return tuple(
        FormerQueuePlan(name=str(queue["name"]), is_drained=queue.get("stop") == _DRAINING)
        for queue in (cast("dict[str, object]", each) for each in queues if isinstance(each, dict))
        if "name" in queue
    )


def namespaces(entries: Iterable[config.Namespace], named: Iterable[str], place: Place) -> tuple[NamespacePlan, ...]:
    """The namespaces of all entries, and those that are named elsewhere and that no cluster has by itself; by name."""
    stated = [
        NamespacePlan(place=place.at(index), name=each.name, has_entry=True, is_deleted=each.delete)
        for index, each in enumerate(entries)
    ]
    others = set(named) - {gke.DEFAULT_NAMESPACE} - {each.name for each in stated}
    return tuple(
        sorted([*stated, *(NamespacePlan(place=place, name=name) for name in others)], key=lambda each: each.name)
    )


def kept_namespaces(outputs: Mapping[str, object]) -> Iterator[str]:
    """The namespaces among the outputs of the update before this one that the stack file did not allow to delete.

    The outputs of an older program name a namespace only where they list an object in it.
    """
    listed = outputs.get("namespaces")
    if listed is None:
        yield from _namespaces_in([outputs.get(section) for section in _IN_NAMESPACES])
    elif isinstance(listed, list):
        for each in cast("list[dict[str, object]]", listed):
            if not each["delete"]:
                yield str(each["name"])


def _namespaces_in(part: object) -> Iterator[str]:
    """Every `namespace` in a part of the outputs, however deep."""
    if isinstance(part, dict):
        inside = cast("dict[str, object]", part)
        if isinstance(inside.get("namespace"), str):
            yield str(inside["namespace"])
        part = list(inside.values())
    if isinstance(part, list):
        for each in cast("list[object]", part):
            yield from _namespaces_in(each)


def priority_plan(priority: config.Priority, place: Place) -> PriorityPlan:
    """The priority."""
    return plan_from(PriorityPlan, priority, place=place)
