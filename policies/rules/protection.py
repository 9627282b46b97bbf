"""Rules about what an environment allows: deletion, labels for billing, regions and generations of TPU."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import filestore, gke, kinds, tpu
from components.model.findings import Finding, Severity, listing
from components.model.rule import Family
from policies.objects.judging import Settings, guard_rule
from policies.objects.pods import MAKERS, pod_groups

if TYPE_CHECKING:
    from collections.abc import Iterator

    from components.model.places import Place
    from policies.objects.world import Object

_SETTINGS: Final = "the settings of the environment"
_PREVENT: Final = "PREVENT"
_LABELS: Final = {kinds.CLUSTER: "resourceLabels", kinds.FILESTORE: "labels", kinds.BUCKET: "labels"}


@guard_rule(
    "deletion-is-refused",
    setting="is_protected",
    summary="clusters and shares of a protected environment are protected from deletion",
    why="Deleting a cluster ends every running job, and deleting a share loses its data.",
    source=_SETTINGS,
    family=Family.GUARDRAILS,
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
    "engine-refuses-deletion",
    setting="is_protected",
    summary="the engine refuses to delete clusters and shares of a protected environment",
    why="One wrong edit, confirmed once, would delete them.",
    source=_SETTINGS,
    family=Family.GUARDRAILS,
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
    "reserved-pool-is-kept",
    setting="is_protected",
    summary="pools on a reservation are not deleted by an edit in a protected environment",
    why="You pay for the reservation with or without a pool, and its slice must be recreated.",
    source=_SETTINGS,
    family=Family.GUARDRAILS,
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
    "labels-are-there-for-billing",
    setting="billing_labels",
    summary="billable resources have the labels by which you split the bill",
    why="Nobody can split the bill of the project afterwards.",
    source=_SETTINGS,
    family=Family.GUARDRAILS,
    kinds=tuple(_LABELS),
)
def _labels_are_there_for_billing(each: Object, settings: Settings) -> Iterator[Finding]:
    key = _LABELS[each.kind]
    missing = [label for label in settings.billing_labels if not each.has(key, label)]
    if missing:
        yield Finding(
            place=each.place.at(key),
            says=f"{listing(missing)} {'is' if len(missing) == 1 else 'are'} missing.",
            remedy="Add each with a value.",
            is_about_key=True,
        )


@guard_rule(
    "region-is-allowed",
    setting="regions",
    summary="everything lies in a region that the environment allows",
    why="Data and cost are to stay in these regions.",
    source=_SETTINGS,
    family=Family.GUARDRAILS,
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
    "generation-is-allowed",
    setting="generations",
    summary="TPUs are of a generation that the environment allows",
    why="Generations differ in cost and in what software runs on them.",
    source=_SETTINGS,
    family=Family.GUARDRAILS,
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


PROTECTION_RULES: Final = (
    _deletion_is_refused,
    _engine_refuses_deletion,
    _reserved_pool_is_kept,
    _labels_are_there_for_billing,
    _region_is_allowed,
    _generation_is_allowed,
)
