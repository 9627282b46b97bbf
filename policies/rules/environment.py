"""Rules that the settings of an environment decide: protection, billing labels, regions, generations, chip budgets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import filestore, gke, kinds, tpu
from components.model.findings import Finding, Severity, about_key, listing
from components.model.rule import Family
from policies.objects.judging import Settings, environment_rule, guard_rule
from policies.objects.pods import MAKERS, pod_groups
from policies.objects.rebuilding.pools import is_tpu_pool, slice_pool

if TYPE_CHECKING:
    from collections.abc import Iterator

    from components.model.places import Place
    from policies.objects.world import Object, World

FAMILY: Final = Family.GUARDRAILS

_SETTINGS: Final = "the settings of the environment"
_PREVENT: Final = "PREVENT"
_BILLING_LABELS: Final = {kinds.CLUSTER: "resourceLabels", kinds.FILESTORE: "labels", kinds.BUCKET: "labels"}
_BUDGETS: Final = "budgets in the environment's policy settings"


@guard_rule(
    setting="is_protected",
    summary="clusters and shares of a protected environment are protected from deletion",
    why="Deleting a cluster ends every running job, and deleting a share loses its data.",
    source=_SETTINGS,
    kinds=(kinds.CLUSTER, kinds.FILESTORE),
)
def _deletion_is_refused(each: Object, settings: Settings) -> Iterator[Finding]:
    if not settings.is_protected or each.text("deletionPolicy") == _PREVENT:
        return
    if each.kind is kinds.CLUSTER:
        key, is_open = "deletionProtection", each.flag("deletionProtection") is False
    else:
        key, is_open = (
            "deletionProtectionEnabled",
            _can_be_protected(each) and not each.flag("deletionProtectionEnabled"),
        )
    if is_open:
        yield Finding(
            place=each.place.at(key),
            says="it may be deleted, and this environment is protected.",
            remedy="Set true.",
        )


def _can_be_protected(share: Object) -> bool:
    tier = filestore.named(share.string("tier"))
    return tier is not None and tier.has_deletion_protection


@guard_rule(
    setting="is_protected",
    summary="the engine refuses to delete clusters and shares of a protected environment",
    why="One wrong edit, confirmed once, would delete them.",
    source=_SETTINGS,
    kinds=(kinds.CLUSTER, kinds.FILESTORE),
)
def _engine_refuses_deletion(each: Object, settings: Settings) -> Iterator[Finding]:
    if settings.is_protected and not each.is_protected:
        yield Finding(
            place=each.place,
            says="the engine would delete it, and this environment is protected.",
            remedy="Declare it with the resource option protect.",
        )


@guard_rule(
    setting="is_protected",
    summary="pools on a reservation are not deleted by an edit in a protected environment",
    why="You pay for the reservation with or without a pool, and its slice must be recreated.",
    source=_SETTINGS,
    kinds=(kinds.NODE_POOL,),
    severity=Severity.WARNING,
)
def _reserved_pool_is_kept(pool: Object, settings: Settings) -> Iterator[Finding]:
    kind = pool.text("nodeConfig", "reservationAffinity", "consumeReservationType")
    is_kept = pool.is_protected or pool.text("deletionPolicy") == _PREVENT
    if settings.is_protected and kind == "SPECIFIC_RESERVATION" and not is_kept:
        yield Finding(
            place=pool.place.at("deletionPolicy"),
            says="the pool uses a reservation and may be deleted.",
            remedy=f"Set {_PREVENT}, or declare it with the resource option protect.",
        )


@guard_rule(
    setting="billing_labels",
    summary="billable resources have the labels by which you split the bill",
    why="Nobody can split the bill of the project afterwards.",
    source=_SETTINGS,
    kinds=tuple(_BILLING_LABELS),
)
def _labels_are_there_for_billing(each: Object, settings: Settings) -> Iterator[Finding]:
    key = _BILLING_LABELS[each.kind]
    missing = [label for label in settings.billing_labels if not each.has(key, label)]
    if missing:
        yield about_key(
            place=each.place.at(key),
            says=f"{listing(missing)} {'is' if len(missing) == 1 else 'are'} missing.",
            remedy="Add each with a value.",
        )


@guard_rule(
    setting="regions",
    summary="everything lies in a region that the environment allows",
    why="Data and cost are to stay in these regions.",
    source=_SETTINGS,
    kinds=(kinds.CLUSTER, kinds.NODE_POOL, kinds.FILESTORE, kinds.RESOURCE_POLICY),
)
def _region_is_allowed(each: Object, settings: Settings) -> Iterator[Finding]:
    for place, location in _locations(each) if settings.regions else ():
        if gke.region_of(location) not in settings.regions:
            yield Finding(
                place=place,
                says=f"{location} is not in {listing(settings.regions, 'or')}.",
                remedy=f"Move it to {listing(settings.regions, 'or')}.",
            )


def _locations(each: Object) -> Iterator[tuple[Place, str]]:
    for key in ("location", "zone", "region"):
        stated = each.text(key)
        if stated is not None:
            yield each.place.at(key), stated
    for index, zone in enumerate(each.texts("nodeLocations")):
        yield each.place.at("nodeLocations", index), zone


@guard_rule(
    setting="generations",
    summary="TPUs are of a generation that the environment allows",
    why="Generations differ in cost and in what software runs on them.",
    source=_SETTINGS,
    kinds=(kinds.NODE_POOL, kinds.CLUSTER, kinds.RESOURCE_FLAVOR, *MAKERS),
)
def _generation_is_allowed(each: Object, settings: Settings) -> Iterator[Finding]:
    for place, shown, generation in _generations(each) if settings.generations else ():
        if generation not in settings.generations:
            yield Finding(
                place=place,
                says=f"{shown} is of the generation {generation}.",
                remedy=f"Allowed: {listing(settings.generations, 'or')}.",
            )


def _generations(each: Object) -> Iterator[tuple[Place, str, str]]:
    """Where a TPU is requested, its name there, and its generation."""
    if each.kind is kinds.NODE_POOL:
        path = ("nodeConfig", "machineType")
        machine_type = each.string(*path)
        if tpu.is_tpu_machine(machine_type):
            yield each.place.at(*path), machine_type, tpu.generation_of(machine_type).id
        return
    for place, accelerator in _accelerators(each):
        generation = next((one for one in tpu.GENERATIONS if one.accelerator == accelerator), None)
        if accelerator is not None and generation is not None:
            yield place, accelerator, generation.id


def _accelerators(each: Object) -> Iterator[tuple[Place, str | None]]:
    """Accelerators by the value of their node label, which node auto-provisioning has as names of resources."""
    if each.kind is kinds.CLUSTER:
        for limit in each.parts("clusterAutoscaling", "resourceLimits"):
            yield limit.place.at("resourceType"), limit.string("resourceType")
    elif each.kind is kinds.RESOURCE_FLAVOR:
        path = ("spec", "nodeLabels", gke.LABEL_TPU_ACCELERATOR)
        yield each.place.at(*path), each.string(*path)
    else:
        for group in pod_groups(each):
            key = gke.LABEL_TPU_ACCELERATOR
            yield group.selected_at(key), group.selector.get(key)


@guard_rule(
    setting="chips_of_queue",
    summary="the chips of a queue, over all of its flavors, stay within its budget",
    why="The queue would promise its teams more chips than its budget allows.",
    source=_BUDGETS,
    family=Family.QUOTA,
    kinds=(kinds.CLUSTER_QUEUE,),
)
def _queue_keeps_its_budget(queue: Object, settings: Settings) -> Iterator[Finding]:
    budget = settings.chips_of_queue.get(queue.name)
    if budget is None:
        return
    before = 0
    for group in queue.parts("spec", "resourceGroups"):
        for flavor in group.parts("flavors"):
            for resource in flavor.parts("resources"):
                amount = resource.quantity("nominalQuota") if resource.text("name") == gke.RESOURCE_TPU else None
                chips = 0 if amount is None else amount.milli // 1000
                if chips and before + chips > budget:
                    others = f" beside {before} of other flavors" if before else ""
                    yield Finding(
                        place=resource.place.at("nominalQuota"),
                        says=f"{chips} chips{others}, but the budget of {queue.name} is {budget}.",
                        remedy=f"Set {max(budget - before, 0)} or less, or raise the budget.",
                    )
                before += chips


@environment_rule(
    setting="chips",
    summary="the chips of all pools, each at its largest, stay within the budget of the environment",
    why="The environment would cost more than its budget allows.",
    source=_BUDGETS,
    family=Family.QUOTA,
    kinds=(kinds.NODE_POOL,),
)
def _pools_keep_their_budget(pool: Object, world: World, settings: Settings) -> Iterator[Finding]:
    """All pools at once, at the first of them, each at its largest: found at the pool that exceeds the budget."""
    every = world.of(kinds.NODE_POOL)
    if settings.chips is None or pool is not every[0]:
        return
    cluster = next(iter(world.of(kinds.CLUSTER)), None)
    before = 0
    for each in every:
        chips = slice_pool(each, cluster).chips if is_tpu_pool(each) else 0
        if chips and before + chips > settings.chips:
            others = f" beside {before} of the pools before it" if before else ""
            yield Finding(
                place=each.place,
                says=f"{each.name} has {chips} chips{others}, but the budget of all pools is {settings.chips}.",
                remedy="Declare fewer or smaller slices, or raise the budget.",
            )
        before += chips
