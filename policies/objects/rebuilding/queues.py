"""Flavors, queues, cohorts, checks and priorities as the chip ledger has them, from objects of either API version."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from components.model.facts import gke, kinds, tpu
from components.model.findings import listing
from components.model.plan.queues import (
    AdmissionCheckPlan,
    CohortPlan,
    ConcurrentAdmissionPlan,
    FlavorPlan,
    LocalQueuePlan,
    NodeFlavorPlan,
    PriorityPlan,
    QueueFlavorPlan,
    QueuePlan,
    ResourcesPlan,
)
from policies.objects.shapes import shapes_named
from policies.objects.values import MalformedError, Part

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from components.model.facts.quantities import Quantity
    from components.model.places import Key, Place
    from components.model.plan.nodes import SlicePoolPlan
    from policies.objects.world import Object, World

_ALL: Final = ("",)
"""Stands for every flavor."""
_STRATEGY: Final = ("spec", "admissionChecksStrategy", "admissionChecks")
_Path = tuple["Key", ...]
_Checks = dict[str, tuple[tuple[str, _Path], ...]]
"""Admission checks by flavor, each with where it is named; under the empty name those of all flavors."""
_PHRASES: Final = {
    "{name: nodes} makes one": f"one of controllerName {gke.PROVISIONING_CONTROLLER} asks for nodes",
}
_FLAVOR_NAMES: Final[Mapping[str, tuple[Key, ...]]] = {
    "name": ("metadata", "name"),
    "machine_type": ("spec", "nodeLabels", gke.LABEL_TPU_ACCELERATOR),
    "topology": ("spec", "nodeLabels", gke.LABEL_TPU_TOPOLOGY),
    "labels": ("spec", "nodeLabels"),
    "capacity": ("spec", "nodeLabels"),
}
_FLAVOR_PHRASES: Final = {
    "under tpu_slices": "in node pools",
    "queued away from the slices": "queuedProvisioning away from the node pools",
}
_TELLS_SHAPE: Final = {gke.LABEL_TPU_ACCELERATOR, gke.LABEL_TPU_TOPOLOGY}
_QUEUE_NAMES: Final[Mapping[str, tuple[Key, ...]]] = {
    "preemption": ("spec", "preemption"),
    "within_cluster_queue": ("withinClusterQueue",),
    "reclaim_within_cohort": ("reclaimWithinCohort",),
    "borrow_within_cohort": ("borrowWithinCohort", "policy"),
    "fair_share_weight": ("spec", "fairSharing", "weight"),
}
_STOPS: Final[Mapping[str, Literal["hold", "drain"]]] = {"Hold": "hold", "HoldAndDrain": "drain"}
_CHECK_PHRASES: Final = {"admission_checks of a flavor of a queue": "admissionChecksStrategy of a ClusterQueue"}


class Quota(Struct, frozen=True):
    """The quota of a queue."""

    flavors: tuple[QueueFlavorPlan, ...]
    """Its chips."""
    resources: tuple[ResourcesPlan, ...]


def quota_of(each: Object) -> Quota:
    """Each flavor's quota of chips, and the rest."""
    flavors: list[QueueFlavorPlan] = []
    resources: list[ResourcesPlan] = []
    checks = _checks(each)
    for group in each.parts("spec", "resourceGroups"):
        for entry in group.parts("flavors"):
            name = entry.string("name")
            asked = (*checks.get(name, ()), *checks.get("", ()))
            names = _names(each, entry, asked)
            amounts = dict(_amounts(entry))
            chips = amounts.pop(gke.RESOURCE_TPU, None)
            if chips is not None:
                flavors.append(_chips(each, name, chips, asked, names))
            if amounts:
                resources.append(
                    ResourcesPlan(
                        place=each.place.with_key_names(**names),
                        name=name,
                        quotas={key: amount for key, (_, amount) in amounts.items()},
                        admission_checks=tuple(check for check, _ in asked),
                    )
                )
    return Quota(flavors=tuple(flavors), resources=tuple(resources))


def _amounts(entry: Part) -> list[tuple[str, tuple[Part, Quantity]]]:
    """The quota of each resource, with where it is stated."""
    stated = ((resource, resource.quantity("nominalQuota")) for resource in entry.parts("resources"))
    return [(resource.string("name"), (resource, amount)) for resource, amount in stated if amount is not None]


def _names(each: Object, entry: Part, checks: tuple[tuple[str, _Path], ...]) -> dict[str, _Path]:
    """The names in the object of the keys of a quota in the stack file."""
    above = entry.place.keys[len(each.place.keys) :]
    return {
        "name": (*above, "name"),
        "resources": (*above, "resources"),
        "admission_checks": _STRATEGY,
        **{f"admission_checks[{index}]": at for index, (_, at) in enumerate(checks)},
    }


def _chips(
    each: Object,
    name: str,
    stated: tuple[Part, Quantity],
    checks: tuple[tuple[str, _Path], ...],
    names: dict[str, _Path],
) -> QueueFlavorPlan:
    resource, amount = stated
    above = resource.place.keys[len(each.place.keys) :]
    limits: dict[str, _Path] = {
        "chips": (*above, "nominalQuota"),
        "borrow": (*above, "borrowingLimit"),
        "lend": (*above, "lendingLimit"),
    }
    return QueueFlavorPlan(
        place=each.place.with_key_names(**names, **limits).with_phrases(_PHRASES),
        name=name,
        chips=amount.milli // 1000,
        is_derived=False,
        borrow=_whole(resource, "borrowingLimit"),
        lend=_whole(resource, "lendingLimit"),
        admission_checks=tuple(check for check, _ in checks),
    )


def _whole(resource: Part, key: str) -> int | None:
    amount = resource.quantity(key)
    return None if amount is None else amount.milli // 1000


def _checks(each: Object) -> _Checks:
    found: _Checks = {}
    for index, name in enumerate(each.texts("spec", "admissionChecks")):
        found[""] = (*found.get("", ()), (name, ("spec", "admissionChecks", index)))
    for index, check in enumerate(each.parts(*_STRATEGY)):
        name = check.string("name")
        for flavor_name in check.texts("onFlavors") or _ALL:
            found[flavor_name] = (*found.get(flavor_name, ()), (name, (*_STRATEGY, index, "name")))
    return found


def concurrent_admission(each: Object) -> ConcurrentAdmissionPlan | None:
    """The policy; None where the queue tries one flavor after the other."""
    path = ("spec", "concurrentAdmissionPolicy")
    if not each.has(*path):
        return None
    last = ("migration", "constraints", "lastAcceptableFlavorName")
    return ConcurrentAdmissionPlan(
        place=each.place.at(*path).with_key_names(mode=("migration", "mode"), last_acceptable_flavor=last),
        mode=each.string(*path, "migration", "mode", default="TryPreferredFlavors"),
        last_acceptable_flavor=each.text(*path, *last),
    )


@lru_cache(maxsize=1)
def chip_flavors(world: World) -> frozenset[str]:
    """Names of the flavors that give some queue chips, or whose labels select TPU nodes; each flavor asks for them."""
    selecting = {each.name for each in world.known(kinds.RESOURCE_FLAVOR) if _selects_tpus(each)}
    return frozenset(selecting | {name for each in world.known(kinds.CLUSTER_QUEUE) for name in _with_chips(each)})


def _selects_tpus(flavor: Object) -> bool:
    try:
        return flavor.has("spec", "nodeLabels", gke.LABEL_TPU_ACCELERATOR)
    except MalformedError:
        return False  # the rule that reads its labels says so


def _with_chips(queue: Object) -> Iterator[str]:
    groups = queue.value.get("spec")
    groups = groups.get("resourceGroups") if isinstance(groups, dict) else None
    for group in groups if isinstance(groups, list) else ():
        covered = group.get("coveredResources") if isinstance(group, dict) else None
        flavors = group.get("flavors") if isinstance(group, dict) else None
        if isinstance(covered, list) and gke.RESOURCE_TPU in covered and isinstance(flavors, list):
            yield from (str(each.get("name")) for each in flavors if isinstance(each, dict))


def flavor(each: Object, pools: Sequence[SlicePoolPlan]) -> FlavorPlan:
    """The flavor of slices, with the pools whose nodes carry its labels; without labels, with all of them.

    Where its labels tell no shape and those pools differ, it has no machine type.
    """
    labels = each.labels("spec", "nodeLabels")
    if not is_in_catalogue(labels):
        labels = {}  # as planning leaves them without such slices; another rule says so
        serving: list[SlicePoolPlan] = []
    else:
        serving = [pool for pool in pools if pool.labels and labels.items() <= pool.labels.items()]
    shapes = _shapes(labels, serving)
    kinds_of_slices = {(pool.machine_type, pool.topology, pool.capacity) for pool in serving}
    is_loose = not labels.keys() >= _TELLS_SHAPE and len(kinds_of_slices) > 1
    queued = [pool for pool in serving if pool.is_queued and pool.capacity == "flex-start"]
    return FlavorPlan(
        place=each.place.with_key_names(**_FLAVOR_NAMES).with_phrases(_FLAVOR_PHRASES),
        name=each.name,
        machine_type=shapes[0].machine.name if shapes and not is_loose else "",
        topology=listing(list(dict.fromkeys(shape.topology for shape in shapes)), "or") if shapes else "",
        capacity=_capacity(labels, {pool.capacity for pool in serving}),
        reservation=labels.get(gke.LABEL_RESERVATION_NAME),
        labels=labels,
        hosts=shapes[0].hosts if len({shape.hosts for shape in shapes}) == 1 and not is_loose else 0,
        chips_per_slice=math.gcd(*(shape.chips for shape in shapes)),
        pools=tuple(pool.name for pool in serving),
        chips=sum(pool.chips for pool in serving),
        is_queued=bool(queued),
        run_seconds=None,
    )


def tells_shape(flavor: Object) -> bool:
    """Whether the labels of a flavor say themselves what slices of it are."""
    return flavor.labels("spec", "nodeLabels").keys() >= _TELLS_SHAPE


def is_in_catalogue(labels: Mapping[str, str]) -> bool:
    """Whether there are slices of what the labels of a flavor say of accelerator and topology."""
    accelerator, topology = labels.get(gke.LABEL_TPU_ACCELERATOR), labels.get(gke.LABEL_TPU_TOPOLOGY)
    if accelerator is None:
        return True
    if topology is None:
        return any(generation.accelerator == accelerator for generation in tpu.GENERATIONS)
    return bool(shapes_named(accelerator, topology))


def _shapes(labels: Mapping[str, str], serving: Sequence[SlicePoolPlan]) -> tuple[tpu.Shape, ...]:
    """The possible slices of a flavor: those of its pools, else those of the catalogue that its labels name."""
    if serving:
        return tuple(tpu.shape(pool.machine_type, pool.topology) for pool in serving)
    accelerator, topology = labels.get(gke.LABEL_TPU_ACCELERATOR), labels.get(gke.LABEL_TPU_TOPOLOGY)
    return () if topology is None else shapes_named(accelerator, topology)


def _capacity(labels: Mapping[str, str], serving: Collection[str]) -> str:
    """The capacity by the labels; else that of its pools, where they agree."""
    if labels.get(gke.LABEL_FLEX_START) == "true" or labels.get(gke.LABEL_PROVISIONING) == "flex-start":
        return "flex-start"
    if labels.get(gke.LABEL_SPOT) == "true" or labels.get(gke.LABEL_PROVISIONING) == "spot":
        return "spot"
    if gke.LABEL_RESERVATION_NAME in labels:
        return "reservation"
    return next(iter(serving)) if len(serving) == 1 else "on-demand"


def node_flavor(each: Object) -> NodeFlavorPlan:
    """The flavor of other nodes."""
    place = each.place.with_key_names(**_FLAVOR_NAMES)
    return NodeFlavorPlan(place=place, name=each.name, labels=each.labels("spec", "nodeLabels"))


def queue(each: Object, local_queues: Sequence[Object]) -> QueuePlan:
    """The ClusterQueue with the LocalQueues that lead to it."""
    quota = quota_of(each)
    key = "cohortName" if each.has("spec", "cohortName") else "cohort"
    return QueuePlan(
        place=each.place.with_key_names(**_QUEUE_NAMES, cohort=("spec", key)),
        name=each.name,
        cohort=each.text("spec", key),
        fair_share_weight=_weight(each),
        strategy=each.string("spec", "queueingStrategy", default="BestEffortFIFO"),
        within_cluster_queue=each.string("spec", "preemption", "withinClusterQueue", default="Never"),
        reclaim_within_cohort=each.string("spec", "preemption", "reclaimWithinCohort", default="Never"),
        borrow_within_cohort=each.string("spec", "preemption", "borrowWithinCohort", "policy", default="Never"),
        when_can_borrow=each.text("spec", "flavorFungibility", "whenCanBorrow"),
        when_can_preempt=each.text("spec", "flavorFungibility", "whenCanPreempt"),
        stop=_STOPS.get(each.string("spec", "stopPolicy")),
        flavors=quota.flavors,
        resources=quota.resources,
        local_queues=tuple(_local_queue(local) for local in local_queues),
        concurrent_admission=concurrent_admission(each),
    )


def nowhere(name: str, local_queues: Sequence[Object]) -> QueuePlan:
    """A ClusterQueue without quota for LocalQueues that lead to none: their work is in a queue, if only in theirs."""
    return replace(_plain(local_queues[0].place, name, None), local_queues=tuple(map(_local_queue, local_queues)))


def cohort_quota_as_queue(each: Object, asked: Mapping[str, tuple[str, ...]]) -> QueuePlan | None:
    """A cohort's own quota as a queue that nobody submits to and that lends all of it; None where it has none.

    `asked` are the admission checks of the queues by flavor: they request nodes in its stead.
    """
    quota = quota_of(each)
    if not quota.flavors and not quota.resources:
        return None
    return replace(
        _plain(each.place, each.name, each.name),
        flavors=tuple(
            replace(entry, borrow=None, lend=None, admission_checks=asked.get(entry.name, ()))
            for entry in quota.flavors
        ),
        resources=quota.resources,
    )


def _plain(place: Place, name: str, cohort: str | None) -> QueuePlan:
    """A queue as Kueue has it where nothing more is stated."""
    return QueuePlan(
        place=place,
        name=name,
        cohort=cohort,
        fair_share_weight=None,
        strategy="BestEffortFIFO",
        within_cluster_queue="Never",
        reclaim_within_cohort="Never",
        borrow_within_cohort="Never",
        when_can_borrow=None,
        when_can_preempt=None,
        stop=None,
        flavors=(),
        resources=(),
        local_queues=(),
    )


def _local_queue(each: Object) -> LocalQueuePlan:
    return LocalQueuePlan(
        place=each.place.with_key_names(name=("metadata", "name"), namespace=("metadata", "namespace")),
        name=each.name,
        namespace=each.namespace,
        queue=each.string("spec", "clusterQueue"),
    )


def cohort(each: Object) -> CohortPlan:
    """The cohort."""
    key = "parentName" if each.has("spec", "parentName") else "parent"
    return CohortPlan(
        place=each.place.with_key_names(
            parent=("spec", key), name=("metadata", "name"), fair_share_weight=("spec", "fairSharing", "weight")
        ),
        name=each.name,
        parent=each.text("spec", key),
        fair_share_weight=_weight(each),
    )


def _weight(each: Object) -> str | None:
    amount = each.quantity("spec", "fairSharing", "weight")
    return None if amount is None else str(amount)


def admission_check(each: Object, world: World) -> AdmissionCheckPlan:
    """The check with the class that its ProvisioningRequestConfig names; empty for checks of other controllers."""
    config = None
    if each.text("spec", "controllerName") == gke.PROVISIONING_CONTROLLER:
        config = world.named(kinds.PROVISIONING_CONFIG, each.string("spec", "parameters", "name"))
    return AdmissionCheckPlan(
        place=each.place.with_key_names(name=("metadata", "name")).with_phrases(_CHECK_PHRASES),
        name=each.name,
        class_name="" if config is None else config.string("spec", "provisioningClassName"),
        managed_resources=() if config is None else config.texts("spec", "managedResources"),
        parameters={} if config is None else config.labels("spec", "parameters"),
        retries=None,
    )


def priority(each: Object) -> PriorityPlan:
    """The WorkloadPriorityClass."""
    return PriorityPlan(
        place=each.place.with_key_names(name=("metadata", "name")),
        name=each.name,
        value=each.count("value"),
        description=each.text("description"),
    )
