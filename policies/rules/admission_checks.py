"""Rules about admission checks: who answers them, how they request nodes, and for which flavors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import gke, kinds
from components.model.findings import Finding, Severity, did_you_mean, listing
from components.model.rule import Family
from policies.objects.judging import object_rule, world_rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from policies.objects.world import Object, World

_CHECK: Final = 'Kueue documentation "Admission Check", read 2026-11'
_PROVISIONING: Final = 'Kueue documentation "Provisioning Admission Check Controller", read 2026-11'
_CONTROLLERS: Final = (gke.PROVISIONING_CONTROLLER, "kueue.x-k8s.io/multikueue")
_KUEUE_GROUP: Final = "kueue.x-k8s.io"
_CLASSES: Final = (
    gke.QUEUED_PROVISIONING_CLASS,
    "check-capacity.autoscaling.x-k8s.io",
    "best-effort-atomic-scale-up.autoscaling.x-k8s.io",
)
"""Of ProvisioningRequests: GKE's, and those of the cluster autoscaler everywhere."""


@object_rule(
    "check-controller-exists",
    summary="an admission check names a controller that Kueue has",
    why="No controller answers the check: Kueue keeps every queue that uses it inactive.",
    source=_CHECK,
    family=Family.QUOTA,
    kinds=(kinds.ADMISSION_CHECK,),
)
def _check_controller_exists(check: Object) -> Iterator[Finding]:
    name = check.text("spec", "controllerName")
    if name is not None and name.startswith(f"{_KUEUE_GROUP}/") and name not in _CONTROLLERS:
        yield Finding(
            place=check.place.at("spec", "controllerName"),
            says=f"Kueue has no controller {name}.",
            remedy=f"{did_you_mean(name, _CONTROLLERS)}Kueue's are {listing(_CONTROLLERS)}.",
        )


@object_rule(
    "check-has-parameters",
    summary="an admission check that provisions nodes names a ProvisioningRequestConfig",
    why="Kueue keeps the check, and every queue that uses it, inactive.",
    source=_PROVISIONING,
    family=Family.QUOTA,
    kinds=(kinds.ADMISSION_CHECK,),
)
def _check_has_parameters(check: Object) -> Iterator[Finding]:
    if check.text("spec", "controllerName") != gke.PROVISIONING_CONTROLLER:
        return
    parameters = check.part("spec", "parameters")
    remedy = f"Write parameters: {{apiGroup: {_KUEUE_GROUP}, kind: {kinds.PROVISIONING_CONFIG.name}, name: ...}}."
    if parameters is None:
        yield Finding(
            place=check.place.at("spec", "parameters"),
            says=f"{check.name} does not say which nodes it requests.",
            remedy=remedy,
            is_about_key=True,
        )
        return
    for key, wanted in (("apiGroup", _KUEUE_GROUP), ("kind", kinds.PROVISIONING_CONFIG.name)):
        found = parameters.text(key)
        if found not in (None, wanted):
            yield Finding(place=parameters.place.at(key), says=f"{found} is not {wanted}.", remedy=remedy)


@world_rule(
    "check-config-exists",
    summary="the ProvisioningRequestConfig that an admission check names exists",
    why="Kueue keeps the check, and every queue that uses it, inactive.",
    source=_PROVISIONING,
    family=Family.QUOTA,
    kinds=(kinds.ADMISSION_CHECK,),
    needs=(kinds.PROVISIONING_CONFIG,),
)
def _check_config_exists(check: Object, world: World) -> Iterator[Finding]:
    if check.text("spec", "parameters", "kind") != kinds.PROVISIONING_CONFIG.name:
        return
    name = check.text("spec", "parameters", "name")
    if name is not None and world.named(kinds.PROVISIONING_CONFIG, name) is None:
        known = [each.name for each in world.of(kinds.PROVISIONING_CONFIG)]
        yield Finding(
            place=check.place.at("spec", "parameters", "name"),
            says=f"no ProvisioningRequestConfig is named {name}.",
            remedy=f"{did_you_mean(name, known)}ProvisioningRequestConfigs: {listing(known)}.",
        )


@object_rule(
    "provisioning-class-exists",
    summary="nodes are requested of a class that GKE or the cluster autoscaler has",
    why="Nothing answers the requests, and the workloads wait for ever.",
    source=_PROVISIONING,
    family=Family.QUOTA,
    kinds=(kinds.PROVISIONING_CONFIG,),
    severity=Severity.WARNING,
)
def _provisioning_class_exists(config: Object) -> Iterator[Finding]:
    name = config.text("spec", "provisioningClassName")
    if name is not None and name not in _CLASSES:
        yield Finding(
            place=config.place.at("spec", "provisioningClassName"),
            says=f"{name} is not a known class.",
            remedy=f"{did_you_mean(name, _CLASSES)}Known: {listing(_CLASSES)}.",
        )


@object_rule(
    "check-is-of-held-flavors",
    summary="a queue uses its checks for flavors that it has",
    why="Kueue admits workloads of the flavor that was meant without the check; from 0.18 on it refuses such a queue.",
    source=f"{_CHECK}; Kueue 0.19.2, pkg/webhooks/clusterqueue_webhook.go",
    family=Family.QUOTA,
    kinds=(kinds.CLUSTER_QUEUE,),
)
def _check_is_of_held_flavors(queue: Object) -> Iterator[Finding]:
    held = [
        flavor.string("name") for group in queue.parts("spec", "resourceGroups") for flavor in group.parts("flavors")
    ]
    for check in queue.parts("spec", "admissionChecksStrategy", "admissionChecks"):
        for index, name in enumerate(check.texts("onFlavors")):
            if name not in held:
                yield Finding(
                    place=check.place.at("onFlavors", index),
                    says=f"{queue.name} has no quota of {name}.",
                    remedy=f"{did_you_mean(name, held)}Flavors of {queue.name}: {listing(held)}.",
                )


ADMISSION_CHECK_RULES: Final = (
    _check_controller_exists,
    _check_has_parameters,
    _check_config_exists,
    _provisioning_class_exists,
    _check_is_of_held_flavors,
)
