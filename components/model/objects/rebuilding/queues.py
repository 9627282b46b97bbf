"""Flavors, queues, cohorts, checks and priorities as the chip ledger has them, from objects of either API version."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from components.model import gke, plan, tpu
from components.model.objects import kinds
from components.model.objects.values import MalformedError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from components.model.findings import Key
    from components.model.objects.values import Part
    from components.model.objects.world import Object, World
    from components.model.quantities import Quantity

_FLAVOR_NAMES: Final[Mapping[str, tuple[Key, ...]]] = {
    "name": ("metadata", "name"),
    "machine_type": ("spec", "nodeLabels", gke.LABEL_TPU_ACCELERATOR),
    "topology": ("spec", "nodeLabels", gke.LABEL_TPU_TOPOLOGY),
    "labels": ("spec", "nodeLabels"),
    "capacity": ("spec", "nodeLabels"),
}
_SHARE_NAMES: Final[Mapping[str, tuple[Key, ...]]] = {
    "chips": ("nominalQuota",),
    "borrow": ("borrowingLimit",),
    "lend": ("lendingLimit",),
}
_QUEUE_NAMES: Final[Mapping[str, tuple[Key, ...]]] = {
    "preemption": ("spec", "preemption"),
    "within_cluster_queue": ("withinClusterQueue",),
    "reclaim_within_cohort": ("reclaimWithinCohort",),
    "borrow_within_cohort": ("borrowWithinCohort", "policy"),
    "fair_share_weight": ("spec", "fairSharing", "weight"),
}
_ALL: Final = ("",)
"""Stands for every flavor."""
_STOPPED: Final = ("Hold", "HoldAndDrain")


def chip_flavors(world: World) -> frozenset[str]:
    """Names of the flavors of which some queue has chips, or whose labels select TPU nodes."""
    selecting = {each.name for each in world.of(kinds.RESOURCE_FLAVOR) if _selects_chips(each)}
    return frozenset(selecting | {name for each in world.of(kinds.CLUSTER_QUEUE) for name in _with_chips(each)})


def _selects_chips(flavor: Object) -> bool:
    """Whether its labels select TPU nodes; labels of a wrong type are told when the flavor is read."""
    try:
        return flavor.has("spec", "nodeLabels", gke.LABEL_TPU_ACCELERATOR)
    except MalformedError:
        return False


def _with_chips(queue: Object) -> Iterator[str]:
    groups = queue.value.get("spec")
    groups = groups.get("resourceGroups") if isinstance(groups, dict) else None
    for group in groups if isinstance(groups, list) else ():
        covered = group.get("coveredResources") if isinstance(group, dict) else None
        flavors = group.get("flavors") if isinstance(group, dict) else None
        if isinstance(covered, list) and gke.RESOURCE_TPU in covered and isinstance(flavors, list):
            yield from (str(each.get("name")) for each in flavors if isinstance(each, dict))


def flavor(each: Object, pools: Sequence[plan.SlicePoolPlan]) -> plan.FlavorPlan:
    """The flavor of slices, with the pools whose nodes carry its labels; without labels, with all of them.

    Raises:
        UndecidedError, MalformedError: its labels cannot be read.
    """
    labels = each.labels("spec", "nodeLabels")
    serving = [pool for pool in pools if pool.labels and labels.items() <= pool.labels.items()]
    shapes = _shapes(labels, serving)
    queued = [pool for pool in serving if pool.is_queued and pool.capacity == "flex-start"]
    return plan.FlavorPlan(
        place=each.place.called(**_FLAVOR_NAMES),
        name=each.name,
        machine_type=shapes[0].machine.name if shapes else "",
        topology=labels.get(gke.LABEL_TPU_TOPOLOGY, shapes[0].topology if shapes else ""),
        capacity=_capacity(labels),
        reservation=labels.get(gke.LABEL_RESERVATION_NAME),
        labels=labels,
        hosts=shapes[0].hosts if len({shape.hosts for shape in shapes}) == 1 else 0,
        chips_per_slice=math.gcd(*(shape.chips for shape in shapes)),
        pools=tuple(pool.name for pool in serving),
        chips=sum(pool.chips for pool in serving),
        is_queued=bool(queued),
        run_seconds=None,
    )


def _shapes(labels: Mapping[str, str], serving: Sequence[plan.SlicePoolPlan]) -> list[tpu.Shape]:
    """What slices of it can be: those of its pools, else those of the catalogue that its labels name."""
    if serving:
        return [tpu.shape(pool.machine_type, pool.topology) for pool in serving]
    accelerator, topology = labels.get(gke.LABEL_TPU_ACCELERATOR), labels.get(gke.LABEL_TPU_TOPOLOGY)
    return [] if topology is None else shapes_named(accelerator, topology)


def shapes_named(accelerator: str | None, topology: str) -> list[tpu.Shape]:
    """The shapes that nodes with these labels can be; several where machine types of one generation share both."""
    found: list[tpu.Shape] = []
    for generation in tpu.GENERATIONS:
        for machine in generation.machines if generation.accelerator == accelerator else ():
            try:
                found.append(tpu.shape(machine.name, topology))
            except tpu.ImpossibleTopologyError:
                continue
    return found


def _capacity(labels: Mapping[str, str]) -> str:
    if labels.get(gke.LABEL_FLEX_START) == "true" or labels.get(gke.LABEL_PROVISIONING) == "flex-start":
        return "flex-start"
    if labels.get(gke.LABEL_SPOT) == "true" or labels.get(gke.LABEL_PROVISIONING) == "spot":
        return "spot"
    return "reservation" if gke.LABEL_RESERVATION_NAME in labels else "on-demand"


def node_flavor(each: Object) -> plan.NodeFlavorPlan:
    """The flavor of other nodes.

    Raises:
        UndecidedError, MalformedError: its labels cannot be read.
    """
    place = each.place.called(**_FLAVOR_NAMES)
    return plan.NodeFlavorPlan(place=place, name=each.name, labels=each.labels("spec", "nodeLabels"))


def queue(each: Object, local_queues: Sequence[Object]) -> plan.QueuePlan:
    """The ClusterQueue with the LocalQueues that lead to it.

    Raises:
        UndecidedError, MalformedError: a field that it takes cannot be read.
    """
    flavors: list[plan.QueueFlavorPlan] = []
    resources: list[plan.ResourcesPlan] = []
    checks = _checks(each)
    for group in each.parts("spec", "resourceGroups"):
        for share in group.parts("flavors"):
            _add_share(share, checks, flavors, resources)
    key = "cohortName" if each.has("spec", "cohortName") else "cohort"
    return plan.QueuePlan(
        place=each.place.called(**_QUEUE_NAMES, cohort=("spec", key)),
        name=each.name,
        cohort=each.text("spec", key),
        fair_share_weight=None if each.raw("spec", "fairSharing", "weight") is None else "1",
        strategy=each.string("spec", "queueingStrategy", default="BestEffortFIFO"),
        within_cluster_queue=each.string("spec", "preemption", "withinClusterQueue", default="Never"),
        reclaim_within_cohort=each.string("spec", "preemption", "reclaimWithinCohort", default="Never"),
        borrow_within_cohort=each.string("spec", "preemption", "borrowWithinCohort", "policy", default="Never"),
        when_can_borrow=each.text("spec", "flavorFungibility", "whenCanBorrow"),
        when_can_preempt=each.text("spec", "flavorFungibility", "whenCanPreempt"),
        stop="hold" if each.text("spec", "stopPolicy") in _STOPPED else None,
        flavors=tuple(flavors),
        resources=tuple(resources),
        local_queues=tuple(_local_queue(local) for local in local_queues),
    )


def _add_share(
    share: Part,
    checks: Mapping[str, tuple[str, ...]],
    flavors: list[plan.QueueFlavorPlan],
    resources: list[plan.ResourcesPlan],
) -> None:
    """One flavor's quotas: its chips, and the rest."""
    name = share.string("name")
    others: dict[str, Quantity] = {}
    names: dict[str, tuple[Key, ...]] = {"resources": ("resources",), "admission_checks": ("name",)}
    for resource in share.parts("resources"):
        amount = resource.quantity("nominalQuota")
        key = resource.string("name")
        if amount is None:
            continue
        if key == gke.RESOURCE_TPU:
            flavors.append(
                plan.QueueFlavorPlan(
                    place=resource.place.called(**_SHARE_NAMES, name=("name",)),
                    name=name,
                    chips=amount.milli // 1000,
                    is_derived=False,
                    borrow=_chips(resource, "borrowingLimit"),
                    lend=_chips(resource, "lendingLimit"),
                    admission_checks=checks.get(name, ()) + checks.get("", ()),
                )
            )
        else:
            others[key] = amount
    if others:
        resources.append(
            plan.ResourcesPlan(
                place=share.place.called(**names, name=("name",)), name=name, quotas=others, admission_checks=()
            )
        )


def _chips(resource: Part, key: str) -> int | None:
    amount = resource.quantity(key)
    return None if amount is None else amount.milli // 1000


def _checks(each: Object) -> dict[str, tuple[str, ...]]:
    """Admission checks by flavor; under the empty name those of all flavors."""
    found: dict[str, tuple[str, ...]] = {}
    flat = each.texts("spec", "admissionChecks")
    if flat:
        found[""] = flat
    for check in each.parts("spec", "admissionChecksStrategy", "admissionChecks"):
        name = check.string("name")
        for flavor_name in _flavors_of(check):
            found[flavor_name] = (*found.get(flavor_name, ()), name)
    return found


def _flavors_of(check: Part) -> tuple[str, ...]:
    stated = check.texts("onFlavors")
    if not stated:
        return _ALL
    return stated


def _local_queue(each: Object) -> plan.LocalQueuePlan:
    return plan.LocalQueuePlan(
        place=each.place.called(name=("metadata", "name"), namespace=("metadata", "namespace")),
        name=each.name,
        namespace=each.namespace,
        queue=each.string("spec", "clusterQueue"),
    )


def cohort(each: Object) -> plan.CohortPlan:
    """The cohort.

    Raises:
        UndecidedError, MalformedError: a field that it takes cannot be read.
    """
    key = "parentName" if each.has("spec", "parentName") else "parent"
    return plan.CohortPlan(
        place=each.place.called(parent=("spec", key), name=("metadata", "name")),
        name=each.name,
        parent=each.text("spec", key),
        fair_share_weight=None,
    )


def admission_check(each: Object, world: World) -> plan.AdmissionCheckPlan:
    """The check with the class that its ProvisioningRequestConfig names; empty for checks of other controllers.

    Raises:
        UndecidedError, MalformedError: a field that it takes cannot be read.
    """
    config = None
    if each.text("spec", "controllerName") == gke.PROVISIONING_CONTROLLER:
        config = world.named(kinds.PROVISIONING_CONFIG, each.string("spec", "parameters", "name"))
    return plan.AdmissionCheckPlan(
        place=each.place.called(name=("metadata", "name")),
        name=each.name,
        class_name="" if config is None else config.string("spec", "provisioningClassName"),
        managed_resources=() if config is None else config.texts("spec", "managedResources"),
        parameters={} if config is None else config.labels("spec", "parameters"),
        retries=None,
    )


def priority(each: Object) -> plan.PriorityPlan:
    """The WorkloadPriorityClass.

    Raises:
        UndecidedError, MalformedError: a field that it takes cannot be read.
    """
    return plan.PriorityPlan(
        place=each.place.called(name=("metadata", "name")),
        name=each.name,
        value=each.count("value"),
        description=each.text("description"),
    )
