"""Rules about admission checks: who answers them, how they are configured, and for which flavors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import gke, kinds
from components.model.findings import Finding, Severity, about_key, did_you_mean, listing
from components.model.rule import Family
from policies.objects.judging import object_rule, world_rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from components.model.facts.kinds import Kind
    from components.model.places import Place
    from policies.objects.world import Object, World

FAMILY: Final = Family.QUOTA

_CHECK: Final = 'Kueue documentation "Admission Check", read 2026-11'
_PROVISIONING: Final = 'Kueue documentation "Provisioning Admission Check Controller", read 2026-11'
_CONFIGURED: Final = {
    gke.PROVISIONING_CONTROLLER: kinds.PROVISIONING_CONFIG,
    "kueue.x-k8s.io/multikueue": kinds.MULTIKUEUE_CONFIG,
}
"""Kueue's controllers of checks, and the kind that configures each."""
_CONTROLLERS: Final = tuple(_CONFIGURED)
_KUEUE_GROUP: Final = "kueue.x-k8s.io"
_CLASSES: Final = (
    gke.QUEUED_PROVISIONING_CLASS,
    "check-capacity.autoscaling.x-k8s.io",
    "best-effort-atomic-scale-up.autoscaling.x-k8s.io",
)
"""The classes of ProvisioningRequests: GKE's, and those of the cluster autoscaler everywhere."""


@object_rule(
    summary="an admission check names a controller that Kueue has",
    why="No controller answers the check: Kueue keeps every queue that uses it inactive.",
    source=_CHECK,
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
    summary="an admission check names the configuration of its controller",
    why="Kueue keeps the check, and every queue that uses it, inactive.",
    source=_PROVISIONING,
    kinds=(kinds.ADMISSION_CHECK,),
)
def _check_has_parameters(check: Object) -> Iterator[Finding]:
    config = _CONFIGURED.get(check.string("spec", "controllerName"))
    if config is None:
        return
    parameters = check.part("spec", "parameters")
    remedy = f"Write parameters: {{apiGroup: {_KUEUE_GROUP}, kind: {config.name}, name: ...}}."
    if parameters is None:
        meant = "nodes it requests" if config is kinds.PROVISIONING_CONFIG else "clusters it sends workloads to"
        yield about_key(
            place=check.place.at("spec", "parameters"),
            says=f"{check.name} does not say which {meant}.",
            remedy=remedy,
        )
        return
    for key, wanted in (("apiGroup", _KUEUE_GROUP), ("kind", config.name)):
        found = parameters.text(key)
        if found not in (None, wanted):
            yield Finding(place=parameters.place.at(key), says=f"{found} is not {wanted}.", remedy=remedy)


@world_rule(
    summary="the ProvisioningRequestConfig or MultiKueueConfig that an admission check names exists",
    why="Kueue keeps the check, and every queue that uses it, inactive.",
    source=_PROVISIONING,
    kinds=(kinds.ADMISSION_CHECK,),
    needs=(kinds.PROVISIONING_CONFIG, kinds.MULTIKUEUE_CONFIG),
)
def _check_config_exists(check: Object, world: World) -> Iterator[Finding]:
    stated = check.text("spec", "parameters", "kind")
    config = next((each for each in _CONFIGURED.values() if each.name == stated), None)
    name = check.text("spec", "parameters", "name")
    if config is not None and name is not None and world.named(config, name) is None:
        yield _unknown(check.place.at("spec", "parameters", "name"), name, config, world)


def _unknown(place: Place, name: str, kind: Kind, world: World) -> Finding:
    known = [each.name for each in world.of(kind)]
    return Finding(
        place=place,
        says=f"no {kind.name} is named {name}.",
        remedy=f"{did_you_mean(name, known)}{kind.section}: {listing(known)}.",
    )


@world_rule(
    summary="the clusters that a MultiKueueConfig names exist",
    why="Kueue keeps the admission check, and every queue that uses it, inactive while it has no cluster.",
    source='Kueue documentation "MultiKueue", read 2026-11',
    kinds=(kinds.MULTIKUEUE_CONFIG,),
    needs=(kinds.MULTIKUEUE_CLUSTER,),
)
def _worker_cluster_exists(config: Object, world: World) -> Iterator[Finding]:
    for index, name in enumerate(config.texts("spec", "clusters")):
        if world.named(kinds.MULTIKUEUE_CLUSTER, name) is None:
            yield _unknown(config.place.at("spec", "clusters", index), name, kinds.MULTIKUEUE_CLUSTER, world)


@object_rule(
    summary="nodes are requested of a class that GKE or the cluster autoscaler has",
    why="Nothing answers the requests, and the workloads wait for ever.",
    source=_PROVISIONING,
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
    summary="a queue uses its checks for flavors that it has",
    why="Kueue admits workloads of the flavor that was meant without the check; from 0.18 on it refuses such a queue.",
    source=f"{_CHECK}; Kueue 0.19.2, pkg/webhooks/clusterqueue_webhook.go",
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
