"""The plan of what queues work: controllers, queues and their quotas, priorities."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model import gke, plan, versions

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from components.model import config
    from components.model.findings import Place


FRAMEWORKS: Final = ("batch/job", "jobset.x-k8s.io/jobset")
"""What Kueue manages: plain Jobs, which users may submit to any queue, and JobSets."""


def controllers_plan(
    controllers: config.Controllers, firewall: plan.FirewallPlan | None, place: Place
) -> plan.ControllersPlan:
    """The controllers with their ways through the firewall."""
    return plan.ControllersPlan(
        jobset=_release(versions.JOBSET, controllers.jobset.version, place),
        kueue=_release(versions.KUEUE, controllers.kueue.version, place),
        frameworks=FRAMEWORKS,
        firewall=firewall,
    )


def _release(controller: versions.Controller, version: str, place: Place) -> plan.ReleasePlan:
    return plan.ReleasePlan(
        place=place.at(controller.name),
        name=controller.name,
        chart=controller.chart,
        version=version,
        namespace=controller.namespace,
        image=controller.image,
        tag=f"v{version}",
    )


def queue_plan(queue: config.Queue, flavor_of: Mapping[str, plan.FlavorPlan], place: Place) -> plan.QueuePlan:
    """The queue, with quotas that are stated or follow from the pools."""
    return plan.QueuePlan(
        place=place,
        name=queue.name,
        strategy=queue.strategy,
        within_cluster_queue=queue.preemption.within_cluster_queue,
        flavors=tuple(
            _queue_flavor(flavor, flavor_of.get(flavor.name), place.at("flavors", index))
            for index, flavor in enumerate(queue.flavors)
        ),
        local_queues=tuple(
            plan.LocalQueuePlan(
                place=place.at("local_queues", index), name=local.name, namespace=local.namespace, queue=queue.name
            )
            for index, local in enumerate(queue.local_queues)
        ),
    )


def _queue_flavor(share: config.QueueFlavor, flavor: plan.FlavorPlan | None, place: Place) -> plan.QueueFlavorPlan:
    derived = 0 if flavor is None else flavor.chips
    return plan.QueueFlavorPlan(
        place=place,
        name=share.name,
        chips=derived if share.chips is None else share.chips,
        is_derived=share.chips is None,
    )


def namespaces(queues: Sequence[plan.QueuePlan]) -> tuple[str, ...]:
    """The namespaces of users that no cluster has by itself, sorted."""
    wanted = {local.namespace for queue in queues for local in queue.local_queues}
    return tuple(sorted(wanted - {gke.DEFAULT_NAMESPACE}))


def priority_plan(priority: config.Priority, place: Place) -> plan.PriorityPlan:
    """The priority."""
    return plan.PriorityPlan(place=place, name=priority.name, value=priority.value, description=priority.description)
